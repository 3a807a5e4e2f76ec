import type { OutputKept } from "./output.ts";

/** Every way a call can fail, named by what to do next. A closed list: callers may switch over it. */
export const errorCodes = [
  "invalid-input",
  "not-found",
  "already-exists",
  "no-match",
  "ambiguous-match",
  "stale",
  "denied",
  "needs-approval",
  "outside-workspace",
  "too-large",
  "timeout",
  "cancelled",
  "unsupported",
  "unavailable",
  "internal",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/**
 * The one error of the house. `message` says what is wrong, `hint` names the way out, `output` is what a command said
 * until then.
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly output: string | undefined;
  /** Where the whole output is, when `output` is only a part of it. */
  readonly kept: OutputKept | undefined;

  constructor(code: ErrorCode, message: string, options: ToolErrorOptions = {}) {
    // An error that tells what to do next is an answer: to trace it would cost more than most calls that it ends.
    // Where Error is frozen it is traced all the same.
    const { stackTraceLimit } = Error;
    if (code !== "internal") Reflect.set(Error, "stackTraceLimit", 0);
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Reflect.set(Error, "stackTraceLimit", stackTraceLimit);
    this.code = code;
    this.hint = options.hint;
    this.output = options.output;
    this.kept = options.kept;
  }
}

export interface ToolErrorOptions {
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  readonly output?: string | undefined;
  readonly kept?: OutputKept | undefined;
}

/** The same error in other words. */
export function reworded(
  error: ToolError,
  { message = error.message, ...others }: ToolErrorOptions & { readonly message?: string },
): ToolError {
  const { code, hint, output, kept } = error;
  return new ToolError(code, message, { hint, output, kept, cause: error, ...others });
}
