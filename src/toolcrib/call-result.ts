import type { Outcome } from "../contract/call.ts";
import type { ErrorCode, ErrorDetails } from "../contract/error.ts";
import type { Image } from "../contract/tool.ts";

/** How a call ended, in one shape for programs, models and `--json`. */
export interface CallResult {
  /** Words for the model: the answer, or what went wrong and the way out. */
  readonly content: string;
  /** Also true, with `error` null, where the tool did its work and tells of a failure: a command that failed. */
  readonly isError: boolean;
  /** The answer, typed and whole; null where `error` is not. */
  readonly data: unknown;
  readonly error: CallFailure | null;
  readonly callId: string;
  /** True when `content` is shorter than the output, which is kept whole as `output`. */
  readonly truncated: boolean;
  /** Handle of the whole output when `content` was cut. */
  readonly output: string | null;
  readonly images: readonly Image[];
}

export interface CallFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | null;
  /** What a command had said until then. */
  readonly output?: string;
  /** For code that has to tell failures apart. Not enumerable, so that neither `--json` nor a copy contains it. */
  readonly details?: ErrorDetails | undefined;
}

export function toResult(callId: string, outcome: Outcome, { failure }: Words = {}): CallResult {
  if (outcome.ok) {
    const { text, data, images, truncated } = outcome;
    return {
      content: text,
      isError: outcome.isError ?? false,
      data,
      error: null,
      callId,
      truncated: truncated !== undefined,
      output: truncated?.handle ?? null,
      images,
    };
  }
  const { code, message, hint = null, output, kept, details } = outcome.error;
  const error: CallFailure = { code, message, hint, ...(output === undefined ? {} : { output }) };
  if (details !== undefined) Object.defineProperty(error, "details", { value: details });
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

/** How failures are told. */
interface Words {
  readonly failure?: (error: CallFailure) => string;
}
