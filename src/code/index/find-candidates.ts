import type { CandidatePattern } from "../../contract/code.ts";
import type { Looked } from "./indexer.ts";
import { filterFiles } from "./path-filter.ts";
import { trigramsOfLiteral, trigramsOfRegex } from "./required-trigrams.ts";
import { documentsFor } from "./trigram-query.ts";

/** All files that can hold a pattern, in the order of their paths: by their trigrams, and those that are not known. */
export function findCandidates(pattern: CandidatePattern, { store, state }: Looked): readonly string[] {
  const { kind, text, ignoreCase } = pattern;
  const query = (kind === "literal" ? trigramsOfLiteral : trigramsOfRegex)(text, { ignoreCase });
  const isAskedFor = filterFiles(pattern);
  const found: string[] = [];
  const take = (path: string, language: string | undefined) => {
    if (isAskedFor({ path, language })) found.push(path);
  };
  for (const path of state.files.keys()) {
    const record = store.records.get(path);
    const isKnown = state.knows(record) && record.lexical > 0;
    if (!isKnown) take(path, "unknown");
    else if (query === "all" || record.traits.oddCase) take(path, record.language);
  }
  if (query !== "all") {
    for (const { number, head, reader } of store.lexicalSegments) {
      const documents = documentsFor(query, reader);
      if (documents === "all") continue;
      for (const document of documents) {
        const record = store.record(head.files[document]!);
        if (record?.lexical !== number || record.traits.oddCase || !state.knows(record)) continue;
        take(record.path, record.language);
      }
    }
  }
  return found.sort();
}
