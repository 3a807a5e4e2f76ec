import type { MessagePort } from "node:worker_threads";
import type { RingMessage } from "./ring.ts";

/** The parts that a thread gets when it starts. */
export interface ThreadParts {
  readonly port: MessagePort;
  readonly shared: SharedState;
}

/** Memory of both sides. */
export interface SharedState {
  /** Short messages in both directions. Others take the port. */
  readonly toThread: SharedArrayBuffer;
  readonly fromThread: SharedArrayBuffer;
  /** Counts the messages to the thread, which waits for them without an event loop. */
  readonly posted: Int32Array;
  /** 1 while the other side does not look for short messages, and has to be woken by the port. */
  readonly isAsleep: Int32Array;
  /** The time in milliseconds at which the engine must have stopped; 0 while it does not run. */
  readonly deadline: BigInt64Array;
}

/** A message to the thread. */
export type ToThread =
  | RunRequest
  | ProgramAnswer
  /** A field of a result that the thread waits for: its text, or its data as JSON. */
  | { readonly kind: "field"; readonly text: string };

export interface RunRequest {
  readonly kind: "run";
  /** The number of the run, which the answers to its program repeat. */
  readonly run: number;
  readonly program: string;
  readonly computeMs: number;
}

/** The answer to a call of the program, or to a question about tools. */
export interface ProgramAnswer {
  readonly kind: AnswerKind;
  readonly run: number;
  readonly id: number;
  /** The text of a result when `isGiven`, a help text, or an `InnerError` as JSON. */
  readonly text: string | Uint8Array;
  readonly failed?: string | undefined;
  /** Whether `text` is the text of the result. Otherwise the program asks for it. */
  readonly isGiven: boolean;
  /** Whether the fields that are not given can stay outside of the program's memory until it reads them. */
  readonly isHeld: boolean;
}

export const answerKinds = ["result", "help", "error"] as const;
export type AnswerKind = (typeof answerKinds)[number];

/** A message from the thread. */
export type FromThread =
  /** `isLast`: the thread can run no other program. */
  | { readonly kind: "end"; readonly end: ScriptEnd; readonly isLast: boolean }
  /** A message that does not fit into shared memory. */
  | { readonly kind: "long"; readonly numbers: RingMessage["numbers"]; readonly text: string }
  /** There is a message in shared memory. */
  | { readonly kind: "wake" };

export const resultFields = ["text", "data"] as const;
export type ResultField = (typeof resultFields)[number];

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
  /** Any text, because the program can choose it. */
  readonly code?: string | undefined;
  readonly hint?: string | undefined;
}
