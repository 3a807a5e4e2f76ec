import { execFile } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

/** The state of one entry by its path. The first word of a key says what it is part of. */
export type State = ReadonlyMap<string, string>;

/** Reads a folder and the git repositories in it, without git's objects. */
export async function stateOf(folder: string): Promise<State> {
  const state = new Map<string, string>();
  const waiting: Promise<void>[] = [];
  const shown = (text: string) => text.replaceAll(folder, "FOLDER");

  function look(path: string, git: string | undefined): void {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const own = join(path, entry.name);
      if (!entry.isDirectory()) {
        if (git === undefined) state.set(`tree ${own}`, fileState(own));
        else readGitFile(own, git);
        continue;
      }
      const isGit = isGitDirectory(join(folder, own));
      if (git === undefined && !isGit) state.set(`tree ${own}`, `directory ${modeOf(own)}`);
      if (git === undefined || entry.name !== "objects") look(own, isGit ? own : git);
    }
  }

  function fileState(path: string): string {
    const absolute = join(folder, path);
    const stats = lstatSync(absolute);
    if (stats.isSymbolicLink()) return `link ${readlinkSync(absolute)}`;
    return stats.isFile() ? `${modeOf(path)} ${shown(readFileSync(absolute, "latin1"))}` : "special";
  }

  function modeOf(path: string): string {
    return (lstatSync(join(folder, path)).mode & 0o777).toString(8);
  }

  function readGitFile(path: string, git: string): void {
    const name = basename(path);
    // These names and their contents depend on inodes, times and process ids.
    if (/^(?:sharedindex\.|gc\.log$|fsmonitor)/.test(name) || path.includes("/subtree-cache/")) return;
    // Git copies them from its templates, and obeys none of them.
    if (/^description$|\.sample$/.test(name) || fileState(path).includes("# git ls-files --others")) return;
    if (name === "index") {
      waiting.push(
        output(join(folder, git), "ls-files", "-s", "-v").then(
          (text) => void state.set(`index ${git}`, text),
        ),
      );
    } else if (/^config(?:\.worktree)?$/.test(name)) {
      state.set(`settings ${path}`, fileState(path));
    } else {
      const part = /\/(?:refs|packed-refs)(?:\/|$)/.test(path) ? "refs" : name === "HEAD" ? "HEAD" : "state";
      state.set(`${part} ${path}`, fileState(path));
    }
  }

  look("", undefined);
  await Promise.all(waiting);
  return state;
}

function isGitDirectory(path: string): boolean {
  const has = (name: string) => existsSync(join(path, name));
  return has("HEAD") && ((has("objects") && has("refs")) || has("commondir"));
}

const run = promisify(execFile);

async function output(git: string, ...args: readonly string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    GIT_DIR: git,
    GIT_WORK_TREE: dirname(git),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
  };
  try {
    return (await run("git", [...args], { cwd: git, env, maxBuffer: 2 ** 26 })).stdout;
  } catch (error) {
    return `failed: ${(error as Error).message}`;
  }
}

/** Returns what differs, one line for each entry. */
export function differences(inside: State, plain: State): readonly string[] {
  return [...new Set([...plain.keys(), ...inside.keys()])].sort().flatMap((key) => {
    const [one, other] = [inside.get(key), plain.get(key)];
    if (one === other) return [];
    if (other === undefined) return [`${key}: only in the sandbox: ${short(one!)}`];
    if (one === undefined) return [`${key}: missing in the sandbox: ${short(other)}`];
    return [`${key}: ${firstDifference(one, other)}`];
  });
}

/** Names the first line that differs. */
export function firstDifference(inside: string, plain: string): string {
  const [ones, others] = [inside.split("\n"), plain.split("\n")];
  const at = others.findIndex((line, index) => line !== ones[index]);
  const index = at === -1 ? others.length : at;
  return `${short(ones[index] ?? "[no line]")} instead of ${short(others[index] ?? "[no line]")}`;
}

function short(text: string): string {
  return JSON.stringify(text.length > 160 ? `${text.slice(0, 160)}…` : text);
}
