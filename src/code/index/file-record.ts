import { crc32 } from "node:zlib";
import type { Figures } from "./list-workspace.ts";

/** A file as the index knows it. Another content is another record, with another number. */
export interface FileRecord {
  readonly number: number;
  readonly path: string;
  /** As they were when the content was read, or before. */
  figures: Figures;
  /** Whether a file that has these figures still has this content: see `isSettled`. */
  settled: boolean;
  readonly hash: string;
  readonly language: string | undefined;
  traits: FileTraits;
  /** The segment with its trigrams, 0 for none: then it may hold anything. */
  lexical: number;
  /** The segment with its words, 0 while they are not known. */
  words: number;
}

export interface FileTraits {
  /** Not for reading: no words are taken from it. */
  readonly binary: boolean;
  /** Has letters that are capitals or small ones of ASCII letters to those who ignore case. */
  readonly oddCase: boolean;
  /** Its grammar ends the parser, or there is too much of it, or nobody wrote it: no symbols are taken from it. */
  readonly unparsed: boolean;
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

export function toRow(record: FileRecord): FileRow {
  const { binary, oddCase, unparsed } = record.traits;
  const row = [
    record.number,
    record.path,
    record.figures.join(" "),
    record.settled ? 1 : 0,
    record.hash,
    record.language ?? "",
    (binary ? 1 : 0) | (oddCase ? 2 : 0) | (unparsed ? 4 : 0),
    record.lexical,
    record.words,
  ] as const;
  return [...row, checkOf(row)];
}

/** Undefined for a row that is not what was written. */
export function fromRow(row: FileRow): FileRecord | undefined {
  const [number, path, figures, settled, hash, language, traits, lexical, words, check] = row;
  if (checkOf(row.slice(0, -1)) !== check) return undefined;
  return {
    number,
    path,
    figures: figures.split(" ").map(Number) as unknown as Figures,
    settled: settled === 1,
    hash,
    language: language === "" ? undefined : language,
    traits: { binary: (traits & 1) > 0, oddCase: (traits & 2) > 0, unparsed: (traits & 4) > 0 },
    lexical,
    words,
  };
}

function checkOf(row: readonly unknown[]): number {
  return crc32(row.join("\0"));
}
