import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { getOrMake } from "../../get-or-make.ts";
import { noWords } from "../build/commit.ts";
import type { IndexStore } from "./index-store.ts";
import {
  type Postings,
  type Segment,
  type SegmentHead,
  type SegmentReader,
  SegmentWriter,
} from "./segment.ts";
import {
  emptyColumns,
  type LexicalHead,
  type SegmentTable,
  type StoredSegment,
  type WordHead,
} from "./segment-table.ts";

const most = { lexical: 24, words: 40 } as const;

const atOnce = 12;

export function hasManySegments({ segments }: IndexStore): boolean {
  return [...segments.lexical].length > most.lexical || [...segments.words].length > most.words;
}

/** Merges segments until there are few. Merging may take a minute, so other work is done in between. */
export async function mergeSmallSegments(store: IndexStore, turns: MergeTurns): Promise<void> {
  for (;;) {
    const lexical = toMerge(store, "lexical", [...store.segments.lexical], ({ files }) => files);
    const words = toMerge(store, "words", [...store.segments.words], ({ fileOf }) => fileOf);
    if (lexical.length + words.length === 0 || !turns.mayMerge()) return;
    if (lexical.length > 0)
      await merge(store, "lexical", lexical, turns, (merged) => addLexical(store, lexical, merged));
    if (words.length > 0)
      await merge(store, "words", words, turns, (merged) => addWords(store, words, merged));
  }
}

export interface MergeTurns {
  readonly signal: AbortSignal;
  /** Returns whether this process may merge. Another one may be doing it. */
  mayMerge(): boolean;
  /** Does other work, and waits while queries are answered. */
  pause(): Promise<void>;
}

interface Merging<Head> {
  readonly segment: StoredSegment<Head>;
  /** The new number of each document; -1 for one that is not current. */
  readonly positions: Int32Array;
}

function toMerge<Head extends { readonly documents: number }>(
  store: IndexStore,
  kind: "lexical" | "words",
  segments: readonly StoredSegment<Head>[],
  filesOf: (head: Head) => Uint32Array,
): readonly Merging<Head>[] {
  const live = new Map<number, number>();
  for (const record of store.records.values()) live.set(record[kind], (live.get(record[kind]) ?? 0) + 1);
  const all = segments.map((segment) => {
    const share = (live.get(segment.number) ?? 0) / Math.max(1, countOfFiles(filesOf(segment.head)));
    return { segment, share, size: segment.head.documents * Math.min(share, 1) };
  });
  const bySize = all.toSorted((one, other) => one.size - other.size);
  const small = segments.length > most[kind] ? bySize : bySize.filter(({ share }) => share < 0.5);
  let next = 0;
  return small.slice(0, atOnce).map(({ segment }) => {
    const isCurrent = (file: number) => store.record(file)?.[kind] === segment.number;
    const positions = Int32Array.from(filesOf(segment.head), (file) => (isCurrent(file) ? next++ : -1));
    return { segment, positions };
  });
}

const counts = new WeakMap<Uint32Array, number>();

/** Counts the files of a segment, whose documents are adjacent. Cached, because this runs often. */
function countOfFiles(files: Uint32Array): number {
  return getOrMake(counts, files, () =>
    files.reduce((sum, file, at) => (file === files[at - 1] ? sum : sum + 1), 0),
  );
}

/** `add` stores the merged segment and returns its number. */
async function merge(
  store: IndexStore,
  kind: "lexical" | "words",
  merging: readonly Merging<SegmentHead>[],
  turns: MergeTurns,
  add: (merged: Segment) => number,
): Promise<void> {
  const terms = merging.map(({ segment }) => store.segments.termsOf(segment));
  const steps = mergeTerms(merging, terms, { weighted: kind === "words" });
  const merged = await inSlices(store, merging, steps, turns);
  if (merged === undefined) return;
  store.change(() => {
    if (!exist(merging, store.segments)) return;
    replace(store, merging, kind, merged.documents === 0 ? undefined : () => add(merged));
  });
}

