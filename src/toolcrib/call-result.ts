import type { Outcome } from "../contract/call.ts";
import { type CallFailure, type ToolError, toFailure } from "../contract/error.ts";
import type { ToolImage } from "../contract/tool.ts";
import type { ApprovalRequest } from "../engine/approvals/approval-request.ts";

/** The result of a call, in one shape for programs, models and `--json`. */
export interface CallResult<Data = unknown> {
  /** The text for the model: the output, or the error and its hint. */
  readonly content: string;
  /** Whether the model sees a failure: an `error`, or `failed`. In some dialects a failed command is not an error. */
  readonly isError: boolean;
  /** Why the work failed although the tool ran: "Exit code 1." of a command. Undefined with an `error`. */
  readonly failed?: string | undefined;
  /**
   * The typed output; null when there is an `error`. It is complete, except of commands with a long output, whose data says
   * how much is missing: the whole output is stored as `output`.
   */
  readonly data: Data | null;
  /** Why the call could not be made or finished; null when the tool ran to its end. */
  readonly error: CallError | null;
  readonly callId: string;
  /** True when `content` is shorter than the whole output, which is stored as `output`. */
  readonly truncated: boolean;
  /** The handle of the stored output when `content` was cut. */
  readonly output: string | null;
  readonly images: readonly ToolImage[];
}

/** The error of a call. */
export interface CallError extends CallFailure {
  /** The request that the user has to approve, with the code `needs-approval`: plain data, which a server can send on. */
  readonly approval?: ApprovalRequest | undefined;
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
  const { kept } = outcome.error;
  const error = toCallError(outcome.error);
  const { message, hint, output } = error;
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

function toCallError(error: ToolError): CallError {
  const failure: { approval?: ApprovalRequest } & CallFailure = toFailure(error);
  const { details } = error;
  if (details?.kind === "approval-needed") failure.approval = details.request as ApprovalRequest;
  return failure;
}

/** Returns the error without the request, for those who are asked in another way. */
export function withoutApproval(error: CallError | null): CallFailure | null {
  if (error?.approval === undefined) return error;
  const { approval: _, ...others } = Object.getOwnPropertyDescriptors(error);
  return Object.defineProperties({}, others) as CallFailure;
}
