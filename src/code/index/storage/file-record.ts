import { crc32 } from "node:zlib";
import { asBuffer } from "../../../lib/bytes/bytes.ts";
import { roleOf } from "../../../lib/file-roles.ts";
import { firstIndex } from "../../first-index.ts";
import { getOrMake } from "../../get-or-make.ts";
import type { Figures } from "../build/list-workspace.ts";
import { PathIndex } from "./path-index.ts";

export interface NewRecord {
  readonly path: string;
  readonly figures: Figures;
  /** Whether the figures identify this content; see `isSettled`. */
  readonly settled: boolean;
  /** The content hash in hex; empty for a file that could not be read. */
  readonly hash: string;
  readonly language: string | undefined;
  readonly traits: FileTraits;
  /** The segment with the file's trigrams. 0 means none, so the file may contain anything. */
  readonly lexical: number;
  /** The segment with the file's words; 0 while unknown. */
  readonly words: number;
}

export interface FileTraits {
  readonly binary: boolean;
  readonly oddCase: boolean;
  /** Whether the symbols are skipped, because the file crashes its grammar, is too large, or is generated. */
  readonly unparsed: boolean;
}

/**
 * A file in the index. New content gets a new record with another number. The values are in the columns of a table, and
 * this object is made when it is asked for.
 */
export class FileRecord implements NewRecord {
  readonly number: number;
  readonly #block: RecordBlock;
  readonly #row: number;
  #path: string | undefined;

  constructor(block: RecordBlock, row: number) {
    this.number = block.numbers[row]!;
    this.#block = block;
    this.#row = row;
  }

  get path(): string {
    this.#path ??= this.#block.pathAt(this.#row);
    return this.#path;
  }

