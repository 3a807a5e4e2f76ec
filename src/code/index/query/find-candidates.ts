import type { CandidatePattern } from "../../../contract/code.ts";
import { hasFullTrigrams } from "../build/workspace-state.ts";
import type { IndexView } from "../indexer.ts";
import type { FileRecord } from "../storage/file-record.ts";
import { filterFiles } from "./path-filter.ts";
import { trigramsOfLiteral, trigramsOfRegex } from "./required-trigrams.ts";
import { documentsFor, rarestFirst, type Trigram, trigramTerm } from "./trigrams.ts";

/** Returns all files that can contain a pattern, in path order, including files the index does not know. */
export function findCandidates(pattern: CandidatePattern, { store, state }: IndexView): readonly string[] {
  const { kind, text, ignoreCase } = pattern;
  const query = (kind === "literal" ? trigramsOfLiteral : trigramsOfRegex)(text, { ignoreCase });
  const isAskedFor = filterFiles(pattern);
  const found: string[] = [];
  const take = (path: string, language: string | undefined) => {
    if (isAskedFor({ path, language })) found.push(path);
  };
  for (const path of state.outdated) take(path, "unknown");
  for (const { path, hash, language } of state.withoutFullTrigrams(store))
    take(path, hash === "" ? "unknown" : language);
  const takeKnown = (record: FileRecord | undefined) => {
    if (state.knows(record) && hasFullTrigrams(record)) take(record.path, record.language);
  };
  if (query === "all") for (const path of state.files.keys()) takeKnown(store.records.get(path));
  else {
    const segments = [...store.segments.lexical].sort(
      (one, other) => other.head.documents - one.head.documents,
    );
    const countOf = (trigram: Trigram) => segments[0]?.reader.count(trigramTerm(trigram)) ?? 0;
    const ordered = rarestFirst(query, countOf);
    for (const { number, head, reader } of segments) {
      for (const document of documentsFor(ordered, reader)) {
        const record = store.record(head.files[document]!);
        if (record?.lexical === number) takeKnown(record);
      }
    }
  }
  return found.sort();
}
