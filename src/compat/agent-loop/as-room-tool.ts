import { ToolError } from "../../contract/error.ts";
import type { AnyTool } from "../../contract/tool.ts";
import { inputOf } from "../../mcp/hub/schema/input-of.ts";
import { repairSchema } from "../../mcp/hub/schema/repair-schema.ts";
import type { LoopTool } from "./tools.ts";

/** A loop's tool as a tool of the room: judged, recorded and limited like all others. */
export function asRoomTool(tool: LoopTool): AnyTool {
  const { name, description, parameters, handler, risk = "execute" } = tool;
  return {
    name,
    summary: description,
    // Who only says that there is no handler does no harm.
    risk: handler === undefined ? "read" : risk,
    input: inputOf(repairSchema(parameters)),
    limits: { maxChars: 50_000, keep: "both" },
    // What it touches only its author knows: its use is judged by its risk.
    accesses: () => [],
    run: async (input) => {
      if (handler === undefined) throw onlyDescribed(name);
      const given = await handle(() => handler.call(tool, input as Record<string, unknown>));
      return { data: given, text: inWords(given) };
    },
  };
}

async function handle(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError("internal", error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function inWords(given: unknown): string {
  return typeof given === "string" ? given : (JSON.stringify(given) ?? "");
}

function onlyDescribed(name: string): ToolError {
  return new ToolError("unsupported", `${name} is only described here: it has no handler`, {
    hint: "Use another tool, or let whoever listed it carry out its calls.",
  });
}
