/** The entry for loops of `agent_loop`: its classes, its default tools, and an instance that runs them. */
import { openToolcrib, type ToolcribOptions } from "../toolcrib/index.ts";
import { getDefaultTools, type LoopTool, toTool } from "./agent-loop/tools.ts";

export { BaseTool, getDefaultTools, type LoopTool, MetadataOnlyTool } from "./agent-loop/tools.ts";

export interface ToolLoopOptions extends Omit<ToolcribOptions, "dialect" | "tools" | "onlyTools"> {
  /** A later tool replaces an earlier one of the same name. Default, without `set`: `getDefaultTools()`. */
  readonly tools?: readonly LoopTool[] | undefined;
  /** `v2`: calculate, get_current_time. `v3`: read, write, edit, grep, find, ls. */
  readonly set?: "v2" | "v3" | undefined;
}

/** The tools that a loop offers to its model, and runs. Close it when done. */
export interface ToolLoop extends AsyncDisposable {
  /** Returns the definitions in OpenAI's format. */
  definitions(): Promise<readonly FunctionTool[]>;
  /** Returns the text of the tool message. Never rejects: a failure is `Tool execution error: …`. */
  execute(name: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  close(): Promise<void>;
}

export interface FunctionTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

export async function openToolLoop(options: ToolLoopOptions = {}): Promise<ToolLoop> {
  const { tools = options.set === undefined ? getDefaultTools() : [], set, ...others } = options;
  const own = [...new Map(tools.map((tool) => [tool.name, toTool(tool)])).values()];
  const crib = await openToolcrib({
    ...others,
    dialect: "agent-loop",
    tools: own,
    onlyTools: [...(set === undefined ? [] : [set]), ...own.map(({ name }) => name)],
  });
  const close = () => crib.close();
  return {
    definitions: async () =>
      (await crib.definitions()).map(({ name, description, inputSchema }) => ({
        type: "function",
        function: { name, description, parameters: inputSchema },
      })),
    execute: async (name, args) => (await crib.call(name, args, { onlyOffered: true })).content,
    close,
    [Symbol.asyncDispose]: close,
  };
}
