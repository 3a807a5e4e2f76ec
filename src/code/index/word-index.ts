import type { CodeSymbol } from "../../contract/code.ts";
import type { Postings } from "./segment-reader.ts";

/** What questions are answered from: words of pieces of code. */
export interface WordIndex {
  readonly segments: readonly WordSegment[];
  /** Undefined for a file that is gone, or has other content by now: its documents do not count. */
  file(number: number): WordFile | undefined;
  /** All that count. */
  files(): Iterable<WordFile>;
  /** The symbols of a file, in the order of its outline. */
  outline(number: number): readonly OutlinedSymbol[];
}

export interface WordSegment {
  /** Pieces of code are numbered from 0, those of one file next to each other. */
  readonly documents: number;
  /** The number of the file that each document is a part of; the same for all segments. */
  readonly fileOf: Uint32Array;
  /** The kind of each document's symbol as its place in `symbolKinds`, 255 where it has none. */
  readonly kindOf: Uint8Array;
  postings(term: string): Postings | undefined;
  /** Lines count from 1; `symbol` is a place in the outline of the file. */
  piece(document: number): Piece;
}

interface Piece {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly symbol: number | undefined;
}

export interface WordFile {
  readonly number: number;
  readonly path: string;
  readonly language: string | undefined;
  /** See `roleOf`. */
  readonly role: number;
}

/** As much of a symbol as the index keeps. */
export type OutlinedSymbol = Pick<
  CodeSymbol,
  "kind" | "name" | "parent" | "firstLine" | "lastLine" | "line" | "signature" | "doc"
>;
