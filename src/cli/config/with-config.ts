import { join } from "node:path";
import { realWorkspace, userDirectories } from "../../system/directories.ts";
import { mayExist } from "../../system/policy-files.ts";
import type { CommandHook } from "../../toolcrib/index.ts";
import type { Arguments } from "../command.ts";
import { remarkWarnings } from "../report.ts";

/**
 * Returns the command line with the values of `config.toml` for options that it does not name. Prints what is wrong in
 * the files. Environment variables and defaults stay with the code that reads the options.
 */
export async function withConfig(
  given: Arguments,
  names: readonly ConfiguredOption[],
): Promise<ConfiguredArguments> {
  const workspace = realWorkspace(given.options.get("workspace") ?? process.cwd());
  // Most users have no such file, and `toolcrib call` must start fast.
  const files = [join(userDirectories().config, "config.toml"), join(workspace, ".toolcrib/config.toml")];
  if (!files.some((file) => mayExist(file))) return { ...given, commandHooks: [] };
  const { readConfig } = await import("../../config/read-config.ts");
  const config = await readConfig({ workspace });
  remarkWarnings(config.warnings);
  const options = new Map(given.options);
  for (const { setting, value, origin } of config.settings) {
    const name = names.find((each) => each === setting.option);
    if (name === undefined || options.has(name) || value === undefined) continue;
    if (origin !== "default" && origin !== setting.variable) options.set(name, String(value));
  }
  return { ...given, options, commandHooks: config.hooks };
}

/** A command line with the values of `config.toml`, and its hooks. */
export interface ConfiguredArguments extends Arguments {
  readonly commandHooks: readonly CommandHook[];
}

type ConfiguredOption = "model" | "reasoning" | "mode" | "sandbox" | "dialect" | "max-rounds" | "max-cost";
