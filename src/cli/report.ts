import {
  type CallFailure,
  type ErrorCode,
  type TextForUser,
  type ToolError,
  textForUser,
} from "../contract/error.ts";
import { counted } from "../lib/text/format-quantity.ts";
import { printable } from "../lib/text/printable.ts";
import { lowDescriptorLimit } from "../system/descriptor-limit.ts";
import { withoutApproval } from "../toolcrib/call-result.ts";
import type { CallResult, RecoveredChange } from "../toolcrib/index.ts";
import { type Descriptor, isTerminal, paint, print, printExact, remark } from "./terminal.ts";

/** The output of `call --json`: always all of these keys, and no others. */
interface CallReport extends Pick<CallResult, "content" | "isError" | "data" | "callId" | "truncated"> {
  readonly error: CallFailure | null;
  readonly failed: string | null;
}

export function toReport(result: CallResult): CallReport {
  const { content, isError, failed, data, error, callId, truncated } = result;
  return {
    content,
    isError,
    failed: failed ?? null,
    data: data ?? null,
    error: withoutApproval(error),
    callId,
    truncated,
  };
}

/** Returns the report of a call that never started. */
export function failedCall(error: ToolError): CallReport {
  const { code, message } = error;
  const hint = error.hint ?? null;
  return {
    content: hint === null ? message : `${message}\n${hint}`,
    isError: true,
    failed: null,
    data: null,
    error: { code, message, hint },
    callId: "",
    truncated: false,
  };
}

/** Prints a value as one line. */
export function printJson(value: unknown): void {
  printExact(`${JSON.stringify(value)}\n`);
}

/** Makes text from files and models safe to print on a terminal; a program gets every byte. */
export function forReader(descriptor: Descriptor, text: string): string {
  return isTerminal(descriptor) ? printable(text) : text;
}

/** Prints text from files and models. */
export function printContent(text: string, colour = (plain: string): string => plain): void {
  if (isTerminal(1)) print(colour(printable(text)));
  else printExact(colour(text));
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
    const end = outcome === "failed" ? "could not be recovered; the next start retries" : `was ${outcome}`;
    const what = transaction ?? `A change of ${listNames(paths)}`;
    remark(forReader(2, `${what} that a crash had interrupted ${end}.\n`));
    if (leftAlone.length > 0)
      remark(forReader(2, `Skipped because they changed since: ${leftAlone.join(", ")}\n`));
  }
}

export function remarkWarnings(warnings: readonly string[]): void {
  for (const warning of warnings) remark(`${paint(2, "yellow", forReader(2, warning))}\n`);
}

/** Warns about a low limit of open files. Call it at the start of commands that may run for long. */
export function remarkFewDescriptors(): void {
  const low = lowDescriptorLimit();
  if (low !== undefined) remarkWarnings([`Warning: ${low.message}. ${low.hint}`]);
}

const maxNames = 5;

function listNames(names: readonly string[]): string {
  const more = names.length - maxNames;
  return `${names.slice(0, maxNames).join(", ")}${more > 0 ? ` and ${counted(more, "more file")}` : ""}`;
}

/** The exit codes, for help. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, "success"],
  [1, "failure"],
  [2, "wrong command line or tool arguments"],
  [3, "denied, or outside the workspace"],
  [4, "needs the user's approval (see --mode)"],
  [5, "timed out"],
  [130, "interrupted"],
];

export function exitCodeOf(code: ErrorCode | undefined): number {
  return code === undefined ? 0 : (ownCodes[code] ?? 1);
}

/** Returns the exit code for an error that a command throws. A missing thing counts as a wrong command line. */
export function exitCodeOfError(code: ErrorCode): number {
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
