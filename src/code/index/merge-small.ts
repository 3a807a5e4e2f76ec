import { Breath } from "../../text/breath.ts";
import { noWords } from "./commit.ts";
import type { IndexStore } from "./index-store.ts";
import { mergeTerms } from "./merge-terms.ts";
import { emptyColumns, type LexicalHead, type WordsHead } from "./segment-head.ts";
import type { StoredSegment } from "./segment-table.ts";

/** Every question looks into every segment. */
const most = { lexical: 24, words: 40 } as const;

/** So many are made one at once: questions wait meanwhile. */
const atOnce = 12;

/** Makes one segment of many small ones, and of those whose files are mostly gone. */
export async function mergeSmall(store: IndexStore, signal: AbortSignal): Promise<void> {
  const breath = new Breath(signal);
  for (;;) {
    const lexical = toMerge([...store.segments.lexical], most.lexical, ({ number, head }) =>
      Array.from(head.files, (file) => store.record(file)?.lexical === number),
    );
    if (lexical.length > 0) mergeLexical(store, lexical);
    await breath.take();
    const words = toMerge([...store.segments.words], most.words, ({ number, head }) =>
      Array.from(head.fileOf, (file) => store.record(file)?.words === number),
    );
    if (words.length > 0) mergeWords(store, words);
    if (lexical.length + words.length === 0) return;
    await breath.take();
  }
}

interface Merging<Head> {
  readonly segment: StoredSegment<Head>;
  /** Which of its documents are kept. */
  readonly alive: readonly boolean[];
}

function toMerge<Head extends { readonly documents: number }>(
  segments: readonly StoredSegment<Head>[],
  limit: number,
  aliveIn: (segment: StoredSegment<Head>) => readonly boolean[],
): readonly Merging<Head>[] {
  const all = segments.map((segment) => {
    const alive = aliveIn(segment);
    return { segment, alive, count: alive.filter(Boolean).length };
  });
  const bySize = all.toSorted((one, other) => one.count - other.count);
  const small = segments.length > limit ? bySize : bySize.filter(isMostlyGone);
  return small.slice(0, atOnce);
}

function isMostlyGone<Head extends { readonly documents: number }>({
  segment,
  count,
}: Merging<Head> & { readonly count: number }): boolean {
  return count * 2 < segment.head.documents;
}

function mergeLexical(store: IndexStore, merging: readonly Merging<LexicalHead>[]): void {
  store.change(() => {
    // Another process may have merged them.
    if (!areThere(merging, store.segments.lexical)) return;
    const { segment, sources } = mergeTerms(merging, { weighted: false });
    const files = Uint32Array.from(
      sources,
      ({ from, document }) => merging[from]!.segment.head.files[document]!,
    );
    const add = () => store.segments.addLexical(segment, files);
    replace(store, merging, "lexical", segment.documents === 0 ? undefined : add);
  });
}

function mergeWords(store: IndexStore, merging: readonly Merging<WordsHead>[]): void {
  store.change(() => {
    if (!areThere(merging, store.segments.words)) return;
    const { segment, sources } = mergeTerms(merging, { weighted: true });
    const columns = emptyColumns(segment.documents);
    for (const [place, { from, document }] of sources.entries()) {
      const { head } = merging[from]!.segment;
      columns.fileOf[place] = head.fileOf[document]!;
      columns.kindOf[place] = head.kindOf[document]!;
      columns.firstLines[place] = head.firstLines[document]!;
      columns.lastLines[place] = head.lastLines[document]!;
      columns.symbols[place] = head.symbols[document]!;
    }
    const add = () => store.segments.addWords(segment, columns);
    replace(store, merging, "words", segment.documents === 0 ? undefined : add);
  });
}

function areThere<Head>(merging: readonly Merging<Head>[], segments: Iterable<StoredSegment<Head>>): boolean {
  const there = new Set(Array.from(segments, ({ number }) => number));
  return merging.every(({ segment }) => there.has(segment.number));
}

function replace(
  store: IndexStore,
  merging: readonly Merging<unknown>[],
  kind: "lexical" | "words",
  add: (() => number) | undefined,
): void {
  const old = new Set(merging.map(({ segment }) => segment.number));
  const number = add === undefined ? noWords : add();
  // Also of files that have no document: an empty one has no words.
  for (const record of store.records.values()) {
    if (old.has(record[kind])) store.update(Object.assign(record, { [kind]: number }));
  }
  for (const segment of old) store.segments.remove(segment);
}
