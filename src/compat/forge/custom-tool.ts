import type { Risk } from "../../contract/access.ts";
import type { AnyTool } from "../../contract/tool.ts";
import { inputOf } from "../../mcp/hub/schema/input-of.ts";
import { repairSchema } from "../../mcp/hub/schema/repair-schema.ts";
import type { ExecutionEnvironment } from "./execution-environment.ts";

/** A tool of one's own, as forge has them: what models are told, and what is done. */
export interface CustomTool {
  readonly definition: {
    readonly name: string;
    readonly description: string;
    /** JSON Schema of an object. */
    readonly parameters: Readonly<Record<string, unknown>>;
  };
  /** The most that a call can do, by which calls are judged; "execute" if not said. */
  readonly risk?: Risk;
  executor(
    args: Readonly<Record<string, unknown>>,
    environment: ExecutionEnvironment,
  ): Promise<string> | string;
}

/** The same as a tool of the room. */
export function asRoomTool(
  { definition, risk = "execute", ...tool }: CustomTool,
  environment: ExecutionEnvironment,
): AnyTool {
  const { name, description, parameters } = definition;
  return {
    name,
    summary: description,
    risk,
    input: inputOf(repairSchema(parameters)),
    limits: { maxChars: 20_000, keep: "both" },
    // What it touches only its author knows: its use is judged by its risk.
    accesses: () => [],
    run: async (input) => {
      const text = await tool.executor(input, environment);
      return { data: text, text };
    },
  };
}
