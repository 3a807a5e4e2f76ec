import type { Risk } from "../contract/access.ts";
import { ToolError } from "../contract/error.ts";
import type { AnyTool } from "../contract/tool.ts";
import { inputOf } from "../mcp/hub/schema/input-of.ts";
import { repairSchema } from "../mcp/hub/schema/repair-schema.ts";

/** A tool as programs describe one of their own. */
export interface DescribedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The most that a call can do. */
  readonly risk: Risk;
  /** Characters that are shown of an answer. */
  readonly maxChars: number;
  run(args: Readonly<Record<string, unknown>>): unknown;
}

/** The same as a tool of the room: judged, recorded and limited like all others. */
export function describedTool({
  name,
  description,
  parameters,
  risk,
  maxChars,
  run,
}: DescribedTool): AnyTool {
  return {
    name,
    summary: description,
    risk,
    input: inputOf(repairSchema(parameters)),
    limits: { maxChars, keep: "both" },
    // What it touches only its author knows: its use is judged by its risk.
    accesses: () => [],
    run: async (input) => {
      const data = await told(() => run(input as Record<string, unknown>));
      return { data, text: typeof data === "string" ? data : (JSON.stringify(data) ?? "") };
    },
  };
}

/** What a program throws is what it has to say of a failure, no fault of ours. */
async function told(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError("internal", error instanceof Error ? error.message : String(error), { cause: error });
  }
}
