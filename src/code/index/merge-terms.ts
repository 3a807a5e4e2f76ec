import type { Postings, SegmentHead, SegmentReader } from "./segment-reader.ts";
import { type Segment, SegmentWriter } from "./segment-writer.ts";

interface Source {
  readonly segment: { readonly reader: SegmentReader; readonly head: SegmentHead };
  /** Which of its documents are kept. */
  readonly alive: readonly boolean[];
}

/** One segment of all that several say about the documents that are kept, and where each of those comes from. */
export function mergeTerms(
  merging: readonly Source[],
  options: { readonly weighted: boolean },
): {
  readonly segment: Segment;
  readonly sources: readonly { readonly from: number; readonly document: number }[];
} {
  const sources: { from: number; document: number }[] = [];
  const places = merging.map(({ alive }, from) =>
    alive.map((isAlive, document) => (isAlive ? sources.push({ from, document }) - 1 : -1)),
  );
  const writer = new SegmentWriter(sources.length, options);
  const streams = merging.map(({ segment }) => segment.reader.terms());
  const heads = streams.map((stream) => stream.next().value);
  for (;;) {
    const term = smallest(heads.map((head) => head?.term));
    if (term === undefined) break;
    const documents: number[] = [];
    const weights: number[] = [];
    for (const [from, head] of heads.entries()) {
      if (head === undefined || Buffer.compare(head.term, term) !== 0) continue;
      gather(head.postings, places[from]!, documents, weights);
      heads[from] = streams[from]!.next().value;
    }
    if (documents.length > 0) writer.add(term, documents, weights);
  }
  return { segment: writer.done(), sources };
}

function smallest(terms: readonly (Uint8Array | undefined)[]): Uint8Array | undefined {
  let found: Uint8Array | undefined;
  for (const term of terms) {
    if (term !== undefined && (found === undefined || Buffer.compare(term, found) < 0)) found = term;
  }
  return found;
}

function gather(from: Postings, places: readonly number[], documents: number[], weights: number[]): void {
  for (const [index, document] of from.documents.entries()) {
    const place = places[document]!;
    if (place < 0) continue;
    documents.push(place);
    weights.push(from.weights[index] ?? 0);
  }
}
