import type { OutputKept } from "./output.ts";
import type { SeenPart } from "./tool.ts";

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
 * Facts by which code distinguishes errors, so that it never matches on the message. They are not shown to models or
 * users, not recorded, and not part of `--json` output.
 */
export type ErrorDetails =
  /** The user has to answer first. The result of the call has the request as `approval`. */
  | { readonly kind: "approval-needed"; readonly request: { readonly id: string } }
  /** The client asks the user, and makes the call again with the answer. */
  | { readonly kind: "asked-by-client" }
  /** The arguments do not match the tool's schema: the message is the tool's name, a colon and the faults. */
  | { readonly kind: "bad-arguments" }
  /** The call, or what it would change, is no longer what the user was asked about. */
  | { readonly kind: "changed-while-asked" }
  /** A command was ended at its `timeout_ms`, which may be raised. */
  | {
      readonly kind: "command-timeout";
      readonly timeoutMs: number;
      readonly stdout: string;
      readonly stderr: string;
    }
  /** The credentials in the settings of an MCP server give no access to it. */
  | { readonly kind: "credentials-refused" }
  /** The database of a fleet cannot be reached. The same call may succeed later. */
  | { readonly kind: "database-unavailable" }
  /** A document needs more than may be spent on reading it. */
  | { readonly kind: "document-limit"; readonly reason: string }
  /** The file in which an edit failed. */
  | { readonly kind: "in-file"; readonly path: string }
  /** A path names a directory where a file is needed. */
  | { readonly kind: "is-directory" }
  /** The user has to log in to an MCP server with this command. */
  | { readonly kind: "login-needed"; readonly command: string }
  /** A program is not installed. */
  | { readonly kind: "missing-program" }
  /** No model is configured. */
  | { readonly kind: "no-model" }
  /** No git repository contains the folder. */
  | { readonly kind: "no-repository" }
  /** The call reads a directory as a file; the hint names file.list. */
  | { readonly kind: "read-directory" }
  /** A command did not run, because the workspace changed while its sandbox was set up. */
  | { readonly kind: "sandbox-not-set-up" }
  /** The message shows these lines of a file, so the caller has seen them. */
  | { readonly kind: "shows-lines"; readonly path: string; readonly parts: readonly SeenPart[] }
  /** The workspace has more entries than are compared around a command. */
  | { readonly kind: "too-many-entries" }
  /** A session ended without an answer to a command, which it may have accepted. */
  | { readonly kind: "unanswered-command" }
  | { readonly kind: "unknown-process" }
  | { readonly kind: "unknown-tool"; readonly name: string };

/** The error of every tool: `message` says what is wrong, `hint` how to recover. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  /** The output of a command before it failed. */
  readonly output: string | undefined;
  /** Where the whole output is, when `output` is only a part of it. */
  readonly kept: OutputKept | undefined;
  /** For code, not for readers: not enumerable, so that no printed or serialized error contains it. */
  declare readonly details: ErrorDetails | undefined;
  /** The texts for the terminal; not enumerable either. */
  declare readonly forUser: TextForUser | undefined;

  constructor(code: ErrorCode, message: string, options: ToolErrorOptions = {}) {
    // Capturing a stack costs more than most failing calls, and only internal errors need one. Reflect.set, because
    // Error may be frozen; then every error has its stack.
    const { stackTraceLimit } = Error;
    if (code !== "internal") Reflect.set(Error, "stackTraceLimit", 0);
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Reflect.set(Error, "stackTraceLimit", stackTraceLimit);
    this.code = code;
    this.hint = options.hint;
    this.output = options.output;
    this.kept = options.kept;
    Object.defineProperty(this, "details", { value: options.details });
    Object.defineProperty(this, "forUser", { value: options.forUser });
  }
}

/** The texts that the terminal shows instead of those for the model. With a null hint, it shows none. */
export interface TextForUser {
  readonly message?: string | undefined;
  readonly hint?: string | null | undefined;
}

export interface ToolErrorOptions {
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  readonly output?: string | undefined;
  readonly kept?: OutputKept | undefined;
  readonly details?: ErrorDetails | undefined;
  readonly forUser?: TextForUser | undefined;
}

/** An error as plain data: in results, events, sessions and the answers to MCP clients. */
export interface CallFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | null;
  /** The output of a command before it failed. */
  readonly output?: string | undefined;
  /** For code that has to tell failures apart. Not enumerable, so that neither `--json` nor a copy contains it. */
  readonly details?: ErrorDetails | undefined;
  /** The message and hint that a terminal shows instead. Not enumerable either. */
  readonly forUser?: TextForUser | undefined;
}

export function toFailure({ code, message, hint, output, details, forUser }: ToolError): CallFailure {
  const failure: CallFailure = { code, message, hint: hint ?? null, output };
  if (details !== undefined) Object.defineProperty(failure, "details", { value: details });
  if (forUser !== undefined) Object.defineProperty(failure, "forUser", { value: forUser });
  return failure;
}

/** Returns a copy of the error with some parts replaced. */
export function errorWith(
  error: ToolError,
  { message = error.message, ...others }: ToolErrorOptions & { readonly message?: string },
): ToolError {
  const { code, hint, output, kept, details, forUser } = error;
  return new ToolError(code, message, { hint, output, kept, details, forUser, cause: error, ...others });
}

/** Returns the message and the hint for a user at a terminal. */
export function textForUser(
  error: TextForUser & { readonly message: string; readonly forUser?: TextForUser | undefined },
): { readonly message: string; readonly hint: string | null } {
  const { message = error.message, hint = error.hint ?? null } = error.forUser ?? {};
  return { message, hint };
}
