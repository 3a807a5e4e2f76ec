import type { AnyTool } from "../../../toolcrib.ts";
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
    const { findDialect } = await import("../../../dialects/dialects.ts");
    const { tools } = findDialect(options.get("dialect") ?? "toolcrib");
    const loaded = await Promise.all(tools.map((tool) => tool.load()));
    if (options.has("json")) {
      const { defineTool } = await import("../../../dialects/definition.ts");
      printJson(loaded.map(defineTool));
    } else print(layTable(loaded.map((tool) => toRow(tool, options.has("dialect")))));
    return 0;
  },
};

/** Without a dialect the canonical names are shown: those that people type. */
function toRow(tool: AnyTool, inDialect: boolean): readonly string[] {
  const name = inDialect ? tool.name : (tool.canonical ?? tool.name);
  return [name, tool.risk, firstSentence(tool.summary)];
}

export function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0].replace(/\s+/g, " ") ?? text;
}
