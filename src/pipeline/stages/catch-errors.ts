import { reworded, ToolError } from "../../contract/error.ts";
import { redactText } from "../../policy/redaction/redact.ts";
import type { Stage } from "../stage.ts";

/**
 * Turns errors of the stages below into outcomes, with secrets redacted. Anything but a ToolError is a bug and is reported as
 * `internal`.
 */
export const catchErrors: Stage = async (call, next) => {
  try {
    return await next(call);
  } catch (thrown) {
    const error = redacted(thrown instanceof ToolError ? thrown : internalError(thrown));
    const { wording } = call.tool;
    if (wording === undefined || error.hint === undefined) return { ok: false, error };
    return { ok: false, error: reworded(error, { hint: wording(error.hint) }) };
  }
};

function redacted(error: ToolError): ToolError {
  const message = redactText(error.message);
  const hint = error.hint === undefined ? undefined : redactText(error.hint);
  const output = error.output === undefined ? undefined : redactText(error.output);
  if (message === error.message && hint === error.hint && output === error.output) return error;
  return reworded(error, { message, hint, output });
}

function internalError(cause: unknown): ToolError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ToolError("internal", `The tool failed unexpectedly: ${reason}`, {
    hint: "This is a fault in the tool, not in the call; try another way and report it.",
    cause,
  });
}
