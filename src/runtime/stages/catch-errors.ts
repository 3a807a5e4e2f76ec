import { ToolError } from "../../contract/error.ts";
import type { Stage } from "../stage.ts";

/** Turns what is thrown below into an outcome. Anything but a ToolError is a fault of ours and says so. */
export const catchErrors: Stage = async (call, next) => {
  try {
    return await next(call);
  } catch (thrown) {
    return { ok: false, error: thrown instanceof ToolError ? thrown : internalError(thrown) };
  }
};

function internalError(cause: unknown): ToolError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ToolError("internal", `The tool failed unexpectedly: ${reason}`, {
    hint: "This is a fault in the tool, not in the call; try another way and report it.",
    cause,
  });
}
