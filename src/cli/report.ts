import { type ErrorCode, type TextForUser, type ToolError, textForUser } from "../contract/error.ts";
import { counted } from "../lib/text/format-quantity.ts";
import { printable } from "../lib/text/printable.ts";
import type { CallResult, RecoveredChange } from "../toolcrib/index.ts";
import { type Descriptor, isTerminal, paint, print, remark } from "./terminal.ts";

/** What `call --json` prints: these keys, always all of them, and nothing else. */
type CallReport = Pick<CallResult, "content" | "isError" | "data" | "error" | "callId" | "truncated">;

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

/** Makes text of files and models safe to print on a terminal; a program gets every byte. */
export function forReader(descriptor: Descriptor, text: string): string {
  return isTerminal(descriptor) ? printable(text) : text;
}

export function printFailure(error: {
  readonly message: string;
  readonly hint?: string | null | undefined;
  readonly forUser?: TextForUser | undefined;
}): void {
  const { message, hint } = textForUser(error);
  remark(`${paint(2, "red", forReader(2, message))}\n${hint ? `${forReader(2, hint)}\n` : ""}`);
}

/** Reports changes that a crash interrupted and that were completed or rolled back on opening. */
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

/** What each exit code means, as help prints it. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, "it worked"],
  [1, "it failed"],
  [2, "the command line or the tool's arguments are wrong"],
  [3, "refused: denied, or outside the workspace"],
  [4, "a person would have to approve it (see --mode)"],
  [5, "it took too long"],
  [130, "interrupted"],
];

/** The exit code for how a call ended; none of these errors means that it worked. */
export function exitCodeOf(code: ErrorCode | undefined): number {
  if (code === undefined) return 0;
  return ownCodes[code] ?? 1;
}

/** The same for what a command throws, which is about the command line: what it names and is not there is wrong there, too. */
export function exitCodeOfTrouble(code: ErrorCode): number {
  return code === "not-found" ? 2 : exitCodeOf(code);
}

const ownCodes: { readonly [Code in ErrorCode]?: number } = {
  "invalid-input": 2,
  denied: 3,
  "outside-workspace": 3,
  "needs-approval": 4,
  timeout: 5,
  cancelled: 130,
};
