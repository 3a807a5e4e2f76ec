import type { IndexState } from "../../../contract/code.ts";
import { fileRoles, roleOf } from "../../../lib/file-roles.ts";
import { rulesOf } from "../../symbols/rules-of.ts";
import type { FileRecord } from "../storage/file-record.ts";
import type { IndexStore } from "../storage/index-store.ts";
import { Bits, NumberSet } from "../storage/number-set.ts";
import type { Figures, ListedFile, ListedFiles } from "./list-workspace.ts";

/** The files of the workspace, and which of them the index does not know in their current state. */
export class WorkspaceState {
  readonly files: ListedFiles;
  /** The places of files that are new or may have changed. A search reads them regardless of the index. */
  readonly outdated: NumberSet = new NumberSet();
  /** The numbers of files whose words are not indexed yet. */
  readonly wordless: NumberSet = new NumberSet();
  /** The numbers of the files that the index knows in their current state. */
  readonly #known = new Bits();
  readonly #undecided = new NumberSet();
  /** Content hashes by path, read since this scan began, for files whose figures do not identify their content. */
  readonly #read = new Map<string, string>();
  #edition: number;
  /** The counts while everything is indexed. */
  #counted: IndexState | undefined;

  constructor(files: ListedFiles, store: IndexStore) {
    this.files = files;
    this.#edition = store.edition;
    this.#compare(store);
  }

  /** Returns whether this is still the state of a later scan that found these files. */
  isOf(files: ListedFiles, store: IndexStore): boolean {
    return files === this.files && store.edition === this.#edition;
  }

  catchUp(store: IndexStore): void {
    if (store.edition === this.#edition) return;
    this.#edition = store.edition;
    this.#compare(store);
  }

  take(record: FileRecord): void {
    this.#counted = undefined;
    const place = this.outdated.size === 0 ? undefined : this.files.find(record.path);
    if (place !== undefined) this.outdated.delete(place);
    this.#known.set(record.number, true);
    if (!record.settled) this.#read.set(record.path, record.hash);
    if (record.words === 0) this.wordless.add(record.number);
    if (!hasFullTrigrams(record)) this.#undecided.add(record.number);
  }

  /** Returns the known files that are always candidates, because their trigrams do not decide. */
  withoutFullTrigrams(store: IndexStore): readonly FileRecord[] {
    return Array.from(this.#undecided, (number) => store.record(number)).filter(
      (record) => record !== undefined,
    );
  }

  knows(record: FileRecord | undefined): record is FileRecord {
    return record !== undefined && this.#known.has(record.number);
  }

  #compare(store: IndexStore): void {
    this.#counted = undefined;
    for (const numbers of [this.outdated, this.wordless, this.#known, this.#undecided]) numbers.clear();
    const { files } = this;
    const outdated: number[] = [];
    for (const place of files.places()) {
      const record = store.records.get(files.pathAt(place));
      if (record !== undefined && this.#isCurrent(record, files.at(place))) this.take(record);
      else outdated.push(place);
    }
    const modified = (place: number) => files.at(place).figures?.[1] ?? 0;
    for (const place of usefulFirst(outdated, (place) => files.pathAt(place), modified))
      this.outdated.add(place);
    const pathOf = (number: number) => store.record(number)!.path;
    const wordless = usefulFirst([...this.wordless], pathOf, (number) => store.record(number)!.figures[1]);
    this.wordless.clear();
    for (const number of wordless) this.wordless.add(number);
  }

  #isCurrent({ path, hash, figures, settled }: FileRecord, file: ListedFile): boolean {
    return haveSameFigures(figures, file.figures) && (settled || this.#read.get(path) === hash);
  }

  count(store: IndexStore): IndexState {
    this.catchUp(store);
    if (this.outdated.size > 0 || this.wordless.size > 0) return this.#count(store);
    this.#counted ??= this.#count(store);
    return this.#counted;
  }

  #count({ records }: IndexStore): IndexState {
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
function usefulFirst(
  files: readonly number[],
  pathOf: (file: number) => string,
  modifiedOf: (file: number) => number,
): readonly number[] {
  if (files.length <= fewFiles) return files;
  const modified = Float64Array.from(files, modifiedOf);
  const ranks = Uint8Array.from(files, (file) => classes[fileRoles[roleOf(pathOf(file))]!]);
  const newest = Uint32Array.from(files.keys()).sort((one, other) => modified[other]! - modified[one]!);
  const recent = newest.filter((file) => ranks[file]! < classes.generated).slice(0, recentFiles);
  const first = new Set(recent);
  const rest = newest.filter((file) => !first.has(file));
  rest.sort((one, other) => ranks[one]! - ranks[other]!);
  return [...recent, ...rest].map((file) => files[file]!);
}

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
