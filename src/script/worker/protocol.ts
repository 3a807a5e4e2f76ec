import type { Reading } from "../../contract/code.ts";
import type { ErrorCode } from "../../contract/error.ts";

/** The requests that the worker answers. */
export interface ScriptService {
  run(request: RunRequest, options: Reading): Promise<ScriptEnd>;
}

interface RunRequest {
  readonly program: string;
  readonly computeMs: number;
  /** A secret of this run, which its requests repeat. */
  readonly run: string;
}

/** The requests of the worker. Results are JSON texts, which it passes to the program as they are. */
export interface ScriptAsks {
  call(request: CallRequest, options: Reading): Promise<CallAnswer>;
  help(request: Omit<CallRequest, "input">, options: Reading): Promise<CallAnswer>;
}

interface CallRequest {
  readonly run: string;
  readonly name: string;
  readonly input: string;
}

/** `json` is the result, or an `InnerError`. */
export interface CallAnswer {
  readonly ok: boolean;
  readonly json: string;
}

/** How a program ended. */
export type ScriptEnd =
  /** `value` is JSON, and `text` is what the model is shown of it. */
  | { readonly ok: true; readonly printed: string; readonly value: string | undefined; readonly text: string }
  | { readonly ok: false; readonly printed: string; readonly failure: ScriptFailure };

export interface ScriptFailure {
  /** "syntax": it did not start. "call": a failed call was not caught. */
  readonly kind: "syntax" | "thrown" | "call" | "time" | "memory" | "stack" | "stuck";
  readonly message: string;
  /** The line of the program, counted from 1. */
  readonly line: number | undefined;
  readonly code?: ErrorCode | undefined;
  readonly hint?: string | undefined;
}
