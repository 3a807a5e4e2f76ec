import { ToolError } from "../contract/error.ts";

export function cancelled({ reason }: AbortSignal, about: string): ToolError {
  if (reason instanceof ToolError) return reason;
  return new ToolError("cancelled", `The call was cancelled while ${about} was read`);
}

export function closed(): ToolError {
  return new ToolError("unavailable", "This tool room is closed", { hint: "Open a new one." });
}
