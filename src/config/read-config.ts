import { homedir } from "node:os";
import { join } from "node:path";
import { ToolError } from "../contract/error.ts";
import type { CommandHook } from "../contract/hooks.ts";
import type { LanguageServerSetting } from "../contract/language-server.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { realWorkspace, userDirectories } from "../system/directories.ts";
import { mayExist, policyFiles, readPolicyFile } from "../system/policy-files.ts";
import { type TrustState, trustIn } from "../toolcrib/trust.ts";
import { readLanguageServers } from "./language-servers.ts";
import { filesOfHook, readHooks } from "./read-hooks.ts";
import { problemOf, type Setting, type SettingValue, settings, unknownKey } from "./settings.ts";
import { problemInTargets } from "./targets.ts";
import { keyPositions, lineOf, parseToml } from "./toml-text.ts";

/** The project's configuration, relative to the workspace. */
export const projectConfigPath = ".toolcrib/config.toml";

/** A setting's effective value, and where it comes from: `config.toml:3`, a variable, `default`. */
export interface EffectiveSetting {
  readonly setting: Setting;
  readonly value: SettingValue | undefined;
  readonly origin: string;
}

/** The settings of both files and of the environment, by their precedence. */
export interface Config {
  readonly settings: readonly EffectiveSetting[];
  /** The MCP servers of the user's file. A project names its own in `.toolcrib/mcp.json`. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** The language servers of the user's file. */
  readonly languageServers: Readonly<Record<string, LanguageServerSetting>>;
  /** The user's hooks, then those of a trusted project. */
  readonly hooks: readonly CommandHook[];
  /** Mistakes and ignored settings, with file and line. */
  readonly warnings: readonly string[];
  readonly project: ProjectConfig | undefined;
}

/** The configuration that came with the workspace, and whether the user trusts it. */
interface ProjectConfig {
  /** SHA-256 of the file. */
  readonly hash: string;
  readonly trust: TrustState;
  /** The keys and values that apply only when the file is trusted, as lines of TOML. */
  readonly loosening: readonly string[];
}

export interface ConfigFolders {
  /** Undefined for a workspace on a target: settings of projects on this machine do not apply there. */
  readonly workspace: string | undefined;
  /** Default: the XDG config directory. */
  readonly configDirectory?: string | undefined;
  readonly variables?: NodeJS.ProcessEnv;
}

/** Returns the path of the user's `config.toml`. */
export function userConfigFile(configDirectory: string = userDirectories().config): string {
  return join(configDirectory, "config.toml");
}

/**
 * Reads both `config.toml` files. A mistake becomes a warning and never stops the rest. An untrusted
 * project can only tighten.
 */
export async function readConfig(folders: ConfigFolders): Promise<Config> {
  const { variables = process.env } = folders;
  const warnings: string[] = [];
  const orWarn = async (read: Promise<ConfigFile | undefined>) =>
    read.catch((error: Error) => {
      if (!(error instanceof ToolError)) throw error;
      warnings.push(error.message);
      return undefined;
    });
  const user = await orWarn(readUserFile(userConfigFile(folders.configDirectory)));
  const { workspace } = folders;
  const project = workspace === undefined ? undefined : await orWarn(readProjectFile(workspace, folders));
  const effective = settings.map((setting): EffectiveSetting => {
    const own = valueIn(user, setting);
    const base = own ?? { setting, value: setting.default, origin: "default" };
    const theirs = valueIn(project, setting);
    const variable = variables[setting.variable ?? ""]?.trim();
    if (variable) return { setting, value: variable, origin: setting.variable! };
    const mayApply = project?.trust === "trusted" || setting.tightens?.(theirs?.value ?? "", base.value);
    return theirs !== undefined && mayApply ? theirs : base;
  });
  const ignored = project === undefined ? [] : [...loosening(project, user), ...hooksOf(project)];
  for (const file of [user, project]) if (file) warnings.push(...problemsIn(file));
  if (project !== undefined && project.trust !== "trusted" && ignored.length > 0)
    warnings.push(
      `${untrusted[project.trust]}: ${[...new Set(ignored.map(({ key }) => key))].join(", ")}. To review and trust it: toolcrib config trust`,
    );
  const servers = user?.table.mcp_servers;
  return {
    settings: effective,
    servers: isRecord(servers) ? servers : {},
    languageServers: readLanguageServers(user?.table.language_servers).servers,
    hooks: [user, project].flatMap((file) => (file?.trust === "trusted" ? file.hooks : [])),
    warnings,
    project: project && {
      hash: project.hash,
      trust: project.trust,
      loosening: ignored.map(({ key, value }) => `${key} = ${JSON.stringify(value)}`),
    },
  };
}

const untrusted = {
  untrusted: `${projectConfigPath} is not trusted, so these settings are ignored`,
  changed: `${projectConfigPath} has changed since you trusted it, so these settings are ignored`,
};

/** A parsed file. */
interface ConfigFile {
  /** For messages. */
  readonly name: string;
  readonly table: Readonly<Record<string, unknown>>;
  readonly positions: ReturnType<typeof keyPositions>;
  readonly hash: string;
  readonly trust: TrustState;
  readonly isProject: boolean;
  readonly hooks: readonly CommandHook[];
  readonly problems: readonly string[];
}

function hooksOf({ hooks }: ConfigFile): readonly { readonly key: string; readonly value: string }[] {
  return hooks.map(({ event, command }) => ({ key: `hooks.${event}`, value: command }));
}

