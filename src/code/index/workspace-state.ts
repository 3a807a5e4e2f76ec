import type { IndexState } from "../../contract/code.ts";
import { isOutlinable } from "./build-words.ts";
import type { FileRecord } from "./file-record.ts";
import type { IndexStore } from "./index-store.ts";
import type { Figures, ListedFile } from "./list-workspace.ts";

/** The files that there are, and which of them the index does not know as they are. */
export class WorkspaceState {
  readonly files: ReadonlyMap<string, ListedFile>;
  /** New, or perhaps changed: a search looks into them whatever the index says. */
  readonly outdated: Map<string, ListedFile> = new Map<string, ListedFile>();
  /** In the index, and no longer there. */
  readonly gone: FileRecord[] = [];
  /** Known but for their words, by number. */
  readonly wordless: Map<number, FileRecord> = new Map<number, FileRecord>();

  constructor(files: ReadonlyMap<string, ListedFile>, { records }: Pick<IndexStore, "records">) {
    this.files = files;
    for (const [path, file] of files) {
      const record = records.get(path);
      if (record === undefined || !isCurrent(record, file)) this.outdated.set(path, file);
      else if (record.words === 0) this.wordless.set(record.number, record);
    }
    for (const record of records.values()) if (!files.has(record.path)) this.gone.push(record);
  }

  /** Whether what the index says of this file holds. */
  knows(record: FileRecord | undefined): record is FileRecord {
    return record !== undefined && this.files.has(record.path) && !this.outdated.has(record.path);
  }

  count({ records }: Pick<IndexStore, "records">): IndexState {
    let [indexed, outlined, outlinable] = [0, 0, 0];
    for (const record of records.values()) {
      if (!this.knows(record)) continue;
      if (record.words !== 0) indexed++;
      if (record.traits.unparsed || !isOutlinable(record.language)) continue;
      outlinable++;
      if (record.words !== 0) outlined++;
    }
    return { files: this.files.size, indexed, outlined, outlinable };
  }
}

function isCurrent({ figures, settled }: FileRecord, file: ListedFile): boolean {
  return settled && haveSameFigures(figures, file.figures);
}

export function haveSameFigures(one: Figures | undefined, other: Figures | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one[0] === other[0] &&
    one[1] === other[1] &&
    one[2] === other[2] &&
    one[3] === other[3] &&
    one[4] === other[4]
  );
}
