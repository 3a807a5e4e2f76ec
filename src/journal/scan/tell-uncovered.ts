import type { Outcome, ToolCall } from "../../contract/call.ts";
import { ToolError } from "../../contract/error.ts";
import { showPath } from "../../text/show-path.ts";

/** Says in the account of a call, and in how it ended, what an undo will not bring back: each as "path (why)". */
export async function tellUncovered(
  call: Pick<ToolCall, "account">,
  running: Promise<Outcome>,
  uncovered: readonly string[],
): Promise<Outcome> {
  if (uncovered.length === 0) return running;
  call.account.notCovered = [...(call.account.notCovered ?? []), ...shortened(uncovered, maxRecorded)];
  const note = `Undo does not cover: ${shortened(uncovered, maxNamed).join(", ")}`;
  const outcome = await running.catch((error: unknown) => {
    throw error instanceof ToolError ? withNote(error, note) : error;
  });
  if (!outcome.ok) return { ok: false, error: withNote(outcome.error, note) };
  const add = (text: string) =>
    text === "" || text.endsWith("\n") ? `${text}[${note}]` : `${text}\n[${note}]`;
  return { ...outcome, text: add(outcome.text), fullText: add(outcome.fullText) };
}

export function showUncovered(path: string, why: string): string {
  return `${showPath(path)} (${why})`;
}

const maxNamed = 3;
const maxRecorded = 100;

function shortened(sentences: readonly string[], count: number): readonly string[] {
  const others = sentences.length - count;
  return others > 0 ? [...sentences.slice(0, count), `${others} more`] : sentences;
}

function withNote(error: ToolError, note: string): ToolError {
  const { code, message, hint, cause } = error;
  return new ToolError(code, message, { hint: hint === undefined ? `${note}.` : `${hint} ${note}.`, cause });
}
