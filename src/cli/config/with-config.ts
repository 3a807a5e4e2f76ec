import { join } from "node:path";
import type { Config } from "../../config/read-config.ts";
import type { Embedder } from "../../contract/embeddings.ts";
import { ToolError } from "../../contract/error.ts";
import { realWorkspace, userDirectories } from "../../system/directories.ts";
import { mayExist } from "../../system/policy-files.ts";
import type { CommandHook } from "../../toolcrib/index.ts";
import type { Arguments } from "../command.ts";
import { remarkWarnings } from "../report.ts";

/**
 * Returns the command line with the values of `config.toml` for options that it does not name. Throws for a mistake that
 * may have dropped a restriction, and prints the others. Environment variables and defaults stay with the code that reads
 * the options.
 */
export async function withConfig(
  given: Arguments,
  names: readonly ConfiguredOption[],
): Promise<ConfiguredArguments> {
  return addConfig(given, names, await checkedConfigOf(given));
}

/** Does the same with a configuration that was read before, whose mistakes the caller reports. */
export async function addConfig(
  given: Arguments,
  names: readonly ConfiguredOption[],
  config: Config | undefined,
): Promise<ConfiguredArguments> {
  if (config === undefined) return { ...given, commandHooks: [], languageServers: {}, embedder: undefined };
  remarkWarnings(config.warnings);
  const options = new Map(given.options);
  for (const { setting, value, origin } of config.settings) {
    const name = names.find((each) => each === setting.option);
    if (name === undefined || options.has(name) || value === undefined) continue;
    if (origin !== "default" && origin !== setting.variable) options.set(name, String(value));
  }
  const { hooks: commandHooks, languageServers } = config;
  return { ...given, options, commandHooks, languageServers, embedder: await embedderOf(config) };
}

/** Returns the embedding model of the user's configuration. */
export async function configuredEmbedder(given: Arguments): Promise<Embedder | undefined> {
  const config = await checkedConfigOf(given);
  return config && embedderOf(config);
}

/** Prints why a model cannot be used. Everything else works without it. */
async function embedderOf({ settings }: Config): Promise<Embedder | undefined> {
  const model = settings.find(({ setting }) => setting.key === "embeddings")?.value;
  if (model === undefined) return undefined;
  const { openEmbedder } = await import("../../models/embeddings.ts");
  const { readModelSettings } = await import("../../agent/read-model-settings.ts");
  try {
    return openEmbedder(String(model), await readModelSettings());
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    remarkWarnings([`embeddings = "${model}" is ignored: ${error.message}. ${error.hint ?? ""}`.trim()]);
    return undefined;
  }
}

async function checkedConfigOf(given: Arguments): Promise<Config | undefined> {
  const config = await configOf(given);
  if (config !== undefined && config.problems.length > 0)
    (await import("../../config/read-config.ts")).refuseMistakes(config);
  return config;
}

/** Reads the configuration of a command line's workspace; undefined when there is no file. */
export async function configOf({ options }: Arguments): Promise<Config | undefined> {
  const workspace = options.has("target")
    ? undefined
    : realWorkspace(options.get("workspace") ?? process.cwd());
  // Most users have no such file, and `toolcrib call` must start fast.
  const files = [
    join(userDirectories().config, "config.toml"),
    ...(workspace === undefined ? [] : [join(workspace, ".toolcrib/config.toml")]),
  ];
  if (!files.some((file) => mayExist(file))) return undefined;
  const { readConfig } = await import("../../config/read-config.ts");
  return readConfig({ workspace });
}

/** Returns the settings of the chat's screen. Mistakes are reported when the session opens. */
export async function screenSettings(
  given: Arguments,
): Promise<{ readonly theme: string; readonly notifications: string }> {
  const config = await configOf(given);
  const valueAt = (key: string) =>
    String(config?.settings.find(({ setting }) => setting.key === key)?.value ?? "auto");
  return { theme: valueAt("theme"), notifications: valueAt("notifications") };
}

/** A command line with the values of `config.toml`, its hooks, its language servers and its embedding model. */
export interface ConfiguredArguments extends Arguments {
  readonly commandHooks: readonly CommandHook[];
  readonly languageServers: Config["languageServers"];
  readonly embedder: Embedder | undefined;
}

type ConfiguredOption = "model" | "reasoning" | "mode" | "sandbox" | "dialect" | "max-rounds" | "max-cost";
