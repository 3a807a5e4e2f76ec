import { isDeepStrictEqual } from "node:util";
import { type ErrorCode, ToolError } from "../../src/contract/error.ts";
import type { EditRequest } from "../../src/edit/edit-request.ts";
import { planEdits } from "../../src/edit/plan-edits.ts";

/** The result of a call: the new file, or the refusal. */
export type Attempt = { readonly after: string } | { readonly refused: ErrorCode };

export const path = "file.txt";

/**
 * Plans a change of one file. Bytes are given as Latin-1, one character each, so that they can be read and compared.
 * Throws errors other than ToolError, and when the file or the request was modified.
 */
export function attempt(file: Uint8Array, request: EditRequest): Attempt {
  const bytes = Buffer.from(file);
  const asked = structuredClone(request);
  const outcome = outcomeOf(file, request);
  if (!bytes.equals(file) || !isDeepStrictEqual(request, asked))
    throw new Error("planEdits changed what it was given");
  return outcome;
}

export function applied(after: Uint8Array): Attempt {
  return { after: Buffer.from(after).toString("latin1") };
}

function outcomeOf(file: Uint8Array, request: EditRequest): Attempt {
  try {
    const [plan, ...others] = planEdits(request, (name) => (name === path ? file : undefined));
    if (plan?.action !== "update" || others.length > 0) throw new Error("One update was expected");
    return applied(plan.after);
  } catch (error) {
    if (error instanceof ToolError) return { refused: error.code };
    throw error;
  }
}
