import { homedir } from "node:os";
import { join } from "node:path";
import { ToolError } from "../contract/error.ts";
import { type CommandHook, hookEvents } from "../contract/hooks.ts";
import type { LanguageServerSetting } from "../contract/language-server.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { problemsOf } from "../lib/json/file-problems.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { nearest } from "../lib/text/nearest.ts";
import { realWorkspace, userDirectories } from "../system/directories.ts";
import { mayExist, policyFiles, readPolicyFile } from "../system/policy-files.ts";
import { type TrustState, trustIn } from "../toolcrib/trust.ts";
import { filesOfHook } from "./files-of-hook.ts";
import { configFile, languageServers, ownFileOnly, projectConfigFile } from "./schema.ts";
import { findSetting, mayShow, problemOf, type Setting, type SettingValue, settings } from "./settings.ts";
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
  /** Ignored settings, and mistakes in settings of taste, with file and line. */
  readonly warnings: readonly string[];
  /** Mistakes that may have dropped a restriction. `refuseMistakes` stops every call while there are any. */
  readonly problems: readonly ConfigProblem[];
  readonly project: ProjectConfig | undefined;
}

export interface ConfigProblem {
  /** With file and line. */
  readonly message: string;
  readonly hint: string;
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

/** Throws `invalid-input` for mistakes that may have dropped a restriction: nothing runs by half of the settings. */
export function refuseMistakes({ problems }: Pick<Config, "problems">): void {
  if (problems.length === 0) return;
  const shown = problems.slice(0, maxProblems).map(({ message }) => message);
  const more = problems.length > maxProblems ? [`… and ${problems.length - maxProblems} more`] : [];
  throw new ToolError("invalid-input", [...shown, ...more].join("\n"), { hint: problems[0]!.hint });
}

const maxProblems = 5;

/**
 * Reads both `config.toml` files. An untrusted project can only tighten. Mistakes do not stop the reading, so that
 * settings can be listed and changed.
 */
export async function readConfig(folders: ConfigFolders): Promise<Config> {
  const { variables = process.env, workspace } = folders;
  const warnings: string[] = [];
  const problems: ConfigProblem[] = [];
  const orProblem = async (read: Promise<ConfigFile | undefined>) =>
    read.catch((error: Error) => {
      if (!(error instanceof ToolError)) throw error;
      problems.push({ message: error.message, hint: error.hint ?? editHint });
      return undefined;
    });
  const user = await orProblem(readUserFile(userConfigFile(folders.configDirectory)));
  const project = workspace === undefined ? undefined : await orProblem(readProjectFile(workspace, folders));
  for (const file of [user, project]) {
    const mistakes = file && mistakesIn(file);
    problems.push(...(mistakes?.problems ?? []));
    warnings.push(...(mistakes?.warnings ?? []));
  }
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
  if (project !== undefined && project.trust !== "trusted" && ignored.length > 0)
    warnings.push(
      `${untrusted[project.trust]}: ${[...new Set(ignored.map(({ key }) => key))].join(", ")}. To review and trust it: toolcrib config trust`,
    );
  const servers = user?.table.mcp_servers;
  return {
    settings: effective,
    servers: isRecord(servers) ? servers : {},
    languageServers: languageServersIn(user?.table.language_servers),
    hooks: [user, project].flatMap((file) => (file?.trust === "trusted" ? file.hooks : [])),
    warnings,
    problems,
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
  const isProject = from === "project";
  const table = await parseToml(text, name, isProject ? editProjectHint : editHint);
  const file = { name, table, positions: keyPositions(text), hash: contentHash(text), isProject };
  return { ...file, hooks: readHooks(file, from) };
}

const editHint = "Fix it: toolcrib config edit";
const editProjectHint = "Fix it: toolcrib config edit --project";

/** Returns the hooks of a file; none while one of them is invalid. */
function readHooks(
  file: Omit<ConfigFile, "trust" | "hooks">,
  from: CommandHook["from"],
): readonly CommandHook[] {
  const { data: lists = {} } = configFile.shape.hooks.safeParse(file.table.hooks);
  return hookEvents.flatMap((event) =>
    (lists[event] ?? []).map(({ command, matcher, timeout }, index) => ({
      event,
      command,
      matcher,
      timeoutMs: timeout === undefined ? undefined : timeout * 1000,
      from,
      source: at(file, `hooks.${event}.${index}`),
    })),
  );
}

/** Returns the valid language servers. A mistake in one does not affect the others. */
function languageServersIn(table: unknown): Config["languageServers"] {
  const valid = Object.entries(isRecord(table) ? table : {}).filter(
    ([name, server]) => languageServers.safeParse({ [name]: server }).success,
  );
  return Object.fromEntries(valid) as Config["languageServers"];
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

/** Finds unknown keys and invalid values. */
function mistakesIn(file: ConfigFile): Pick<Config, "problems" | "warnings"> {
  const problems: ConfigProblem[] = [];
  const warnings: string[] = [];
  const schema = file.isProject ? projectConfigFile : configFile;
  const isShown = (key: string) => mayShow(findSetting(key));
  const found = problemsOf(schema, file.table, isShown).map((each) => ({
    ...each,
    key: each.path.join("."),
  }));
  const lineAt = (key: string) => lineOf(file.positions, key) ?? 0;
  for (const { path, key, message, near } of found.toSorted(
    (one, other) => lineAt(one.key) - lineAt(other.key),
  )) {
    const neverSets = file.isProject ? ownFileOnly.get(key) : undefined;
    const text = `${at(file, key)}: ${neverSets ?? message}`;
    const edit = file.isProject ? editProjectHint : editHint;
    const canSet = near !== undefined && findSetting(key) !== undefined;
    const hint = canSet
      ? `Fix it: toolcrib config set ${key} ${near}${file.isProject ? " --project" : ""}`
      : edit;
    if (neverSets === undefined && mayRestrict(String(path[0]), near)) problems.push({ message: text, hint });
    else warnings.push(text);
  }
  return { problems, warnings };
}

/**
 * Whether a mistake in a key may have dropped a restriction. Only those of taste cannot. An unknown key may mean any key
 * that it resembles: `modl` is `model` or `mode`.
 */
function mayRestrict(first: string, near: string | undefined): boolean {
  if (Object.hasOwn(configFile.shape, first)) return !ofTaste.has(first);
  const restricting = Object.keys(configFile.shape).filter((key) => !ofTaste.has(key));
  return near === undefined || nearest(first, restricting) !== undefined;
}

const ofTaste: ReadonlySet<string> = new Set([
  "language_servers",
  ...settings.flatMap(({ key, tightens }) => (tightens === undefined ? key : [])),
]);
