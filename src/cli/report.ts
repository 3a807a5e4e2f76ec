import type { ToolError } from "../contract/error.ts";
import { counted } from "../lib/counted.ts";
import { printable } from "../lib/printable.ts";
import type { CallResult, RecoveredChange } from "../toolcrib/index.ts";
import { type Descriptor, isTerminal, paint, print, remark } from "./terminal.ts";

/** What `call --json` prints: these keys, always all of them, and nothing else. */
export type CallReport = Pick<CallResult, "content" | "isError" | "data" | "error" | "callId" | "truncated">;

/** One call for programs. */
export function toReport({ content, isError, data, error, callId, truncated }: CallResult): CallReport {
  return { content, isError, data: data ?? null, error, callId, truncated };
}

/** The report of a call that did not even begin, and so has no id. */
export function failedCall(error: ToolError): CallReport {
  const { code, message } = error;
  const hint = error.hint ?? null;
  return {
    content: hint === null ? message : `${message}\n${hint}`,
    isError: true,
    data: null,
    error: { code, message, hint },
    callId: "",
    truncated: false,
  };
}

/** One document on one line. */
export function printJson(value: unknown): void {
  print(`${JSON.stringify(value)}\n`);
}

/** Text of files and models, which must not steer the terminal of whoever looks at it; a program gets every byte. */
export function forReader(descriptor: Descriptor, text: string): string {
  return isTerminal(descriptor) ? printable(text) : text;
}

export function printFailure({ message, hint }: { message: string; hint?: string | null | undefined }): void {
  remark(`${paint(2, "red", forReader(2, message))}\n${hint ? `${forReader(2, hint)}\n` : ""}`);
}

/** Tells the person of changes that a crash had interrupted, and that were settled before anything else was done. */
export function remarkRecovered(recovered: readonly RecoveredChange[]): void {
  for (const { outcome, paths, leftAlone, transaction } of recovered) {
    const words =
      outcome === "failed" ? "could not be settled and is tried again at the next start" : `was ${outcome}`;
    const what = transaction ?? `A change of ${listNames(paths)}`;
    remark(forReader(2, `${what} that a crash had interrupted ${words}.\n`));
    // Somebody has to look at each of these.
    if (leftAlone.length > 0)
      remark(forReader(2, `Left alone, because changed since: ${leftAlone.join(", ")}\n`));
  }
}

/** What a person has to know beyond the answer. */
export function remarkWarnings(warnings: readonly string[]): void {
  for (const warning of warnings) remark(`${paint(2, "yellow", forReader(2, warning))}\n`);
}

const maxNames = 5;

/** The first of them; the journal has all. */
function listNames(names: readonly string[]): string {
  const more = names.length - maxNames;
  return `${names.slice(0, maxNames).join(", ")}${more > 0 ? ` and ${counted(more, "more file")}` : ""}`;
}
