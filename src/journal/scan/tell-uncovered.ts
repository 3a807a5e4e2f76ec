import type { Outcome, ToolCall } from "../../contract/call.ts";
import { reworded, ToolError } from "../../contract/error.ts";
import { showPath } from "../../lib/show-path.ts";

/**
 * Says in the account of a call, and in how it ended, what an undo will not bring back: each as "path (why)". `aside` is
 * what it may not bring back; who was told already need not be told again.
 */
export async function tellUncovered(
  call: Pick<ToolCall, "account">,
  running: Promise<Outcome>,
  uncovered: readonly string[],
  aside: { readonly sentences: readonly string[]; readonly isKnown: boolean } = noAside,
): Promise<Outcome> {
  const recorded = [...shortened(uncovered, maxRecorded), ...aside.sentences];
  if (recorded.length > 0) call.account.notCovered = [...(call.account.notCovered ?? []), ...recorded];
  const note = (isKnown: boolean) =>
    noteOf([...shortened(uncovered, maxNamed), ...(isKnown ? [] : aside.sentences)]);
  const outcome = await running.catch((error: unknown) => {
    throw error instanceof ToolError ? withNote(error, note(aside.isKnown)) : error;
  });
  if (!outcome.ok) return { ok: false, error: withNote(outcome.error, note(aside.isKnown)) };
  // Who takes back at once what was done says at once what that leaves.
  const told = note(aside.isKnown && outcome.afterwards === undefined);
  if (told === undefined) return outcome;
  const add = (text: string) =>
    text === "" || text.endsWith("\n") ? `${text}[${told}]` : `${text}\n[${told}]`;
  return { ...outcome, text: add(outcome.text), fullText: add(outcome.fullText) };
}

function noteOf(sentences: readonly string[]): string | undefined {
  return sentences.length === 0 ? undefined : `Undo does not cover: ${sentences.join(", ")}`;
}

export function showUncovered(path: string, why: string): string {
  return `${showPath(path)} (${why})`;
}

const noAside = { sentences: [], isKnown: true };
const maxNamed = 3;
const maxRecorded = 100;

function shortened(sentences: readonly string[], count: number): readonly string[] {
  const others = sentences.length - count;
  return others > 0 ? [...sentences.slice(0, count), `${others} more`] : sentences;
}

function withNote(error: ToolError, note: string | undefined): ToolError {
  if (note === undefined) return error;
  return reworded(error, { hint: error.hint === undefined ? `${note}.` : `${error.hint} ${note}.` });
}