async function readUserFile(path: string): Promise<ConfigFile | undefined> {
  const text = readPolicyFile(path);
  if (text === undefined) return undefined;
  const home = homedir();
  const name = path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
  return { ...(await parsed(text, name, "user")), trust: "trusted" };
}

async function readProjectFile(
  named: string,
  folders: Pick<ConfigFolders, "configDirectory">,
): Promise<ConfigFile | undefined> {
  const workspace = realWorkspace(named);
  // Most folders have none, and opening an environment takes longer than this check.
  if (!mayExist(join(workspace, projectConfigPath))) return undefined;
  const environment = openLocalEnvironment({ workspace });
  try {
    const { bytes } = await environment.readFile(projectConfigPath, { maxBytes });
    const file = await parsed(new TextDecoder().decode(bytes), projectConfigPath, "project");
    const hooks = await Promise.all(
      file.hooks.map(async (hook) => ({ ...hook, files: await filesOfHook(hook, environment) })),
    );
    const scripts = hooks.map(({ files }) => files);
    const hash = hooks.length === 0 ? file.hash : contentHash(JSON.stringify([file.hash, scripts]));
    const { configTrust } = policyFiles(folders.configDirectory ?? userDirectories().config, workspace);
    return { ...file, hooks, hash, trust: trustIn({ workspace, hash }, configTrust) };
  } finally {
    await environment.close();
  }
}

const maxBytes = 256 * 1024;

async function parsed(
  text: string,
  name: string,
  from: CommandHook["from"],
): Promise<Omit<ConfigFile, "trust">> {
  const table = await parseToml(text, name);
  const positions = keyPositions(text);
  const { hooks, problems } = readHooks(table.hooks, from, (key) => at({ name, positions }, key));
  const hookProblems = problems.map(([key, problem]) => `${at({ name, positions }, key)}: ${problem}`);
  const isProject = from === "project";
  return { name, table, positions, hash: contentHash(text), hooks, problems: hookProblems, isProject };
}

/** Returns the value of a setting in a file; undefined when it is missing or invalid. */
function valueIn(file: ConfigFile | undefined, setting: Setting): EffectiveSetting | undefined {
  if (file === undefined) return undefined;
  const value = rawValue(file, setting.key);
  if (value === undefined || problemOf(setting, value) !== undefined) return undefined;
  if (file.isProject && setting.ownFileOnly !== undefined) return undefined;
  return { setting, value: value as SettingValue, origin: at(file, setting.key) };
}

function rawValue({ table }: ConfigFile, key: string): unknown {
  let value: unknown = table;
  for (const step of key.split("."))
    value = isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return value;
}

function at({ name, positions }: Pick<ConfigFile, "name" | "positions">, key: string): string {
  const line = lineOf(positions, key);
  return line === undefined ? name : `${name}:${line}`;
}

/** Returns the settings of a project that apply only when it is trusted. */
function loosening(
  project: ConfigFile,
  user: ConfigFile | undefined,
): readonly { readonly key: string; readonly value: unknown }[] {
  return settings.flatMap((setting) => {
    const theirs = valueIn(project, setting);
    if (theirs?.value === undefined) return [];
    const before = valueIn(user, setting)?.value ?? setting.default;
    const isStricter = theirs.value === before || setting.tightens?.(theirs.value, before);
    return isStricter ? [] : [{ key: setting.key, value: theirs.value }];
  });
}

/** Describes unknown keys and invalid values. */
function problemsIn(file: ConfigFile): readonly string[] {
  const found: string[] = [];
  const note = (key: string, problem: string) => found.push(`${at(file, key)}: ${problem}`);
  const top = [
    ...new Set([
      ...settings.map(({ key }) => key.split(".")[0]!),
      ...["mcp_servers", "hooks", "targets", "language_servers"],
    ]),
  ];
  for (const [key, value] of Object.entries(file.table)) {
    if (!top.includes(key)) note(key, unknownKey(key, top));
    else if (key === "mcp_servers") {
      if (file.isProject)
        note(key, "a project names its MCP servers in .toolcrib/mcp.json; these are ignored");
      else if (!isRecord(value)) note(key, "mcp_servers must be a table of servers by name");
    } else if (key === "language_servers") {
      if (file.isProject)
        note(key, "a project cannot choose a language server; only your own config.toml can");
      else for (const [at, problem] of readLanguageServers(value).problems) note(at, problem);
    } else if (key === "targets") {
      const problem = file.isProject
        ? "a project cannot choose a target; only your own config.toml can"
        : problemInTargets(value);
      if (problem !== undefined) note(key, problem);
    } else if (key === "limits") {
      if (!isRecord(value)) note(key, "limits must be a table");
      else
        for (const name of Object.keys(value))
          if (!settings.some((setting) => setting.key === `limits.${name}`))
            note(
              `limits.${name}`,
              unknownKey(
                `limits.${name}`,
                settings.map((setting) => setting.key),
              ),
            );
    }
  }
  for (const setting of settings) {
    const value = rawValue(file, setting.key);
    if (value === undefined) continue;
    if (file.isProject && setting.ownFileOnly !== undefined) note(setting.key, setting.ownFileOnly);
    const problem = problemOf(setting, value);
    if (problem !== undefined) note(setting.key, `${setting.key} ${problem}`);
  }
  return [...found, ...file.problems];
}
