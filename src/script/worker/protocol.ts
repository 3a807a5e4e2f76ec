import type { Reading } from "../../contract/code.ts";
import type { ErrorCode } from "../../contract/error.ts";
import { limits } from "../limits.ts";

/** The requests that the worker answers. */
export interface ScriptService {
  run(request: RunRequest, options: Reading): Promise<ScriptEnd>;
}

interface RunRequest {
  readonly program: string;
  readonly computeMs: number;
  /** A secret of this run, which the frames of its calls repeat. */
  readonly run: string;
}

/**
 * The header of a frame from the worker. The body has a line for each call and each question about tools: its number, its
 * kind, the name and the argument, as JSON and separated by tabs. Calls have a pipe of their own, on which the worker waits
 * without an event loop: that takes a third of the time of a message.
 */
export interface AskHeader {
  readonly run: string;
}

/**
 * The header of a frame from the parent. The body of a "result" is its text and then its data, written by `v8.serialize`;
 * that of a "help" is a text, and that of an "error" an `InnerError` as JSON.
 */
export type AnswerHeader = { readonly run: string } & (
  | { readonly kind: "cancel" }
  | { readonly kind: "help" | "error"; readonly id: number }
  | {
      readonly kind: "result";
      readonly id: number;
      readonly textBytes: number;
      readonly failed: string | undefined;
    }
);

/** The file descriptor of that pipe in the worker. */
export const callPipe = 4;

/** The most bytes of a frame from the worker: as much as the memory of a program. */
export const mostAskBytes: number = limits.memoryBytes;

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
