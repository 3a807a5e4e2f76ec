import type { Outcome } from "../contract/call.ts";
import type { ErrorCode, ErrorDetails, TextForUser } from "../contract/error.ts";
import type { ToolImage } from "../contract/tool.ts";

/** The result of a call, in one shape for programs, models and `--json`. */
export interface CallResult<Data = unknown> {
  /** The text for the model: the output, or the error and its hint. */
  readonly content: string;
  /**
   * True when the call failed, and, with `error` null, when the tool worked and reports a failure (a failed command).
   */
  readonly isError: boolean;
  /** The failure of the command that the tool ran: "Exit code 1". */
  readonly failed?: string | undefined;
  /** The typed, complete output; null when there is an `error`. */
  readonly data: Data | null;
  readonly error: CallFailure | null;
  readonly callId: string;
  /** True when `content` is shorter than the whole output, which is stored as `output`. */
  readonly truncated: boolean;
  /** The handle of the stored output when `content` was cut. */
  readonly output: string | null;
  readonly images: readonly ToolImage[];
}

export interface CallFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | null;
  /** The output of a command before it failed. */
  readonly output?: string;
  /** For code that has to tell failures apart. Not enumerable, so that neither `--json` nor a copy contains it. */
  readonly details?: ErrorDetails | undefined;
  /** The message and hint that a terminal shows instead. Not enumerable either. */
  readonly forUser?: TextForUser | undefined;
}

export function toResult(
  callId: string,
  outcome: Outcome,
  { failure }: { readonly failure?: (error: CallFailure) => string } = {},
): CallResult {
  if (outcome.ok) {
    const { text, data, images, truncated, failed } = outcome;
    return {
      content: text,
      isError: outcome.isError ?? false,
      failed,
      data,
      error: null,
      callId,
      truncated: truncated !== undefined,
      output: truncated?.handle ?? null,
      images,
    };
  }
  const { code, message, hint = null, output, kept, details, forUser } = outcome.error;
  const error: CallFailure = { code, message, hint, output };
  if (details !== undefined) Object.defineProperty(error, "details", { value: details });
  if (forUser !== undefined) Object.defineProperty(error, "forUser", { value: forUser });
  return {
    content: failure?.(error) ?? [message, hint, output].filter((part) => part).join("\n"),
    isError: true,
    data: null,
    error,
    callId,
    truncated: kept !== undefined,
    output: kept?.handle ?? null,
    images: [],
  };
}