function addLexical(
  { segments }: IndexStore,
  merging: readonly Merging<LexicalHead>[],
  merged: Segment,
): number {
  const files = new Uint32Array(merged.documents);
  for (const { segment, positions } of merging) move(segment.head.files, files, positions);
  return segments.addLexical(merged, files);
}

function addWords({ segments }: IndexStore, merging: readonly Merging<WordHead>[], merged: Segment): number {
  const columns = emptyColumns(merged.documents);
  for (const { segment, positions } of merging) {
    for (const name of Object.keys(columns) as (keyof typeof columns)[])
      move(segment.head[name], columns[name], positions);
  }
  return segments.addWords(merged, columns);
}

/** Copies the values of documents to their new numbers. */
function move(from: Column, to: Column, positions: Int32Array): void {
  for (let document = 0; document < positions.length; document++) {
    const position = positions[document]!;
    if (position >= 0) to[position] = from[document]!;
  }
}

type Column = Uint32Array | Uint16Array | Uint8Array;

/** Returns what the steps return, or undefined if another process has merged or removed one of the segments. */
async function inSlices<Result>(
  store: IndexStore,
  merging: readonly Merging<SegmentHead>[],
  steps: Iterator<void, Result>,
  { signal, pause }: MergeTurns,
): Promise<Result | undefined> {
  const timeSlice = new TimeSlice(signal);
  for (;;) {
    await pause();
    await timeSlice.next();
    const done = store.read(() => {
      if (!exist(merging, store.segments)) return { result: undefined };
      do {
        const step = steps.next();
        if (step.done) return { result: step.value };
      } while (!timeSlice.isOver);
      return undefined;
    });
    if (done !== undefined) return done.result;
  }
}

function exist(merging: readonly Merging<SegmentHead>[], segments: SegmentTable): boolean {
  return merging.every(({ segment }) => segments.has(segment.number));
}

function replace(
  store: IndexStore,
  merging: readonly Merging<unknown>[],
  kind: "lexical" | "words",
  add: (() => number) | undefined,
): void {
  const old = new Set(merging.map(({ segment }) => segment.number));
  const number = add === undefined ? noWords : add();
  // This includes files without a document, because an empty file has no words.
  for (const record of store.records.values()) {
    if (old.has(record[kind])) store.update(Object.assign(record, { [kind]: number }));
  }
  for (const segment of old) store.segments.remove(segment);
}

/**
 * Merges the current documents of several segments, in short steps. A document whose file changes meanwhile is merged,
 * too, but no record refers to it.
 */
function* mergeTerms(
  merging: readonly Merging<SegmentHead>[],
  streams: readonly ReturnType<SegmentReader["terms"]>[],
  options: { readonly weighted: boolean },
): Generator<void, Segment> {
  const documents = merging.reduce((sum, { positions }) => sum + countOfCurrent(positions), 0);
  const writer = new SegmentWriter(documents, options);
  const heads = streams.map((stream) => stream.next().value);
  for (let terms = 1; ; terms++) {
    if (terms % termsPerStep === 0) yield;
    const term = smallest(heads.map((head) => head?.term));
    if (term === undefined) break;
    const found: number[] = [];
    const weights: number[] = [];
    for (const [from, head] of heads.entries()) {
      if (head === undefined || Buffer.compare(head.term, term) !== 0) continue;
      gather(head.postings, merging[from]!.positions, found, weights);
      heads[from] = streams[from]!.next().value;
    }
    if (found.length > 0) writer.add(term, found, weights);
  }
  return writer.done();
}

function countOfCurrent(positions: Int32Array): number {
  return positions.reduce((sum, position) => (position < 0 ? sum : sum + 1), 0);
}

const termsPerStep = 20;

function smallest(terms: readonly (Uint8Array | undefined)[]): Uint8Array | undefined {
  let found: Uint8Array | undefined;
  for (const term of terms) {
    if (term !== undefined && (found === undefined || Buffer.compare(term, found) < 0)) found = term;
  }
  return found;
}

function gather(from: Postings, positions: Int32Array, documents: number[], weights: number[]): void {
  for (const [index, document] of from.documents.entries()) {
    const position = positions[document]!;
    if (position < 0) continue;
    documents.push(position);
    weights.push(from.weights[index] ?? 0);
  }
}
