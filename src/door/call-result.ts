import type { Outcome } from "../contract/call.ts";
import type { ErrorCode } from "../contract/error.ts";
import type { Image } from "../contract/tool.ts";

/** How a call ended, in one shape for programs, models and `--json`. */
export interface CallResult {
  /** Words for the model: the answer, or what went wrong and the way out. */
  readonly content: string;
  readonly isError: boolean;
  /** The answer, typed and whole; null after an error. */
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
}

export function toResult(callId: string, outcome: Outcome): CallResult {
  if (outcome.ok) {
    const { text, data, images, truncated } = outcome;
    return {
      content: text,
      isError: false,
      data,
      error: null,
      callId,
      truncated: truncated !== undefined,
      output: truncated?.handle ?? null,
      images,
    };
  }
  const { code, message, hint = null, output, kept } = outcome.error;
  return {
    content: [message, hint, output].filter((part) => part != null && part !== "").join("\n"),
    isError: true,
    data: null,
    error: { code, message, hint, ...(output === undefined ? {} : { output }) },
    callId,
    truncated: kept !== undefined,
    output: kept?.handle ?? null,
    images: [],
  };
}
