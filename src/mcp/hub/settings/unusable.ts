import { ToolError } from "../../../contract/error.ts";

/** The error of settings that cannot be used, with a reason to put after the server's name. */
export function unusable(why: string): ToolError {
  return new ToolError("invalid-input", why);
}
