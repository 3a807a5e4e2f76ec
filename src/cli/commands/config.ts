import { ToolError } from "../../contract/error.ts";
import { toCommandLine } from "../../lib/text/shell-quote.ts";
import type { Arguments, Command } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";
import { type OptionsByForm, refuseOtherForms, unknownSubcommand } from "../parse-arguments.ts";

const subcommands = ["list", "get", "set", "unset", "edit", "schema", "trust", "untrust"] as const;

export const configCommand: Command = {
  name: "config",
  summary: "Show and change settings",
  usage: [
    ["config [list]", "list every setting, its value and where it comes from"],
    ["config get <key>", "print one value"],
    ["config set <key> <value> [--project]", "write it to config.toml; comments stay"],
    ["config unset <key> [--project]", "remove it from config.toml"],
    ["config edit [--project]", "open config.toml in $VISUAL or $EDITOR, then check it"],
    ["config schema", "print the JSON Schema of config.toml"],
    ["config trust [--yes] | untrust", "trust .toolcrib/config.toml of this folder, or revoke it"],
  ],
  notes: [
    "Precedence: command line, environment variable, .toolcrib/config.toml of the project, your config.toml (see `toolcrib paths`), default. Until you trust it, a project can only choose a stricter mode, a stricter sandbox and lower limits.",
  ],
  options: [
    { name: "project", summary: "set, unset, edit: the file of this folder instead of your own" },
    { name: "yes", summary: "trust: do not ask for confirmation" },
    workspaceOption,
    jsonOption,
  ],
  examples: [
    ["toolcrib config", "what applies here, and why"],
    ["toolcrib config set mode safe", "approve every write"],
    ["toolcrib config set limits.cost 2.50", "stop sessions at 2.50 dollars"],
    ["toolcrib config trust", "review this folder's settings, then trust them"],
  ],
  operand: subcommands,
  async run({ options, operands: [name = "list", ...operands] }) {
    const given: Arguments = { options, operands };
    refuseOtherForms(configCommand, name, options, optionsByForm);
    const config = await import("../config/config.ts");
    const forms: Readonly<Record<string, Command["run"]>> = {
      list: config.listConfig,
      get: config.getConfig,
      set: (each) => config.setConfig(each),
      unset: (each) => config.setConfig(each, { unset: true }),
      edit: config.editConfig,
      schema: config.printSchema,
      trust: config.trustConfig,
      untrust: config.untrustConfig,
    };
    const run = Object.hasOwn(forms, name) ? forms[name] : undefined;
    if (run === undefined)
      throw (await keyAlone(name, operands)) ?? unknownSubcommand("config", name, subcommands);
    return run(given);
  },
};

/** The error of `toolcrib config KEY [VALUE]`, which lacks a subcommand. */
async function keyAlone(name: string, [value]: readonly string[]): Promise<ToolError | undefined> {
  const { choicesOf, findSetting } = await import("../../config/settings.ts");
  const setting = findSetting(name);
  if (setting === undefined) return undefined;
  const { key } = setting;
  const choices = choicesOf(setting);
  const shown = value === undefined ? (choices?.[0] ?? "VALUE") : toCommandLine([value]);
  return new ToolError("invalid-input", `${key} is a setting, not a subcommand`, {
    hint: `To print it: toolcrib config get ${key}. To change it: toolcrib config set ${key} ${shown}`,
  });
}

/** Options of another form would have no effect, so they are refused. */
const optionsByForm: OptionsByForm = {
  list: ["workspace", "json"],
  get: ["workspace", "json"],
  set: ["workspace", "json", "project"],
  unset: ["workspace", "json", "project"],
  edit: ["workspace", "project"],
  schema: [],
  trust: ["workspace", "json", "yes"],
  untrust: ["workspace", "json"],
};
