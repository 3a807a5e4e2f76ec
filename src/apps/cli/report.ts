import type { ToolError } from "../../contract/error.ts";
import type { CallResult, RecoveredChange } from "../../toolcrib.ts";
import { paint, print, remark } from "./terminal.ts";

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

export function printFailure({ message, hint }: { message: string; hint?: string | null | undefined }): void {
  remark(`${paint(2, "red", message)}\n${hint ? `${hint}\n` : ""}`);
}

/** Tells the person of changes that a crash had interrupted, and that were settled before anything else was done. */
export function remarkRecovered(recovered: readonly RecoveredChange[]): void {
  for (const { outcome, paths, leftAlone } of recovered) {
    const words =
      outcome === "failed" ? "could not be settled and is tried again at the next start" : `was ${outcome}`;
    remark(`A change of ${paths.join(", ")} that a crash had interrupted ${words}.\n`);
    if (leftAlone.length > 0) remark(`Left alone, because changed since: ${leftAlone.join(", ")}\n`);
  }
}
