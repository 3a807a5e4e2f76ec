import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { workDirectory } from "../data/data.ts";
import type { Contender } from "../harness.ts";
import { callContender } from "../subject.ts";

/** Where the documents of this group lie. */
const documents = join(workDirectory, "documents");

/** Where one of them lies; the folder is made. */
export function documentPath(name: string): string {
  mkdirSync(documents, { recursive: true });
  return join(documents, name);
}

export function forgetDocuments(): void {
  rmSync(documents, { recursive: true, force: true });
}

/**
 * Reads a document through the counter, in a room that has read some before. Answers with the number of words that it was
 * given.
 */
export function readContender(
  name: string,
  {
    laps,
    maxChars = 200_000,
    part,
  }: { readonly laps?: number; readonly maxChars?: number; readonly part?: string } = {},
): Promise<Contender> {
  const input = { path: name, max_chars: maxChars, ...(part !== undefined && { part }) };
  return callContender<{ parts: readonly { text: string }[] }>(
    documents,
    "document.read",
    input,
    ({ parts }) => parts.reduce((sum, { text }) => sum + (text.match(/\w+/g)?.length ?? 0), 0),
    laps === undefined ? {} : { laps },
  );
}
