import type { Dialect, OfferedTool, ToolcribOptions } from "../../toolcrib/index.ts";
import type { Command } from "../command.ts";
import {
  dialectHere,
  dialectOption,
  readOnlyOption,
  toolSelection,
  toolsOption,
  workspaceOption,
} from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { layTable, print } from "../terminal.ts";

export const toolsCommand: Command = {
  name: "tools",
  summary: "List the tools with their risk",
  usage: [["tools [--dialect NAME] [--only-tools LIST] [--read-only] [--json]"]],
  notes: [
    "A model gets the tools marked `listed` and finds the others with tools.find. With --only-tools it gets exactly those.",
  ],
  options: [
    { name: "json", summary: "print the definitions with their JSON Schemas" },
    dialectOption,
    toolsOption,
    readOnlyOption,
    workspaceOption,
  ],
  examples: [
    ["toolcrib tools", "names, risks and summaries"],
    ["toolcrib tools --json | jq '.[] | select(.listed).name'", "the names a model gets"],
    ["toolcrib tools --read-only --only-tools 'file.*,search.*'", "try a selection"],
    ["toolcrib call search.grep --help", "show a tool's arguments"],
  ],
  async run({ options, operands }) {
    refuseOperands(operands, toolsCommand);
    const { realWorkspace } = await import("../../system/directories.ts");
    realWorkspace(options.get("workspace") ?? process.cwd());
    const dialect = options.get("dialect");
    const narrowing = toolSelection(options);
    if (options.has("json")) {
      const { defineTools } = await import("../../dialects/definition.ts");
      const spoken = await dialectHere(dialect);
      const definitions = defineTools(await loadTools(spoken, narrowing));
      const isListed = listedIn(spoken, narrowing);
      printJson(definitions.map((definition) => ({ ...definition, listed: isListed(definition) })));
    } else print(await describeTools(dialect, narrowing));
    return 0;
  },
};

/** Lists the tools of a dialect with name, risk and one sentence; without a dialect, by the names that users type. */
export async function describeTools(name: string | undefined, narrowing: Narrowing = {}): Promise<string> {
  const dialect = await dialectHere(name);
  const tools = await loadTools(dialect, narrowing);
  const marks = dialect.listed !== undefined && narrowing.onlyTools === undefined;
  const isListed = listedIn(dialect, narrowing);
  // In a dialect, descriptions name other tools as the dialect does.
  const isOwn = name === undefined || name === "toolcrib";
  const defined = isOwn ? [] : (await import("../../dialects/definition.ts")).defineTools(tools);
  const { nameForUser } = await import("../../dialects/find-tool.ts");
  return layTable(
    tools.map((tool, index) => [
      // `toolcrib call --dialect` takes the arguments of the dialect only with the name of the dialect.
      isOwn ? nameForUser({ name: tool.name, canonical: tool.canonical ?? tool.name }) : tool.name,
      tool.risk,
      ...(marks ? [isListed(tool) ? "listed" : ""] : []),
      firstSentence(defined[index]?.description ?? tool.description),
    ]),
  );
}

/** Returns whether a model gets a tool at the start. It gets all tools that --only-tools names. */
function listedIn(
  { listed }: Dialect,
  { onlyTools }: Narrowing,
): (tool: Pick<OfferedTool, "name" | "canonical">) => boolean {
  if (listed === undefined || onlyTools !== undefined) return () => true;
  return ({ name, canonical = name }) => listed.includes(canonical) || listed.includes(name);
}

type Narrowing = Pick<ToolcribOptions, "onlyTools" | "readOnly">;

async function loadTools(
  dialect: Dialect,
  { onlyTools, readOnly }: Narrowing,
): Promise<readonly OfferedTool[]> {
  const [{ selectTools }, { isForReaders }] = await Promise.all([
    import("../../dialects/find-tool.ts"),
    import("../../dialects/effects.ts"),
  ]);
  const chosen = onlyTools ? selectTools(dialect.tools, onlyTools, dialect) : dialect.tools;
  const tools = await Promise.all(chosen.map((tool) => tool.load()));
  return tools.filter((tool) => !readOnly || isForReaders(tool));
}

function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0].replace(/\s+/g, " ") ?? text;
}
