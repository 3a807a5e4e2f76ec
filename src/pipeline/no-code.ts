import type { Code } from "../contract/code.ts";
import { ToolError } from "../contract/error.ts";

/** Where nobody reads code. */
export const noCode: Code = { outline: refuse, occurrences: refuse, index: refuse };

async function refuse(): Promise<never> {
  throw new ToolError("unavailable", "Code cannot be read here", {
    hint: "Open the tools with openToolcrib.",
  });
}
