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

/** The one error of the house. `message` says what is wrong, `hint` names the way out. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    // An error that tells what to do next is an answer: to trace it would cost more than most calls that it ends.
    // Where Error is frozen it is traced all the same.
    const { stackTraceLimit } = Error;
    if (code !== "internal") Reflect.set(Error, "stackTraceLimit", 0);
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Reflect.set(Error, "stackTraceLimit", stackTraceLimit);
    this.code = code;
    this.hint = options.hint;
  }
}
