import type { Command } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { layTable, print } from "../terminal.ts";

/** `toolcrib paths` */
export const pathsCommand: Command = {
  name: "paths",
  summary: "Show where Toolcrib keeps its files",
  usage: ["paths [--workspace DIR] [--json]"],
  notes: [
    "Set TOOLCRIB_HOME to keep them elsewhere; XDG_STATE_HOME, _CONFIG_HOME and _CACHE_HOME count, too.",
  ],
  options: [workspaceOption, jsonOption],
  examples: [
    { command: "toolcrib paths", shows: "of this folder" },
    { command: "toolcrib paths -C ~/project --json", shows: "of another, for a program" },
  ],
  async run({ options, operands }) {
    refuseOperands(operands, pathsCommand);
    const { realWorkspace, userDirectories, workspaceFiles } = await import("../../system/directories.ts");
    const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
    const { state, config, cache } = userDirectories();
    const paths = { workspace, state, config, cache, ...workspaceFiles(state, workspace) };
    if (options.has("json")) printJson(paths);
    else print(layTable(Object.entries(paths)));
    return 0;
  },
};
