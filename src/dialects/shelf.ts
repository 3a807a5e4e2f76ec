import type { ToolError } from "../contract/error.ts";
import type { AnyTool } from "../contract/tool.ts";
import type { Dialect, DialectTool } from "./dialect.ts";
import { findTool } from "./find-tool.ts";

/** The tools on offer: a dialect's and own ones, loaded when first wanted. */
export class Shelf {
  readonly #tools = new Map<string, DialectTool>();

  /** An own tool replaces one of the same name. */
  constructor(dialect: Dialect, ownTools: readonly AnyTool[]) {
    for (const tool of [...dialect.tools, ...ownTools.map(offer)]) this.#tools.set(tool.name, loadOnce(tool));
  }

  async all(): Promise<readonly AnyTool[]> {
    return Promise.all([...this.#tools.values()].map((tool) => tool.load()));
  }

  /**
   * By its name in the dialect or its canonical name; it answers to the one it was called by. For a name nobody has, a
   * tool that says so when it is called.
   */
  async find(name: string): Promise<AnyTool> {
    try {
      const tool = await (this.#tools.get(name) ?? findTool([...this.#tools.values()], name)).load();
      return tool.name === name ? tool : { ...tool, name };
    } catch (error) {
      return absentTool(name, error as ToolError);
    }
  }
}

/** Providers refuse dots, so an own tool is offered without them, as the default dialect's are. */
function offer(tool: AnyTool): DialectTool {
  const name = tool.name.replaceAll(".", "_");
  const canonical = tool.canonical ?? tool.name;
  return { name, canonical, load: async () => ({ ...tool, name, canonical }) };
}

function loadOnce(tool: DialectTool): DialectTool {
  let loaded: Promise<AnyTool> | undefined;
  return { ...tool, load: () => (loaded ??= tool.load()) };
}

/** Stands in at the counter, so that also a call of nothing is announced and recorded. */
async function absentTool(name: string, error: ToolError): Promise<AnyTool> {
  const { unknown } = await import("zod/mini");
  const refuse = () => {
    throw error;
  };
  const limits = { maxChars: 1_000, keep: "head" } as const;
  return { name, summary: "", risk: "read", input: unknown(), limits, accesses: refuse, run: refuse };
}
