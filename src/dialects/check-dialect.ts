import { ToolError } from "../contract/error.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { unknownName } from "../lib/unknown-name.ts";
import type { Dialect, DialectTool } from "./dialect.ts";

/** Refuses mistakes in a dialect of a program, before a model sees it. Loads its tools, whose fields are checked then. */
export async function checkDialect(dialect: Dialect): Promise<Dialect> {
  if (!isRecord(dialect))
    throw mistake("The dialect is not an object", 'Write: { name: "mine", tools: [renameTool(…)] }');
  const { name, tools, aliases = [] } = dialect as Partial<Dialect>;
  if (typeof name !== "string" || name === "") throw mistake("The dialect has no name", 'Add: name: "mine"');
  const owner = `The dialect ${name}`;
  if (!Array.isArray(tools)) throw mistake(`${owner} has no tools`, "Add: tools: [renameTool(…)]");
  const unknown = unknownName(dialect, dialectKeys, { owner, kind: "key" });
  if (unknown) throw unknown;
  const names = new Set<string>();
  for (const [index, tool] of [...tools, ...aliases].entries()) {
    if (!isDialectTool(tool))
      throw mistake(
        `Tool ${index} of the dialect ${name} is not a tool of a dialect`,
        "Make it with renameTool or reshapeTool.",
      );
    const same = dialect.ignoresCase ? tool.name.toLowerCase() : tool.name;
    if (names.has(same))
      throw mistake(`${owner} has two tools with the name ${tool.name}`, "Rename one of them.");
    names.add(same);
  }
  await Promise.all([...tools, ...aliases].map((tool) => tool.load()));
  return dialect;
}

const dialectKeys = Object.keys({
  name: true,
  tools: true,
  listed: true,
  aliases: true,
  sets: true,
  ignoresCase: true,
  allowsFewVariables: true,
  asksBeforeCommands: true,
  extraRoots: true,
  failure: true,
} satisfies Readonly<Record<keyof Dialect, true>>);

function isDialectTool(tool: unknown): tool is DialectTool {
  return isRecord(tool) && typeof tool.name === "string" && typeof tool.load === "function";
}

function mistake(message: string, hint: string): ToolError {
  return new ToolError("invalid-input", message, { hint });
}
