import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { ToolError } from "../contract/error.ts";
import { fingerprint } from "../lib/bytes/content-hash.ts";
import { attempt, statsAt } from "./attempt.ts";
import { errnoOf } from "./file-errors.ts";

/** Where Toolcrib stores its own files. */
export interface Directories {
  /** Settings of the user. */
  readonly config: string;
  /** Journals and stored outputs, one folder per workspace. */
  readonly state: string;
  /** Files that can be rebuilt. */
  readonly cache: string;
}

/**
 * Returns the XDG directories, or folders in TOOLCRIB_HOME when it is set. Ignores relative XDG values. Throws
 * `invalid-input` when HOME or TOOLCRIB_HOME is relative.
 */
export function userDirectories(variables: NodeJS.ProcessEnv = process.env): Directories {
  const home = variables.TOOLCRIB_HOME;
  if (home) expectAbsolute("TOOLCRIB_HOME", home);
  // A relative home directory would be another one in every folder.
  expectAbsolute("HOME", homedir());
  if (home) return { config: join(home, "config"), state: home, cache: join(home, "cache") };
  const below = (name: string, fallback: string) => {
    const value = variables[name];
    return join(value?.startsWith("/") ? value : join(homedir(), fallback), "toolcrib");
  };
  return {
    config: below("XDG_CONFIG_HOME", ".config"),
    state: below("XDG_STATE_HOME", ".local/state"),
    cache: below("XDG_CACHE_HOME", ".cache"),
  };
}

function expectAbsolute(variable: string, path: string): void {
  if (isAbsolute(path)) return;
  const value = path === "" ? "(empty)" : path;
  throw new ToolError("invalid-input", `${variable} is not an absolute path: ${value}`, {
    hint: "Set it to an absolute path.",
  });
}

/** Files about one workspace. */
export type WorkspaceFiles = Readonly<
  Record<
    | "journal"
    | "blobs"
    | "outputs"
    | "changes"
    | "scans"
    | "started"
    | "servers"
    | "sandbox"
    | "transactions"
    | "index",
    string
  >
>;

export function workspaceFiles(state: string, workspace: string): WorkspaceFiles {
  return filesIn(workspaceDirectory(state, workspace));
}

export function allWorkspaceFiles(state: string): readonly WorkspaceFiles[] {
  const folder = join(state, "workspaces");
  return namesIn(folder).map((name) => filesIn(join(folder, name)));
}

function filesIn(directory: string): WorkspaceFiles {
  return {
    journal: `${directory}/journal.sqlite`,
    blobs: `${directory}/blobs`,
    outputs: `${directory}/outputs`,
    changes: `${directory}/changes`,
    scans: `${directory}/scans`,
    started: `${directory}/started`,
    servers: `${directory}/servers`,
    sandbox: `${directory}/sandbox`,
    transactions: `${directory}/transactions`,
    index: `${directory}/index`,
  };
}

/** Returns the folder of one workspace below `directory`, named after the workspace with a fingerprint. */
export function workspaceDirectory(directory: string, workspace: string): string {
  const readable =
    basename(workspace)
      .replace(/[^\w.-]+/g, "-")
      .slice(0, 40) || "root";
  return join(directory, "workspaces", `${readable}-${fingerprint(workspace)}`);
}

export function realWorkspace(path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch (cause) {
    throw new ToolError("not-found", `The workspace ${path} cannot be opened: ${(cause as Error).message}`, {
      hint: "Use an existing folder.",
      cause,
    });
  }
  throw new ToolError("invalid-input", `The workspace ${path} is not a directory`, {
    hint: "Name a folder.",
  });
}

/** Resolves all links in a path whose last parts, or whose link target, may not exist yet. */
export function realLocation(path: string): string {
  return locationOf(path, maxLinks);
}

/** The kernel follows at most this many links. */
const maxLinks = 40;

function locationOf(path: string, linksLeft: number): string {
  // Most paths that are resolved here are missing, and an error takes longer than this check.
  const real = existsSync(path) ? attempt(() => realpathSync(path)) : undefined;
  const parent = dirname(path);
  if (real !== undefined || parent === path) return real ?? path;
  const directory = locationOf(parent, linksLeft);
  const here = join(directory, basename(path));
  const isLink = linksLeft > 0 && statsAt(here)?.isSymbolicLink() === true;
  const target = isLink ? attempt(() => readlinkSync(here)) : undefined;
  return target === undefined ? here : locationOf(resolve(directory, target), linksLeft - 1);
}

export function makePrivateDirectory(path: string): void {
  try {
    makeWithParents(path);
  } catch (cause) {
    throw new ToolError("unavailable", `The folder ${path} cannot be created: ${(cause as Error).message}`, {
      hint: "Ask the user to run: toolcrib doctor",
      forUser: { hint: "Set TOOLCRIB_HOME to a writable folder." },
      cause,
    });
  }
}

/** Runs `act` in a private folder. Creates the folder when it is missing. */
export function inPrivateDirectory<Result>(folder: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    makePrivateDirectory(folder);
    return act();
  }
}

/** Does not use mkdir's `recursive` option, which never returns in folders such as /proc. */
function makeWithParents(path: string): void {
  try {
    makeOne(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT" || dirname(path) === path) throw error;
    makeWithParents(dirname(path));
    makeOne(path);
  }
}

function makeOne(path: string): void {
  if (attempt(() => statSync(path, { throwIfNoEntry: false }))?.isDirectory()) return;
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
}

/** Returns the names in a folder; none when it does not exist. */
export function namesIn(folder: string): readonly string[] {
  try {
    return statSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder) : [];
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return [];
    throw error;
  }
}

/** Returns the names in a folder; none when it does not exist or cannot be read. */
export function namesIfReadable(folder: string): readonly string[] {
  return existsSync(folder) ? (attempt(() => readdirSync(folder)) ?? []) : [];
}

/**
 * Returns the nearest directory upwards that has a `.git`, if its owner is trusted: anyone can create one in /tmp. Returns
 * the workspace otherwise.
 */
export function repositoryRoot(workspace: string): string {
  const trusted = new Set([0, process.getuid?.(), statsAt(workspace)?.uid]);
  const found = nearestRepository(workspace);
  return found !== undefined && trusted.has(found.owner) ? found.directory : workspace;
}

/** Returns the nearest directory upwards that has a `.git`, and the owner of that. */
export function nearestRepository(
  start: string,
): { readonly directory: string; readonly owner: number } | undefined {
  for (let directory = start; ; directory = dirname(directory)) {
    const owner = statsAt(join(directory, ".git"))?.uid;
    if (owner !== undefined) return { directory, owner };
    if (dirname(directory) === directory) return undefined;
  }
}

/** Whether this user can create files in an existing folder. */
export function isWritable(folder: string): boolean {
  const needed = constants.R_OK | constants.W_OK | constants.X_OK;
  return attempt(() => accessSync(folder, needed) ?? true) ?? false;
}
