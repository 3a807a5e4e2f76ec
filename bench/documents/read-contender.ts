import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { workDirectory } from "../data/data.ts";
import type { Contender } from "../harness.ts";
import { callContender, openSubject } from "../subject.ts";

/** The folder with the documents of this group. */
const documents = join(workDirectory, "documents");

/** Returns the path of a document, and creates its folder. */
export function documentPath(name: string): string {
  mkdirSync(documents, { recursive: true });
  return join(documents, name);
}

export function forgetDocuments(): void {
  rmSync(documents, { recursive: true, force: true });
}

/**
 * Reads a document through the pipeline, in an instance that has read documents before. Returns the number of words
 * in the output.
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
 * Opens a new instance with a new worker for each document, so that V8 compiles everything again. This takes longer
 * than a first document takes users, because the worker runs from source here and its types are removed first.
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
