import { dialectNames, findDialect } from "../dialects/dialects.ts";
import { modes } from "../policy/policy.ts";
import type { Dialect, ToolcribOptions } from "../toolcrib/index.ts";
import { sandboxesWanted } from "../toolcrib/options.ts";
import type { Command, Option } from "./command.ts";

/** Options that several commands share. */
export const workspaceOption: Option = {
  name: "workspace",
  short: "C",
  value: "DIR",
  summary: "the folder to work in, never left; the current one if not given",
};

export const jsonOption: Option = { name: "json", summary: "print JSON" };

export const dialectOption: Option = {
  name: "dialect",
  value: "NAME",
  choices: dialectNames,
  summary: "names and arguments as this family of models knows them; toolcrib if not given",
};

export const modeOption: Option = {
  name: "mode",
  value: "MODE",
  choices: modes,
  summary: "what passes unasked: safe reads, cautious also writes (the default), paranoid nothing, yolo all",
};

export const ruleOption: Option = {
  name: "rule",
  value: "RULE",
  repeats: true,
  summary: "a rule above those of all files, for example 'allow run npm test'; may be repeated",
};

export const rulesOption: Option = {
  name: "rules",
  value: "FILE",
  repeats: true,
  summary: "a file of such rules; may be repeated",
};

export const sandboxOption: Option = {
  name: "sandbox",
  value: "LEVEL",
  choices: sandboxesWanted,
  summary: "what commands run in: auto takes the best there is (the default), else just this, or they fail",
};

export const toolsOption: Option = {
  name: "tools",
  value: "LIST",
  repeats: true,
  summary: "no tools but these, by name, pattern or set, with commas between: 'file.*,search.grep', or all",
};

export const readOnlyOption: Option = { name: "read-only", summary: "no tool that may change anything" };

/** The tools that a command line leaves. */
export function narrowingGiven(
  options: ReadonlyMap<string, string>,
): Pick<ToolcribOptions, "allowedTools" | "readOnly"> {
  const allowedTools = options
    .get("tools")
    ?.split(/[,\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return {
    ...(allowedTools && { allowedTools }),
    ...(options.has("read-only") && { readOnly: true }),
  };
}

/** The rules that a command line adds. */
export function rulesGiven(options: ReadonlyMap<string, string>): {
  readonly rules: readonly string[];
  readonly ruleFiles: readonly string[];
} {
  const lines = (name: string) => options.get(name)?.split("\n") ?? [];
  return { rules: lines("rule"), ruleFiles: lines("rules") };
}

const helpOption: Option = { name: "help", short: "h", summary: "explain this command" };

/** Every command explains itself. */
export function optionsOf(command: Pick<Command, "options">): readonly Option[] {
  return [...command.options, helpOption];
}

/** A dialect as rooms of the command line have it: nobody here starts agents. */
export async function dialectHere(name = "toolcrib"): Promise<Dialect> {
  const dialect = await findDialect(name);
  return { ...dialect, tools: dialect.tools.filter(({ needs }) => needs === undefined) };
}
