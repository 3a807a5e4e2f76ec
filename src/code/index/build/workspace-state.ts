import type { IndexState } from "../../../contract/code.ts";
import { fileRoles, roleOf } from "../../../lib/file-roles.ts";
import { rulesOf } from "../../symbols/rules-of.ts";
import type { FileRecord } from "../storage/file-record.ts";
import type { IndexStore } from "../storage/index-store.ts";
import type { Figures, ListedFile, ListedFiles } from "./list-workspace.ts";

/** The files of the workspace, and which of them the index does not know in their current state. */
export class WorkspaceState {
  readonly files: ListedFiles;
  /** Files that are new or may have changed. A search reads them regardless of the index. */
  readonly outdated: Set<string> = new Set();
  /** Files whose words are not indexed yet, by number. */
  readonly wordless: Map<number, FileRecord> = new Map();
  readonly #undecided = new Set<FileRecord>();
  /** Content hashes by path, read since this scan began, for files whose figures do not identify their content. */
  readonly #read = new Map<string, string>();
  #edition: number;
  /** The counts while everything is indexed. */
  #counted: IndexState | undefined;

  constructor(files: ListedFiles, store: Records) {
    this.files = files;
    this.#edition = store.edition;
    this.#compare(store);
  }

  /** Returns whether this is still the state of a later scan that found these files. */
  isOf(files: ListedFiles, store: Records): boolean {
    return files === this.files && store.edition === this.#edition;
  }

  catchUp(store: Records): void {
    if (store.edition === this.#edition) return;
    this.#edition = store.edition;
    this.#compare(store);
  }

  take(record: FileRecord): void {
    this.#counted = undefined;
    this.outdated.delete(record.path);
    if (!record.settled) this.#read.set(record.path, record.hash);
    if (record.words === 0) this.wordless.set(record.number, record);
    if (!hasFullTrigrams(record)) this.#undecided.add(record);
  }

  /** Returns the known files that are always candidates, because their trigrams do not decide. */
  withoutFullTrigrams({ records }: Records): readonly FileRecord[] {
    return [...this.#undecided].filter((record) => records.get(record.path) === record && this.knows(record));
  }

  knows(record: FileRecord | undefined): record is FileRecord {
    return record !== undefined && this.files.has(record.path) && !this.outdated.has(record.path);
  }

  #compare({ records }: Records): void {
    this.#counted = undefined;
    this.outdated.clear();
    this.wordless.clear();
    this.#undecided.clear();
    for (const [path, file] of this.files) {
      const record = records.get(path);
      if (record !== undefined && this.#isCurrent(record, file)) this.take(record);
      else this.outdated.add(path);
    }
    const modified = (path: string) => this.files.get(path)?.figures?.[1] ?? 0;
    const outdated = usefulFirst([...this.outdated], (path) => path, modified);
    this.outdated.clear();
    for (const path of outdated) this.outdated.add(path);
    const wordless = usefulFirst([...this.wordless.values()], ({ path }) => path, modified);
    this.wordless.clear();
    for (const record of wordless) this.wordless.set(record.number, record);
  }

  #isCurrent({ path, hash, figures, settled }: FileRecord, file: ListedFile): boolean {
    return haveSameFigures(figures, file.figures) && (settled || this.#read.get(path) === hash);
  }

  count(store: Records): IndexState {
    if (this.outdated.size > 0 || this.wordless.size > 0) return this.#count(store);
    this.#counted ??= this.#count(store);
    return this.#counted;
  }

  #count({ records }: Records): IndexState {
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

/** So few files are indexed at once, in any order. */
const fewFiles = 64;
/** The files that changed last come first, whatever they are. */
const recentFiles = 100;
const classes = { code: 1, data: 2, documentation: 2, example: 2, test: 3, generated: 4 } as const;

/** Orders files: those that changed last, then source code before data, tests and generated files, newest first. */
function usefulFirst<File>(
  files: readonly File[],
  pathOf: (file: File) => string,
  modifiedOf: (path: string) => number,
): readonly File[] {
  if (files.length <= fewFiles) return files;
  const modified = Float64Array.from(files, (file) => modifiedOf(pathOf(file)));
  const ranks = Uint8Array.from(files, (file) => classes[fileRoles[roleOf(pathOf(file))]!]);
  const newest = Uint32Array.from(files.keys()).sort((one, other) => modified[other]! - modified[one]!);
  const recent = newest.filter((file) => ranks[file]! < classes.generated).slice(0, recentFiles);
  const first = new Set(recent);
  const rest = newest.filter((file) => !first.has(file));
  rest.sort((one, other) => ranks[one]! - ranks[other]!);
  return [...recent, ...rest].map((file) => files[file]!);
}

type Records = Pick<IndexStore, "records" | "edition">;

export function hasFullTrigrams({ lexical, traits }: FileRecord): boolean {
  return lexical > 0 && !traits.oddCase;
}

export function haveSameFigures(one: Figures | undefined, other: Figures | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.every((figure, index) => figure === other[index]);
}

export function isOutlinable(language: string | undefined): boolean {
  return language !== undefined && rulesOf(language) !== undefined;
}
