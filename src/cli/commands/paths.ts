import { join } from "node:path";
import type { Command } from "../command.ts";
import { jsonOption, targetOption, workspaceIdOf, workspaceOption } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { layTable, print } from "../terminal.ts";

export const pathsCommand: Command = {
  name: "paths",
  summary: "Show where Toolcrib stores its files",
  usage: [["paths [--workspace DIR] [--json]"]],
  notes: ["TOOLCRIB_HOME moves them all. XDG_STATE_HOME, XDG_CONFIG_HOME and XDG_CACHE_HOME are respected."],
  options: [workspaceOption, targetOption, jsonOption],
  examples: [
    ["toolcrib paths", "for this folder"],
    ["toolcrib paths -C ~/project --json", "for another folder"],
  ],
  async run({ options, operands }) {
    refuseOperands(operands, pathsCommand);
    const { userDirectories, workspaceFiles } = await import("../../system/directories.ts");
    const workspace = workspaceIdOf(options);
    const { state, config, cache } = userDirectories();
    const approvals = join(state, "approvals.db");
    const paths = { workspace, state, config, cache, approvals, ...workspaceFiles(state, workspace) };
    if (options.has("json")) printJson(paths);
    else print(layTable(Object.entries(paths)));
    return 0;
  },
};
