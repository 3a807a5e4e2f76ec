import { join } from "node:path";
import type { ConfiguredTargets } from "../../config/targets.ts";
import { ToolError } from "../../contract/error.ts";
import { realWorkspace, userDirectories } from "../../system/directories.ts";
import { mayExist } from "../../system/policy-files.ts";
import type { Arguments, Command } from "../command.ts";
import { placeOf } from "../options.ts";

/** Commands that read no file of the workspace, so they work in the folder of a target, too. */
const withoutFiles: ReadonlySet<string> = new Set(["config", "tools"]);

/**
 * Returns the command line with the target that it names, or that the user's `config.toml` chooses for its folder. A
 * command that works on this machine only is refused in such a folder. `--target local` is this machine.
 */
export async function withTarget(given: Arguments, command: Command): Promise<Arguments> {
  const has = (name: string) => command.options.some((option) => option.name === name);
  if (!has("workspace") || withoutFolder.has(command.name)) return given;
  const { options, operands } = given;
  const named = options.get("target");
  if (named === "local") return { operands, options: without(options, "target") };
  if (named !== undefined)
    return { operands, options: new Map(options).set("target", await targetNamed(named)) };
  // The other forms of `mcp` change settings of this machine.
  const usesFiles = !withoutFiles.has(command.name) && !(command.name === "mcp" && operands.length > 0);
  // A mistake in [targets] must not block `toolcrib config edit`, which fixes it.
  if (!usesFiles) return given;
  const folder = options.get("workspace") ?? process.cwd();
  const target = await targetOfFolder(folder).catch((error: unknown) => {
    // A mistake is one of its findings.
    if (command.name === "doctor" && error instanceof ToolError) return undefined;
    throw error;
  });
  if (target === undefined) return given;
  if (!has("target")) throw worksHereOnly(`toolcrib ${command.name}`, folder, target);
  return { operands, options: without(options, "workspace").set("target", target).set("folder", folder) };
}

/** Commands whose client chooses the folder of each session. */
const withoutFolder: ReadonlySet<string> = new Set(["acp", "rpc"]);

/** Checks the options of such a command when it starts, not in the first session. */
export async function checkFolder(options: ReadonlyMap<string, string>): Promise<void> {
  const folder = options.get("workspace");
  if (folder !== undefined) realWorkspace(folder);
  const target = options.get("target");
  if (target === undefined || target === "local") return;
  placeOf(new Map(options).set("target", await targetNamed(target)));
}

/** Returns the options of a session whose client has chosen this folder: there, or on the target that it is set to. */
export async function withFolder(
  options: ReadonlyMap<string, string>,
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const target = await targetOf(new Map(options).set("workspace", folder));
  const others = without(without(options, "workspace"), "target");
  return target === undefined
    ? others.set("workspace", folder)
    : others.set("target", target).set("folder", folder);
}

/** Returns the target that options name, or that their folder is set to; undefined for this machine. */
export async function targetOf(options: ReadonlyMap<string, string>): Promise<string | undefined> {
  const named = options.get("target");
  if (named === "local") return undefined;
  return named === undefined ? targetOfFolder(options.get("workspace") ?? process.cwd()) : targetNamed(named);
}

/** Returns a target, or the one that the user's `config.toml` has under this name. */
export async function targetNamed(name: string): Promise<string> {
  if (name.includes(":")) return name;
  if (name === "local")
    throw new ToolError("invalid-input", "local is your machine, not a target", {
      hint: "Name a target, for example ssh:host",
    });
  const found = (await configuredTargets())?.named(name);
  if (found !== undefined) return found;
  throw new ToolError("invalid-input", `No target is named ${name}`, {
    hint: `Name it in your config.toml: [targets] ${name} = "ssh:host:/dir"`,
  });
}

async function targetOfFolder(folder: string): Promise<string | undefined> {
  return (await configuredTargets())?.of(folder);
}

/** Returns the targets that the user's `config.toml` names; undefined without any. */
export async function configuredTargets(): Promise<ConfiguredTargets | undefined> {
  const file = join(userDirectories().config, "config.toml");
  // Most users have no such file, and `toolcrib call` must start fast.
  if (!mayExist(file)) return undefined;
  return (await import("../../config/targets.ts")).ConfiguredTargets.read(file);
}

function worksHereOnly(what: string, folder: string, target: string): ToolError {
  return new ToolError(
    "invalid-input",
    `${what} works on this machine only, and ${folder} is set to ${target}`,
    {
      hint: "To change that, edit [targets] in your config.toml: toolcrib config edit",
    },
  );
}

function without(options: ReadonlyMap<string, string>, name: string): Map<string, string> {
  return new Map([...options].filter(([key]) => key !== name));
}
