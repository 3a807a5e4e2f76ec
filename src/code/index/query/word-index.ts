import type { OutlinedSymbol } from "../../../contract/code.ts";
import { getOrMake } from "../../get-or-make.ts";
import type { Piece } from "../../search/pieces.ts";
import type { IndexView } from "../indexer.ts";
import { readOutline } from "../storage/outline-blob.ts";
import type { FoundTerm, Postings } from "../storage/segment.ts";
import type { WordHead } from "../storage/segment-table.ts";

export interface WordIndex {
  readonly segments: readonly WordSegment[];
  /** Returns undefined for a file that is missing or has changed, whose documents do not count. */
  file(number: number): WordFile | undefined;
  files(): Iterable<WordFile>;
  /** Returns the documents of a file, which are adjacent and in the order of its pieces. */
  documentsOf(number: number): FileDocuments | undefined;
  outline(number: number): readonly OutlinedSymbol[];
}

interface WordSegment extends Pick<WordHead, "documents" | "fileOf" | "kindOf"> {
  find(term: string): FoundTerm | undefined;
  postings(term: string): Postings | undefined;
  /** Yields the postings of those terms that occur. The terms are in byte order. */
  postingsOfAll(
    terms: readonly Uint8Array[],
  ): Iterable<{ readonly index: number; readonly postings: Postings }>;
  /** Yields the postings of the terms that begin with this text, in the order of the terms. */
  postingsFrom(start: string): Iterable<Postings>;
  /** Returns the piece of a document. Its `symbol` is an index in the outline of the file. */
  piece(document: number): Omit<Piece, "stretches">;
}

export interface FileDocuments {
  /** The position of the segment in `segments`. */
  readonly segment: number;
  readonly first: number;
  readonly count: number;
}

export interface WordFile {
  /** The hash of its content. */
  readonly hash: string;
  readonly number: number;
  readonly path: string;
  readonly language: string | undefined;
  readonly role: number;
}

export function currentWordIndex({ store, state }: IndexView): WordIndex {
  const segments = Array.from(
    store.segments.words,
    ({ head, reader }): WordSegment => ({
      documents: head.documents,
      fileOf: head.fileOf,
      kindOf: head.kindOf,
      find: (term) => reader.find(Buffer.from(term)),
      postings: (term) => reader.postings(Buffer.from(term)),
      postingsOfAll: (terms) => reader.postingsOfAll(terms),
      *postingsFrom(start) {
        for (const { postings } of reader.terms(Buffer.from(start))) yield postings;
      },
      piece: (document) => ({
        firstLine: head.firstLines[document]!,
        lastLine: head.lastLines[document]!,
        symbol: head.symbols[document] === 0 ? undefined : head.symbols[document]! - 1,
      }),
    }),
  );
  const file = (number: number) => {
    const record = store.record(number);
    return state.knows(record) && record.words > 0 ? record : undefined;
  };
  const positions = new Map(Array.from(store.segments.words, ({ number }, position) => [number, position]));
  return {
    segments,
    file,
    documentsOf: (number) => {
      const segment = positions.get(store.record(number)?.words ?? 0);
      const found = segment === undefined ? undefined : rangesIn(segments[segment]!.fileOf).get(number);
      return found && { segment: segment!, ...found };
    },
    *files() {
      for (const record of store.records.values()) if (state.knows(record) && record.words > 0) yield record;
    },
    outline: (number): readonly OutlinedSymbol[] => {
      const bytes = store.outline(number);
      return bytes.length === 0 ? [] : readOutline(bytes);
    },
  };
}

const ranges = new WeakMap<Uint32Array, Map<number, Omit<FileDocuments, "segment">>>();

function rangesIn(fileOf: Uint32Array): ReadonlyMap<number, Omit<FileDocuments, "segment">> {
  return getOrMake(ranges, fileOf, () => {
    const found = new Map<number, Omit<FileDocuments, "segment">>();
    for (let first = 0, end = 0; first < fileOf.length; first = end) {
      while (end < fileOf.length && fileOf[end] === fileOf[first]) end += 1;
      found.set(fileOf[first]!, { first, count: end - first });
    }
    return found;
  });
}
