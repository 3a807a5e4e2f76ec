import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolError } from "../../contract/error.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import type { PolicyFiles } from "../../system/policy-files.ts";
import { searchSettings } from "../../toolcrib/check-options.ts";
import type { PolicyOptions } from "../../toolcrib/open-policy.ts";
import { tryDocuments, tryParser } from "../../toolcrib/try-workers.ts";
import { WorkspaceIndex } from "../../toolcrib/workspace-index.ts";
import type { JournalBudget } from "../../toolcrib/workspace-journal.ts";
import { type Finding, note, well, wrong } from "./finding.ts";

interface Program {
  readonly name: string;
  readonly file: string;
  readonly ask: string;
  /** What it is for. */
  readonly lost: string;
  readonly package: string;
  /** What older ones cannot do, and which is the oldest that can. */
  readonly oldest?: { readonly version: readonly [number, number]; readonly lost: string };
}

const programs: readonly Program[] = [
  {
    ...{ name: "ripgrep", file: "rg", ask: "--version", package: "ripgrep" },
    lost: "large folders are searched slowly",
  },
  {
    ...{ name: "git", file: "git", ask: "--version", package: "git" },
    lost: "ignored files are told by our own reading of .gitignore, and commands and tools of git fail",
    oldest: { version: [2, 31], lost: "some tools of git fail" },
  },
  {
    ...{ name: "bash", file: "bash", ask: "--version", package: "bash" },
    lost: "commands are run by sh, and there are no sessions",
  },
  {
    ...{ name: "perl", file: "perl", ask: "-v", package: "perl" },
    lost: "in a sandbox commands reach no hosts, whatever the mode and the rules say, and no port of theirs is reached; they may have no terminal, and cannot be confined by Landlock",
  },
  {
    ...{ name: "tmux", file: "tmux", ask: "-V", package: "tmux" },
    lost: "nobody can attach to the shells that stay",
  },
];

/** Which programs are there that tools make use of. */
export async function examinePrograms(workspace: string, signal: AbortSignal): Promise<readonly Finding[]> {
  const environment = openLocalEnvironment({ workspace });
  const versionOf = async ({ file, ask }: Program) => {
    try {
      const program = await environment.start(file, { args: [ask], confinement: "ours", signal });
      const [output] = await Promise.all([textOf(program.stdout), program.exit]);
      return /\d+(?:\.\w+)+/.exec(output)?.[0] ?? "of an unknown version";
    } catch (error) {
      if (error instanceof ToolError && error.code === "unavailable") return undefined;
      throw error;
    }
  };
  try {
    const found = await Promise.all(
      programs.map(async (program) => ({ ...program, version: await versionOf(program) })),
    );
    const there = found.flatMap(({ name, version }) => (version === undefined ? [] : [`${name} ${version}`]));
    const missing = found.filter(({ version }) => version === undefined);
    return [
      well("programs", there.join(", ") || "none of those we know"),
      ...missing.map(({ name, lost, package: wanted }) =>
        note("programs", `${name} is not installed: ${lost}`, `Install ${wanted}.`),
      ),
      ...found.flatMap(({ version, ...program }) => tooOld(program, version)),
    ];
  } finally {
    await environment.close();
  }
}

/** What cannot be told from a version is not complained of. */
export function tooOld(
  { name, oldest }: Pick<Program, "name" | "oldest">,
  version: string | undefined,
): readonly Finding[] {
  const [major, minor] = (version ?? "").split(".").map(Number);
  if (oldest === undefined || major === undefined || minor === undefined || Number.isNaN(major + minor))
    return [];
  const [leastMajor, leastMinor] = oldest.version;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return [];
  const least = oldest.version.join(".");
  return [
    note("programs", `${name} ${version} is old: ${oldest.lost}`, `Install ${name} ${least} or newer.`),
  ];
}

async function textOf(output: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of output) pieces.push(piece);
  return Buffer.concat(pieces).toString("latin1");
}

/** Whether the folders can be used, and by nobody else. `state` is that of the workspace. */
export function examineFolders(places: {
  readonly state: string;
  readonly config: string;
  readonly files: PolicyFiles;
}): readonly Finding[] {
  const { state, config, files } = places;
  // What stands here is as secret as the files it was taken from.
  const secret = [state, join(state, "journal.sqlite"), join(state, "blobs"), join(state, "outputs")];
  // Whoever can write here decides what is asked, and what is run.
  const trusted = [config, files.user, files.granted, files.trust, files.servers, files.serversTrust];
  return [
    examine("state", state, findOpen(secret, 0o077), "go-rwx"),
    examine("config", config, findOpen(trusted, 0o022), "go-w"),
  ];
}

function examine(about: string, folder: string, open: string | undefined, change: string): Finding {
  if (statsOf(folder) === undefined) return well(about, `${folder} (not there yet)`);
  if (open !== undefined)
    return wrong(about, `${open} is open to other users`, `Close it: chmod ${change} '${open}'`);
  if (!isWritable(folder))
    return wrong(about, `${folder} cannot be written`, `Give yourself the right: chmod u+rwx '${folder}'`);
  return well(about, folder);
}

function findOpen(paths: readonly string[], bits: number): string | undefined {
  return paths.find((path) => ((statsOf(path)?.mode ?? 0) & bits) !== 0);
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A folder above it cannot be entered, which is found there.
    return undefined;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether there is room for what is kept. */
export function examineDisk(state: string, { maxBytes }: JournalBudget): Finding {
  const free = freeBytes(nearestThere(state));
  const message = `${showSize(free)} free for what is kept`;
  if (free >= maxBytes) return well("disk", message);
  return note(
    "disk",
    `${message}, of which there may be ${showSize(maxBytes)}`,
    "Free disk space, or keep less: TOOLCRIB_JOURNAL_MAX_BYTES",
  );
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function nearestThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThere(dirname(path));
}

/** Who answers web.search, as far as these variables tell; nobody is asked. */
export function examineSearch(variables: NodeJS.ProcessEnv): Finding {
  const settings = searchSettings(variables);
  if (settings === undefined)
    return note(
      "search",
      "no engine is set up, so that web.search is unavailable",
      "Set TOOLCRIB_SEARCH to one of: searxng https://…, brave, tavily, duckduckgo.",
    );
  if ("problem" in settings) return wrong("search", settings.problem, settings.hint);
  const { engine, url } = settings;
  return well("search", url === undefined ? engine : `${engine} at ${url}`);
}

/** Whether code can be parsed, which a process of its own does, and whether there is an index. */
export async function examineCode(options: PolicyOptions, signal: AbortSignal): Promise<readonly Finding[]> {
  const { size } = new WorkspaceIndex(options);
  return [
    await examineParser(signal),
    well("index", size === undefined ? "not built yet: the first question does so" : showSize(size)),
  ];
}

async function examineParser(signal: AbortSignal): Promise<Finding> {
  try {
    return well("code", `the parser starts, with grammars of ${await tryParser(signal)} languages`);
  } catch (error) {
    if (!(error instanceof ToolError) || signal.aborted) throw error;
    const hint = "The code tools fail without it. Install the package again, with a Node it supports.";
    return wrong("code", error.message, hint);
  }
}

/** Whether documents can be read, which a process of its own does. */
export async function examineDocuments(signal: AbortSignal): Promise<Finding> {
  try {
    return well("documents", `the reader starts, and reads a ${await tryDocuments(signal)}`);
  } catch (error) {
    if (!(error instanceof ToolError) || signal.aborted) throw error;
    const hint = "document.read fails without it. Install the package again, with a Node it supports.";
    return wrong("documents", error.message, hint);
  }
}
