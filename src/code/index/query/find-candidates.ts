import type { CandidatePattern } from "../../../contract/code.ts";
import { fileRoles, roleOf } from "../../../lib/file-roles.ts";
import { hasFullTrigrams } from "../build/workspace-state.ts";
import type { IndexView } from "../indexer.ts";
import type { FileRecord } from "../storage/file-record.ts";
import { definingFiles } from "./find-symbols.ts";
import { filterFiles } from "./path-filter.ts";
import { trigramsOfLiteral, trigramsOfRegex } from "./required-trigrams.ts";
import { documentsFor, rarestFirst, type Trigram, trigramTerm } from "./trigrams.ts";
import { currentWordIndex } from "./word-index.ts";

/**
 * Returns the files that can contain a pattern, including files the index does not know, ordered by path or as its `symbol`
 * demands.
 */
export function findCandidates(pattern: CandidatePattern, view: IndexView): readonly string[] {
  const { store, state } = view;
  const { kind, text, ignoreCase, symbol, limit = Number.POSITIVE_INFINITY } = pattern;
  const query = (kind === "literal" ? trigramsOfLiteral : trigramsOfRegex)(text, { ignoreCase });
  const isAskedFor = filterFiles(pattern);
  const defining = symbol === undefined ? undefined : definingFiles(symbol, currentWordIndex(view));
  // The paths by rank: first the files that define the symbol, then those of each role.
  const found: string[][] = Array.from({ length: 1 + fileRoles.length }, () => []);
  const takeRecord = (record: FileRecord, language: string | undefined) => {
    const { path, number } = record;
    if (!isAskedFor({ path, language })) return;
    const isFirst = defining === undefined || defining.has(number);
    found[isFirst ? 0 : 1 + record.role]!.push(path);
  };
  for (const place of state.outdated) {
    const path = state.files.pathAt(place);
    if (isAskedFor({ path, language: "unknown" }))
      found[defining === undefined ? 0 : 1 + roleOf(path)]!.push(path);
  }
  for (const record of state.withoutFullTrigrams(store))
    takeRecord(record, record.hash === "" ? "unknown" : record.language);
  const takeKnown = (record: FileRecord | undefined) => {
    if (state.knows(record) && hasFullTrigrams(record)) takeRecord(record, record.language);
  };
  if (query === "all") for (const record of store.records.values()) takeKnown(record);
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
  let first: string[] = [];
  for (const paths of found) {
    if (first.length >= limit) break;
    first = first.concat(paths.sort());
  }
  return first.slice(0, limit);
}
