import type { IndexState } from "../../contract/code.ts";
import type { FileRecord } from "./file-record.ts";
import type { IndexStore } from "./index-store.ts";
import { isOutlinable } from "./is-outlinable.ts";
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
  readonly #untold = new Set<FileRecord>();
  /** Which records of the store `#untold` was gathered from. */
  #edition: number;

  constructor(files: ReadonlyMap<string, ListedFile>, { records, edition }: Records) {
    this.files = files;
    this.#edition = edition;
    for (const [path, file] of files) {
      const record = records.get(path);
      if (record === undefined || !isCurrent(record, file)) this.outdated.set(path, file);
      else this.take(record);
    }
    for (const record of records.values()) if (!files.has(record.path)) this.gone.push(record);
  }

  /** From now on this is what is known of the file. */
  take(record: FileRecord): void {
    this.outdated.delete(record.path);
    if (record.words === 0) this.wordless.set(record.number, record);
    if (!isTold(record)) this.#untold.add(record);
  }

  /** Those known of which trigrams do not tell enough: they count as candidates, whatever is looked for. */
  untold({ records, edition }: Records): readonly FileRecord[] {
    if (edition !== this.#edition) {
      // Other processes have put some on record.
      this.#edition = edition;
      this.#untold.clear();
      for (const record of records.values()) if (!isTold(record)) this.#untold.add(record);
    }
    return [...this.#untold].filter((record) => records.get(record.path) === record && this.knows(record));
  }

  /** Whether what the index says of this file holds. */
  knows(record: FileRecord | undefined): record is FileRecord {
    return record !== undefined && this.files.has(record.path) && !this.outdated.has(record.path);
  }

  count({ records }: Records): IndexState {
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

type Records = Pick<IndexStore, "records" | "edition">;

/** Whether its trigrams tell that a text is not in it. */
export function isTold({ lexical, traits }: FileRecord): boolean {
  return lexical > 0 && !traits.oddCase;
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
