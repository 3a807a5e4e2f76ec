import type { ToolError } from "../../contract/error.ts";
import type { CallResult } from "../../toolcrib.ts";
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
