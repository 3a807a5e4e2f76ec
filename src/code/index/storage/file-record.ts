import { crc32 } from "node:zlib";
import { asBuffer } from "../../../lib/bytes/bytes.ts";
import { roleOf } from "../../../lib/file-roles.ts";
import { getOrMake } from "../../get-or-make.ts";
import type { Figures } from "../build/list-workspace.ts";

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

/** A file in the index. New content gets a new record with another number. */
export class FileRecord implements NewRecord {
  readonly number: number;
  readonly path: string;
  readonly language: string | undefined;
  settled: boolean;
  /** One object for all files with the same traits. */
  traits: FileTraits;
  lexical: number;
  words: number;
  readonly #columns: FileColumns;
  readonly #row: number;
  #role: number | undefined;

  constructor(number: number, from: NewRecord, columns: FileColumns, row: number) {
    this.number = number;
    this.path = from.path;
    this.language = from.language && getOrMake(languages, from.language, (): string => from.language!);
    this.settled = from.settled;
    this.traits = allTraits[bitsOf(from.traits)]!;
    this.lexical = from.lexical;
    this.words = from.words;
    this.#columns = columns;
    this.#row = row;
  }

  get figures(): Figures {
    return this.#columns.figuresAt(this.#row);
  }

  set figures(figures: Figures) {
    this.#columns.setFigures(this.#row, figures);
  }

  get hash(): string {
    return this.#columns.hashAt(this.#row);
  }

  /** The result of `roleOf`, which takes some microseconds. */
  get role(): number {
    this.#role ??= roleOf(this.path);
    return this.#role;
  }
}

const figureCount = 5;
const hashBytes = 32;

/** The figures and hashes of records. An array and a string for each of many thousand files would take twice the memory. */
export class FileColumns {
  #figures = new Float64Array(64 * figureCount);
  #hashes = new Uint8Array(64 * hashBytes);
  /** How many records were added, also those that were replaced since. */
  count = 0;

  add(number: number, record: NewRecord): FileRecord {
    const row = this.count++;
    if (this.count * hashBytes > this.#hashes.length) {
      const rows = Math.ceil(row * 1.25);
      this.#figures = new Float64Array(this.#figures.buffer.transfer(rows * figureCount * 8));
      this.#hashes = new Uint8Array(this.#hashes.buffer.transfer(rows * hashBytes));
    }
    this.setFigures(row, record.figures);
    // A file without a hash has zeros.
    asBuffer(this.#hashes).write(record.hash, row * hashBytes, hashBytes, "hex");
    return new FileRecord(number, record, this, row);
  }

  figuresAt(row: number): Figures {
    const first = row * figureCount;
    return Array.from(this.#figures.subarray(first, first + figureCount)) as unknown as Figures;
  }

  setFigures(row: number, figures: Figures): void {
    this.#figures.set(figures, row * figureCount);
  }

  hashAt(row: number): string {
    const hash = asBuffer(this.#hashes).toString("hex", row * hashBytes, (row + 1) * hashBytes);
    return hash === noHash ? "" : hash;
  }
}

const noHash = "0".repeat(2 * hashBytes);

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

/** Returns undefined if the row is damaged. */
export function recordOf(row: FileRow, columns: FileColumns): FileRecord | undefined {
  const [number, path, figures, settled, hash, language, traits, lexical, words, check] = row;
  if (checkOf(row.slice(0, -1)) !== check) return undefined;
  return columns.add(number, {
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

/** One string for all files of a language. */
const languages = new Map<string, string>();

function checkOf(row: readonly unknown[]): number {
  return crc32(row.join("\0"));
}
