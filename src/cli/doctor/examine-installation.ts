import { existsSync, type Stats, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import { attempt } from "../../system/attempt.ts";
import { lowDescriptorLimit } from "../../system/descriptor-limit.ts";
import { isWritable } from "../../system/directories.ts";
import type { PolicyFiles } from "../../system/policy-files.ts";
import { searchSettings } from "../../toolcrib/check-options.ts";
import type { PolicyOptions } from "../../toolcrib/open-policy.ts";
import { tryDocuments, tryParser } from "../../toolcrib/try-workers.ts";
import { WorkspaceIndex } from "../../toolcrib/workspace-index.ts";
import type { JournalBudget } from "../../toolcrib/workspace-journal.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

interface Program {
  readonly name: string;
  readonly command: readonly [file: string, flag: string];
  /** The features that do not work without it. */
  readonly lost: string;
  /** The oldest version that works fully, and what does not work with an older one. */
  readonly oldest?: { readonly version: readonly [number, number]; readonly lost: string };
}

const programs: readonly Program[] = [
  { name: "ripgrep", command: ["rg", "--version"], lost: "searching large folders is slow" },
  {
    name: "git",
    command: ["git", "--version"],
    lost: "the git tools fail, and .gitignore files are read in a simpler way",
    oldest: { version: [2, 31], lost: "some git tools fail" },
  },
  {
    name: "bash",
    command: ["bash", "--version"],
    lost: "commands run in sh, and there are no persistent shells",
  },
  {
    name: "perl",
    command: ["perl", "-v"],
    lost: "sandboxed commands have no network and may have no terminal, and Landlock is not available",
  },
  { name: "tmux", command: ["tmux", "-V"], lost: "you cannot attach to persistent shells" },
];

/** Examines the programs that tools use on this machine. */
export async function examinePrograms(workspace: string, signal: AbortSignal): Promise<readonly Finding[]> {
  const environment = openLocalEnvironment({ workspace });
  try {
    return await examineProgramsOf(environment, signal);
  } finally {
    await environment.close();
  }
}

/** Examines the programs that tools use in an environment. `place` ends the hints: `on the target`. */
export async function examineProgramsOf(
  environment: Pick<Environment, "start">,
  signal: AbortSignal,
  place?: string,
): Promise<readonly Finding[]> {
  const versionOf = async ({ command: [file, flag] }: Program) => {
    try {
      const program = await environment.start(file, { args: [flag], confinement: "ours", signal });
      const [output] = await Promise.all([buffer(program.stdout), program.exit]);
      return /\d+(?:\.\w+)+/.exec(output.toString("latin1"))?.[0] ?? "(unknown version)";
    } catch (error) {
      if (error instanceof ToolError && error.code === "unavailable") return undefined;
      throw error;
    }
  };
  const gitScopes = async () => {
    const args = ["config", "--show-scope", "--get-all", "safe.bareRepository"];
    const program = await environment.start("git", { args, confinement: "ours", signal });
    const [output] = await Promise.all([buffer(program.stdout), program.exit]);
    return output.toString("latin1");
  };
  const suffix = place === undefined ? "" : ` ${place}`;
  const found = await Promise.all(
    programs.map(async (program) => ({ ...program, version: await versionOf(program) })),
  );
  const names = found.flatMap(({ name, version }) => (version === undefined ? [] : [`${name} ${version}`]));
  const missing = found.filter(({ version }) => version === undefined);
  return [
    ok("programs", names.join(", ") || "none found"),
    ...missing.map(({ name, lost }) =>
      warning("programs", `${name} is not installed: ${lost}`, `Install ${name}${suffix}.`),
    ),
    ...found.flatMap(({ version, ...program }) => tooOld(program, version, suffix)),
    ...(knowsBareRepositories(found) ? bareRepositories(await gitScopes(), suffix) : []),
  ];
}

function knowsBareRepositories(programs: readonly { name: string; version: string | undefined }[]): boolean {
  const version = programs.find(({ name }) => name === "git")?.version;
  const oldest: Program["oldest"] = { version: [2, 38], lost: "safe.bareRepository is ignored" };
  return version !== undefined && tooOld({ name: "git", oldest }, version).length === 0;
}

/** Advises that git ignores repositories without `.git`. `settings` are lines of a scope and a value, the last one counts. */
function bareRepositories(settings: string, suffix: string): readonly Finding[] {
  // Git does not obey a repository's own setting.
  const values = [...settings.matchAll(/^(?:system|global|command)\t(.*)$/gm)].map(([, value]) => value);
  if (values.at(-1) === "explicit") return [];
  return [
    warning(
      "git",
      "git runs programs that the settings of any folder with HEAD, objects and refs name, not only those of .git",
      `Make it ignore such folders${suffix}: git config --global safe.bareRepository explicit (older cargo, SwiftPM and Composer cannot fetch with it)`,
    ),
  ];
}

/** Reports a version that is too old. Does not report one that cannot be read. */
export function tooOld(
  { name, oldest }: Pick<Program, "name" | "oldest">,
  version: string | undefined,
  suffix = "",
): readonly Finding[] {
  const [major, minor] = (version ?? "").split(".").map(Number);
  if (oldest === undefined || major === undefined || minor === undefined || Number.isNaN(major + minor))
    return [];
  const [leastMajor, leastMinor] = oldest.version;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return [];
  const least = oldest.version.join(".");
  return [
    warning(
      "programs",
      `${name} ${version} is old: ${oldest.lost}`,
      `Install ${name} ${least} or newer${suffix}.`,
    ),
  ];
}

/** Checks that the folders are writable, and closed to other users. `state` is that of the workspace. */
export function examineFolders({
  state,
  config,
  files,
}: {
  readonly state: string;
  readonly config: string;
  readonly files: PolicyFiles;
}): readonly Finding[] {
  // These folders contain contents of the user's files.
  const secret = [state, join(state, "journal.sqlite"), join(state, "blobs"), join(state, "outputs")];
  // Another user who could write here would decide what needs approval and what runs.
  const { user, granted, trust, servers, serversTrust, configTrust } = files;
  const trusted = [
    config,
    user,
    granted,
    trust,
    servers,
    serversTrust,
    configTrust,
    join(config, "config.toml"),
  ];
  return [
    examine("state", state, findOpen(secret, 0o077), "go-rwx"),
    examine("config", config, findOpen(trusted, 0o022), "go-w"),
  ];
}

function examine(about: string, folder: string, open: string | undefined, change: string): Finding {
  if (statsOf(folder) === undefined) {
    const above = nearestExisting(folder);
    if (statsOf(above)?.isFile())
      return problem(
        about,
        `${folder} cannot be created: ${above} is a file`,
        "Move it away, or set TOOLCRIB_HOME to a writable folder.",
      );
    if (isWritable(above)) return ok(about, `${folder} (not created yet)`);
    return problem(
      about,
      `${folder} cannot be created: ${above} is not writable`,
      `Make it writable, chmod u+rwx '${above}', or set TOOLCRIB_HOME to a writable folder.`,
    );
  }
  if (open !== undefined)
    return problem(about, `${open} is open to other users`, `Close it: chmod ${change} '${open}'`);
  if (!isWritable(folder))
    return problem(about, `${folder} is not writable`, `Fix its permissions: chmod u+rwx '${folder}'`);
  return ok(about, folder);
}

function findOpen(paths: readonly string[], bits: number): string | undefined {
  return paths.find((path) => ((statsOf(path)?.mode ?? 0) & bits) !== 0);
}

/** Returns undefined for a path that does not exist or is in a folder that cannot be entered. */
function statsOf(path: string): Stats | undefined {
  return attempt(() => statSync(path, { throwIfNoEntry: false }));
}

export function examineDisk(
  state: string,
  { maxBytes }: JournalBudget,
  { bavail, bsize } = statfsSync(nearestExisting(state)),
): Finding {
  const free = bavail * bsize;
  const message = `${showSize(free)} free for the history`;
  if (free < leastFree)
    return problem(
      "disk",
      `${message}: nothing can be changed`,
      "Free disk space, or set TOOLCRIB_HOME to a folder on another disk.",
    );
  if (free >= maxBytes) return ok("disk", message);
  return warning(
    "disk",
    `${message}, which may take ${showSize(maxBytes)}`,
    "Free disk space, or store less: TOOLCRIB_JOURNAL_MAX_BYTES",
  );
}

export function examineDescriptors(limits?: string): readonly Finding[] {
  const low = lowDescriptorLimit(limits);
  return low === undefined ? [] : [warning("open files", low.message, low.hint)];
}

// A write also stores the old content and a record.
const leastFree = 1024 * 1024;

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

/** Examines which search engine the variables configure. Does not contact it. */
export function examineSearch(variables: NodeJS.ProcessEnv): Finding {
  const settings = searchSettings(variables);
  if (settings === undefined)
    return warning(
      "search",
      "no search engine is configured: web.search is not available",
      "Set TOOLCRIB_SEARCH to duckduckgo, brave, tavily, or: searxng https://HOST",
    );
  if ("problem" in settings) return problem("search", settings.problem, settings.hint);
  const { engine, url } = settings;
  return ok("search", url === undefined ? engine : `${engine} at ${url}`);
}

/** Examines whether the code worker starts, and whether there is an index. */
export async function examineCode(options: PolicyOptions, signal: AbortSignal): Promise<readonly Finding[]> {
  const { size, builder } = new WorkspaceIndex(options);
  const building = builder === undefined ? "" : `; process ${builder} is building it in the background`;
  return [
    await tryWorker("code", signal, "the code tools need the parser", async () => {
      return `the parser starts; ${await tryParser(signal)} languages`;
    }),
    ok(
      "index",
      size === undefined ? "not built yet: the first code search builds it" : `${showSize(size)}${building}`,
    ),
  ];
}

/** Finds the mistakes in `config.toml` that stop every call. */
export async function examineSettings(
  workspace: string | undefined,
  configDirectory: string,
): Promise<readonly Finding[]> {
  const { readConfig } = await import("../../config/read-config.ts");
  const { problems } = await readConfig({ workspace, configDirectory });
  return problems.map(({ message, hint }) => problem("settings", message, hint));
}

/** Names the language servers of the project and the user. Starts none. */
export async function examineLanguageServers(workspace: string): Promise<Finding> {
  const [{ readConfig }, { findLanguageServers }] = await Promise.all([
    import("../../config/read-config.ts"),
    import("../../toolcrib/find-language-servers.ts"),
  ]);
  const { languageServers } = await readConfig({ workspace });
  const found = await findLanguageServers(workspace, languageServers);
  const shown = found.map(({ name, command, needsRule }) =>
    needsRule ? `${name} of the project, with the rule: allow run ${command}` : name,
  );
  return ok("languages", shown.join("; ") || "no language servers found");
}

/** Examines whether the document worker starts and reads a document. */
export function examineDocuments(signal: AbortSignal): Promise<Finding> {
  return tryWorker("documents", signal, "document.read needs the reader", async () => {
    return `the reader starts and reads a ${await tryDocuments(signal)}`;
  });
}

async function tryWorker(
  about: string,
  signal: AbortSignal,
  why: string,
  start: () => Promise<string>,
): Promise<Finding> {
  try {
    return ok(about, await start());
  } catch (error) {
    if (!(error instanceof ToolError) || signal.aborted) throw error;
    return problem(about, error.message, `Reinstall toolcrib with a supported Node version: ${why}.`);
  }
}
