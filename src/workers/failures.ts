import { ToolError } from "../contract/error.ts";

export function closed(): ToolError {
  return new ToolError("unavailable", "This tool room is closed", { hint: "Open a new one." });
}
