import type { ToolRisk } from "../contract/access.ts";
import { ToolError } from "../contract/error.ts";
import type { AnyTool } from "../contract/tool.ts";
import { inputOf } from "../mcp/hub/schema/input-of.ts";
import { repairSchema } from "../mcp/hub/schema/repair-schema.ts";

/** A tool that the embedding program describes. */
export interface DescribedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly risk: ToolRisk;
  /** Maximum number of characters of an answer that are shown. */
  readonly maxChars: number;
  run(args: Readonly<Record<string, unknown>>): unknown;
}

/** Converts a described tool to one that is checked, logged and limited like all others. */
export function describedTool(tool: DescribedTool): AnyTool {
  const { name, description, parameters, risk, maxChars, run } = tool;
  return {
    name,
    description,
    risk,
    input: inputOf(repairSchema(parameters)),
    limits: { maxChars, keep: "both" },
    // Only its author knows what it touches, so the policy decides by its risk.
    accesses: () => [],
    run: async (input) => {
      try {
        const data = await run(input as Record<string, unknown>);
        return { data, text: typeof data === "string" ? data : (JSON.stringify(data) ?? "") };
      } catch (cause) {
        // An error of the program is reported with its own message, not as an unexpected failure.
        if (cause instanceof ToolError) throw cause;
        throw new ToolError("internal", cause instanceof Error ? cause.message : String(cause), { cause });
      }
    },
  };
}
