import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { workDirectory } from "../data/data.ts";
import type { Contender } from "../harness.ts";
import { callContender, openSubject } from "../subject.ts";

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
 * Reads a document through the pipeline, in an instance that has read documents before. Returns the number of words in the
 * output.
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
  return callContender<Read>(
    documents,
    "document.read",
    input,
    countWords,
    laps === undefined ? {} : { laps },
  );
}

/**
 * The same for each with a new room and a new host, whose code is new to V8: what the first document takes, and then some,
 * because the host runs from source here and its types are taken off first.
 */
export function coldContender(name: string): Contender {
  return {
    laps: 1,
    run: async () => {
      const subject = await openSubject({ workspace: documents });
      const { data } = await subject.call("document.read", { path: name, max_chars: 20_000_000 });
      await subject.close();
      return countWords(data as Read);
    },
  };
}

interface Read {
  readonly parts: readonly { readonly text: string }[];
}

function countWords({ parts }: Read): number {
  return parts.reduce((sum, { text }) => sum + (text.match(/\w+/g)?.length ?? 0), 0);
}