  get language(): string | undefined {
    return languages[this.#block.languages[this.#row]!];
  }

  get hash(): string {
    return this.#block.hashAt(this.#row);
  }

  get figures(): Figures {
    return this.#block.figuresAt(this.#row);
  }

  set figures(figures: Figures) {
    this.#block.setFigures(this.#row, figures);
  }

  get settled(): boolean {
    return this.#block.settled[this.#row] === 1;
  }

  set settled(settled: boolean) {
    this.#block.settled[this.#row] = settled ? 1 : 0;
  }

  /** One object for all files with the same traits. */
  get traits(): FileTraits {
    return allTraits[this.#block.traits[this.#row]!]!;
  }

  set traits(traits: FileTraits) {
    this.#block.traits[this.#row] = bitsOf(traits);
  }

  get lexical(): number {
    return this.#block.lexical[this.#row]!;
  }

  set lexical(segment: number) {
    this.#block.lexical[this.#row] = segment;
  }

  get words(): number {
    return this.#block.words[this.#row]!;
  }

  set words(segment: number) {
    this.#block.words[this.#row] = segment;
  }

  /** The result of `roleOf`, which takes some microseconds. */
  get role(): number {
    const { roles } = this.#block;
    if (roles[this.#row] === unknownRole) roles[this.#row] = roleOf(this.path);
    return roles[this.#row]!;
  }
}

const figureCount = 5;
const hashBytes = 32;
const blockRows = 4096;
const unknownRole = 255;

/** The bytes of a record in all columns but that of names. */
const recordBytes = 8 * figureCount + 4 * 4 + 2 * 2 + 4 + hashBytes;

/**
 * Returns a function that makes columns from one allocation. Small ones would lie between short-lived memory, which could then
 * not be returned.
 */
function oneAllocation() {
  const memory = new ArrayBuffer(blockRows * recordBytes);
  let start = 0;
  return <Column extends { readonly byteLength: number }>(
    type: new (memory: ArrayBuffer, start: number, length: number) => Column,
    valuesOfRecord = 1,
  ): Column => {
    const column = new type(memory, start, blockRows * valuesOfRecord);
    start += column.byteLength;
    return column;
  };
}

/** The columns of some records. Objects, arrays and strings for each of many thousand files would take several times the memory. */
class RecordBlock {
  readonly #column = oneAllocation();
  // Columns of larger values come first, so that each begins at a multiple of its size.
  readonly #figures = this.#column(Float64Array, figureCount);
  readonly numbers = this.#column(Uint32Array);
  readonly lexical = this.#column(Uint32Array);
  readonly words = this.#column(Int32Array);
  readonly #nameEnds = this.#column(Uint32Array);
  readonly languages = this.#column(Uint16Array);
  readonly #directoryOf = this.#column(Uint16Array);
  readonly settled = this.#column(Uint8Array);
  readonly traits = this.#column(Uint8Array);
  readonly roles = this.#column(Uint8Array).fill(unknownRole);
  readonly isRemoved = this.#column(Uint8Array);
  readonly #hashes = this.#column(Uint8Array, hashBytes);
  count = 0;
  /** Files that follow each other are mostly in the same directory. */
  readonly #directories: string[] = [];
  #names = Buffer.allocUnsafeSlow(blockRows * likelyNameBytes);

  /** Adds a record, and returns its row. */
  add(number: number, record: NewRecord): number {
    const row = this.count++;
    this.numbers[row] = number;
    this.languages[row] = languageNumber(record.language);
    this.settled[row] = record.settled ? 1 : 0;
    this.traits[row] = bitsOf(record.traits);
    this.lexical[row] = record.lexical;
    this.words[row] = record.words;
    this.setFigures(row, record.figures);
    // A file without a hash has zeros.
    asBuffer(this.#hashes).write(record.hash, row * hashBytes, hashBytes, "hex");
    this.#addPath(row, record.path);
    return row;
  }

  /** Returns the row of a number, or -1. Most numbers follow each other. */
  rowOf(number: number): number {
    const { numbers, count } = this;
    const likely = number - numbers[0]!;
    if (likely < count && numbers[likely] === number) return likely;
    const row = firstIndex(count, (index) => numbers[index]! >= number);
    return row < count && numbers[row] === number ? row : -1;
  }

  pathAt(row: number): string {
    return (
      this.#directories[this.#directoryOf[row]!]! +
      this.#names.toString("utf8", this.#nameAt(row), this.#nameEnds[row])
    );
  }

  hashAt(row: number): string {
    const hash = asBuffer(this.#hashes).toString("hex", row * hashBytes, (row + 1) * hashBytes);
    return hash === noHash ? "" : hash;
  }

  figuresAt(row: number): Figures {
    const first = row * figureCount;
    return Array.from(this.#figures.subarray(first, first + figureCount)) as unknown as Figures;
  }

  setFigures(row: number, figures: Figures): void {
    this.#figures.set(figures, row * figureCount);
  }

  #addPath(row: number, path: string): void {
    const nameAt = path.lastIndexOf("/") + 1;
    if (row === 0 || !isIn(this.#directories.at(-1)!, path, nameAt)) {
      // A part of a string would keep the whole path in memory.
      this.#directories.push(Buffer.from(path.slice(0, nameAt)).toString());
    }
    this.#directoryOf[row] = this.#directories.length - 1;
    const start = this.#nameAt(row);
    const name = path.slice(nameAt);
    const most = start + name.length * 3;
    if (most > this.#names.length) this.#names = Buffer.concat([this.#names], most * 2);
    this.#nameEnds[row] = start + this.#names.write(name, start);
  }

  #nameAt(row: number): number {
    return row === 0 ? 0 : this.#nameEnds[row - 1]!;
  }
}

function isIn(directory: string, path: string, nameAt: number): boolean {
  return directory.length === nameAt && path.startsWith(directory);
}

const likelyNameBytes = 12;
const noHash = "0".repeat(2 * hashBytes);

/** The current records of an index, with rows in the order of their numbers. */
export class FileTable {
  readonly #blocks: RecordBlock[] = [];
  readonly #paths = new PathIndex((row) => this.#blockOf(row).pathAt(row % blockRows));
  #rows = 0;
  /** The block of the number that was asked for last. */
  #last = 0;

  get size(): number {
    return this.#paths.size;
  }

  /** How many records were added, also those that were removed since. */
  get added(): number {
    return this.#rows;
  }

  get(path: string): FileRecord | undefined {
    const row = this.#paths.get(path);
    return row === undefined ? undefined : this.#at(row);
  }

  /** Returns the record with a number. */
  record(number: number): FileRecord | undefined {
    const block = this.#blockWith(number);
    const row = block?.rowOf(number) ?? -1;
    return row < 0 || block!.isRemoved[row] === 1 ? undefined : new FileRecord(block!, row);
  }

  *values(): Generator<FileRecord> {
    for (const block of this.#blocks)
      for (let row = 0; row < block.count; row++)
        if (block.isRemoved[row] === 0) yield new FileRecord(block, row);
  }

  /** Adds a record, which replaces that of the same path. The number is higher than all before. */
  add(number: number, record: NewRecord): FileRecord {
    const row = this.#rows++;
    if (row % blockRows === 0) this.#blocks.push(new RecordBlock());
    const block = this.#blockOf(row);
    block.add(number, record);
    const before = this.#paths.get(record.path);
    if (before !== undefined) this.#blockOf(before).isRemoved[before % blockRows] = 1;
    this.#paths.set(record.path, row);
    return this.#at(row);
  }

  remove({ number, path }: FileRecord): void {
    const row = this.#paths.get(path);
    if (row === undefined || this.#at(row).number !== number) return;
    this.#blockOf(row).isRemoved[row % blockRows] = 1;
    this.#paths.delete(path);
  }

  /** Returns the block that has a number, if any has it. The next number is often in the same one. */
  #blockWith(number: number): RecordBlock | undefined {
    const blocks = this.#blocks;
    const isFrom = (index: number) => blocks[index]!.numbers[0]! <= number;
    const isLast = this.#last < blocks.length && isFrom(this.#last);
    if (!isLast || (this.#last + 1 < blocks.length && isFrom(this.#last + 1)))
      this.#last = Math.max(0, firstIndex(blocks.length, (index) => !isFrom(index)) - 1);
    return blocks[this.#last];
  }

  #at(row: number): FileRecord {
    return new FileRecord(this.#blockOf(row), row % blockRows);
  }

  #blockOf(row: number): RecordBlock {
    return this.#blocks[Math.floor(row / blockRows)]!;
  }
}

export type FileRow = readonly [
  number: number,
  path: string,
  figures: string,
  settled: number,
  hash: string,
  language: string,
  traits: number,
  lexical: number,
  words: number,
  check: number,
];

export function rowOf(record: FileRecord): FileRow {
  const row = [
    record.number,
    record.path,
    record.figures.join(" "),
    record.settled ? 1 : 0,
    record.hash,
    record.language ?? "",
    bitsOf(record.traits),
    record.lexical,
    record.words,
  ] as const;
  return [...row, checkOf(row)];
}

/** Adds the record of a row. Returns undefined if the row is damaged. */
export function addRow(row: FileRow, records: FileTable): FileRecord | undefined {
  const [number, path, figures, settled, hash, language, traits, lexical, words, check] = row;
  if (checkOf(row.slice(0, -1)) !== check) return undefined;
  return records.add(number, {
    path,
    figures: figures.split(" ").map(Number) as unknown as Figures,
    settled: settled === 1,
    hash,
    language: language === "" ? undefined : language,
    traits: allTraits[traits & 7]!,
    lexical,
    words,
  });
}

const allTraits: readonly FileTraits[] = Array.from({ length: 8 }, (_, traits) => ({
  binary: (traits & 1) > 0,
  oddCase: (traits & 2) > 0,
  unparsed: (traits & 4) > 0,
}));

function bitsOf({ binary, oddCase, unparsed }: FileTraits): number {
  return (binary ? 1 : 0) | (oddCase ? 2 : 0) | (unparsed ? 4 : 0);
}

/** The names of languages by number; undefined for none. */
const languages: (string | undefined)[] = [undefined];
const languageNumbers = new Map<string | undefined, number>([[undefined, 0]]);

function languageNumber(language: string | undefined): number {
  return getOrMake(languageNumbers, language, () => languages.push(language) - 1);
}

function checkOf(row: readonly unknown[]): number {
  return crc32(row.join("\0"));
}
