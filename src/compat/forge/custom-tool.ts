import type { Risk } from "../../contract/access.ts";
import type { AnyTool } from "../../contract/tool.ts";
import { describedTool } from "../described-tool.ts";
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
export function asRoomTool(tool: CustomTool, environment: ExecutionEnvironment): AnyTool {
  const { definition, risk = "execute" } = tool;
  return describedTool({
    ...definition,
    risk,
    maxChars: 20_000,
    run: (args) => tool.executor(args, environment),
  });
}
