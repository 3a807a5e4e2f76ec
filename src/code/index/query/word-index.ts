import type { CodeSymbol } from "../../../contract/code.ts";
import { roleOf } from "../../search/file-roles.ts";
import type { IndexView } from "../indexer.ts";
import type { FileRecord } from "../storage/index-store.ts";
import { readOutline } from "../storage/outline-blob.ts";
import type { Postings } from "../storage/segment.ts";

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

interface WordSegment {
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

/** The words of all files that are as the index knows them. */
export function currentWordIndex({ store, state }: IndexView): WordIndex {
  const segments = Array.from(
    store.segments.words,
    ({ number, head, reader }): WordSegment & { number: number } => ({
      number,
      documents: head.documents,
      fileOf: head.fileOf,
      kindOf: head.kindOf,
      postings: (term) => reader.postings(Buffer.from(term)),
      piece: (document) => ({
        firstLine: head.firstLines[document]!,
        lastLine: head.lastLines[document]!,
        symbol: head.symbols[document] === 0 ? undefined : head.symbols[document]! - 1,
      }),
    }),
  );
  const file = (number: number) => {
    const record = store.record(number);
    return state.knows(record) && record.words > 0 ? describe(record) : undefined;
  };
  return {
    segments,
    file,
    *files() {
      for (const { number } of store.records.values()) {
        const found = file(number);
        if (found !== undefined) yield found;
      }
    },
    outline: (number): readonly OutlinedSymbol[] => {
      const bytes = store.outline(number);
      return bytes.length === 0 ? [] : readOutline(bytes);
    },
  };
}

const described = new WeakMap<FileRecord, WordFile>();

function describe(record: FileRecord): WordFile {
  let file = described.get(record);
  if (file === undefined) {
    const { number, path, language } = record;
    file = { number, path, language, role: roleOf(path) };
    described.set(record, file);
  }
  return file;
}
