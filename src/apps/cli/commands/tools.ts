import { findDialect } from "../../../dialects/dialects.ts";
import type { OfferedTool } from "../../../toolcrib.ts";
import type { Command } from "../command.ts";
import { dialectOption, jsonOption, workspaceOption } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { layTable } from "../table.ts";
import { print } from "../terminal.ts";

/** `toolcrib tools` */
export const toolsCommand: Command = {
  name: "tools",
  summary: "List the tools with their risk",
  usage: ["tools [--dialect NAME] [--workspace DIR] [--json]"],
  options: [
    dialectOption,
    workspaceOption,
    { ...jsonOption, summary: "print the definitions for a model, with JSON Schemas" },
  ],
  examples: [
    { command: "toolcrib tools", shows: "names, risks, one line each" },
    { command: "toolcrib tools --json | jq '.[].name'", shows: "the names a model is given" },
    { command: "toolcrib call search.grep --help", shows: "what one tool takes" },
  ],
  async run({ options, operands }) {
    refuseOperands(operands, toolsCommand);
    const { realWorkspace } = await import("../../../environment/directories.ts");
    realWorkspace(options.get("workspace") ?? process.cwd());
    const dialect = options.get("dialect");
    if (options.has("json")) {
      const { defineTools } = await import("../../../dialects/definition.ts");
      printJson(defineTools(await loadTools(dialect)));
    } else print(await describeTools(dialect));
    return 0;
  },
};

/** Names, risks and one line for each tool of a dialect; without a dialect by the names that people type. */
export async function describeTools(dialect: string | undefined): Promise<string> {
  const tools = await loadTools(dialect);
  const nameOf = ({ name, canonical = name }: OfferedTool) => (dialect === undefined ? canonical : name);
  return layTable(tools.map((tool) => [nameOf(tool), tool.risk, firstSentence(tool.summary)]));
}

async function loadTools(dialect = "toolcrib"): Promise<readonly OfferedTool[]> {
  const { tools } = await findDialect(dialect);
  return Promise.all(tools.map((tool) => tool.load()));
}

function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0].replace(/\s+/g, " ") ?? text;
}
