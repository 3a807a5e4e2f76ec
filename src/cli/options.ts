import { isAbsolute } from "node:path";
import { ToolError } from "../contract/error.ts";
import { dialectNames, findDialect, withoutAgents } from "../dialects/dialects.ts";
import { printableLine } from "../lib/text/printable.ts";
import { type PolicyMode, policyModes } from "../policy/policy.ts";
import { realWorkspace } from "../system/directories.ts";
import { sandboxWanted } from "../toolcrib/check-options.ts";
import { workspaceId } from "../toolcrib/elsewhere.ts";
import type { Dialect, Toolcrib, ToolcribOptions } from "../toolcrib/index.ts";
import { sandboxSettings, type TargetOptions } from "../toolcrib/options.ts";
import type { Command, Option } from "./command.ts";
import { canAsk, remark } from "./terminal.ts";

export const workspaceOption: Option = {
  name: "workspace",
  short: "C",
  value: "DIR",
  isCommon: true,
  summary: "workspace folder (default: current folder)",
};

export const targetOption: Option = {
  name: "target",
  value: "TARGET",
  isCommon: true,
  summary:
    "work on another machine or in a container: ssh:host:/dir, docker:NAME, podman:NAME, … or a name from [targets]",
};

/** The options of commands that work in a workspace. */
export const placeOptions: readonly Option[] = [
  workspaceOption,
  targetOption,
  {
    name: "upload-node",
    value: "FILE",
    isCommon: true,
    summary: "send this Node executable to a target that has none",
  },
];

/** Returns where a command works: in a folder of this machine, or on a target. */
export function placeOf(
  options: ReadonlyMap<string, string>,
): { readonly workspace: string } | { readonly target: TargetOptions } {
  const name = options.get("target");
  // A missing folder fails here, not at the first call.
  if (name === undefined) return { workspace: realWorkspace(options.get("workspace") ?? process.cwd()) };
  if (options.has("workspace"))
    throw new ToolError("invalid-input", "--workspace and --target cannot be combined", {
      hint: "Name the folder on the target: --target ssh:host:/dir",
    });
  const onProgress = (message: string) => remark(`${message}\n`);
  const how = {
    uploadNode: options.get("upload-node"),
    mayAsk: canAsk(options),
    folder: options.get("folder"),
  };
  return { target: { name, ...how, onProgress } };
}

/**
 * Returns the folder of this machine that belongs to an instance, for settings and for files that the user names: the
 * workspace, or the current folder when the workspace is on a target.
 */
export function folderHere({ isElsewhere, workspace }: Pick<Toolcrib, "isElsewhere" | "workspace">): string {
  return isElsewhere ? process.cwd() : workspace;
}

/** Names a workspace in a sentence: "this folder", or the target. `workspace` is its name in Toolcrib's own data. */
export function placeName(workspace: string | undefined): string {
  return workspace === undefined || isAbsolute(workspace) ? "this folder" : printableLine(workspace);
}

/** The place of something in a sentence: "in this folder", or on a target. */
export function inPlace(target: string | undefined): string {
  return target === undefined ? "in this folder" : `on ${printableLine(target)}`;
}

/** Names the workspace of a command in Toolcrib's own data: the real path of a folder, or the name of a target. */
export function workspaceIdOf(options: ReadonlyMap<string, string>): string {
  return workspaceId(placeOf(options));
}

export const jsonOption: Option = { name: "json", isCommon: true, summary: "print JSON" };

export const dialectOption: Option = {
  name: "dialect",
  value: "NAME",
  choices: dialectNames,
  isCommon: true,
  summary: "tool names and arguments of this model family (default: toolcrib)",
};

/** The options for the mode and the rules. */
export const policyOptions: readonly Option[] = [
  {
    name: "mode",
    value: "MODE",
    choices: policyModes,
    isCommon: true,
    summary:
      "what runs without approval: safe = reads, cautious = also what undo can restore and commands that only read (default), paranoid = nothing, yolo = everything",
  },
  {
    name: "rule",
    value: "RULE",
    repeats: true,
    isCommon: true,
    summary: "add a rule that overrides all rule files, such as 'allow run npm test' (repeatable)",
  },
  {
    name: "rule-file",
    value: "FILE",
    repeats: true,
    isCommon: true,
    summary: "add the rules of a file (repeatable)",
  },
];

export const sandboxOption: Option = {
  name: "sandbox",
  value: "LEVEL",
  choices: sandboxSettings,
  isCommon: true,
  summary: "sandbox for commands; auto = the best available (default)",
};

const exposeOption: Option = {
  name: "expose",
  value: "PORT",
  repeats: true,
  isCommon: true,
  summary: "show this port of the sandbox at 127.0.0.1, for your browser (repeatable)",
};

export const toolsOption: Option = {
  name: "only-tools",
  value: "LIST",
  repeats: true,
  isCommon: true,
  summary: "offer only these tools: names, patterns or sets, such as 'file.*,search.grep'",
};

export const readOnlyOption: Option = {
  name: "read-only",
  isCommon: true,
  summary: "offer only tools that change nothing",
};

/** The options of commands that open an instance; `readInstanceOptions` reads them. */
export const instanceOptions: readonly Option[] = [
  ...[...policyOptions, sandboxOption, exposeOption, toolsOption, readOnlyOption],
];

export function readInstanceOptions(options: ReadonlyMap<string, string>): ToolcribOptions {
  return {
    mode: (options.get("mode") ?? "cautious") as PolicyMode,
    ...addedRules(options),
    ...toolSelection(options),
    sandbox: sandboxWanted(options.get("sandbox")),
    expose: portsExposed(options),
  };
}

function portsExposed(options: ReadonlyMap<string, string>): readonly number[] | undefined {
  const words = options.get("expose")?.split("\n");
  if (words === undefined) return undefined;
  if (options.has("target"))
    throw new ToolError("invalid-input", "--expose and --target cannot be combined", {
      hint: "Run toolcrib on that machine to show a port there.",
    });
  return words.map((word) => {
    const port = Number(word);
    if (/^\d+$/.test(word) && port > 0 && port <= 65_535) return port;
    throw new ToolError("invalid-input", `"${printableLine(word)}" is not a port`, {
      hint: "Name a port from 1 to 65535: --expose 3000",
    });
  });
}

/** Returns the tools that a command line selects. */
export function toolSelection(
  options: ReadonlyMap<string, string>,
): Pick<ToolcribOptions, "onlyTools" | "readOnly"> {
  const onlyTools = options
    .get("only-tools")
    ?.split(/[,\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return { onlyTools, readOnly: options.has("read-only") || undefined };
}

/** Returns the rules that a command line adds. */
export function addedRules(options: ReadonlyMap<string, string>): {
  readonly rules: readonly string[];
  readonly ruleFiles: readonly string[];
} {
  const lines = (name: string) => options.get(name)?.split("\n") ?? [];
  return { rules: lines("rule"), ruleFiles: lines("rule-file") };
}

const helpOption: Option = { name: "help", short: "h", isCommon: true, summary: "show this help" };

export function optionsOf(command: Pick<Command, "options">): readonly Option[] {
  return [...command.options, helpOption];
}

/** Returns a dialect without the tools that need an agent session. */
export async function dialectHere(name = "toolcrib"): Promise<Dialect> {
  return withoutAgents(await findDialect(name));
}
