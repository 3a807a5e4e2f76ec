import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { makePrivateDirectory, namesIn } from "../system/directories.ts";
import { isGone, thisProcess } from "../system/process-identity.ts";
import { liesInside } from "../system/workspace-path.ts";

/** What commands of one session have instead of the home and the temporary directory of the user. */
export interface PrivateDirectories {
  readonly home: string;
  readonly temporary: string;
  /** For the sandbox itself; no command sees it. */
  readonly own: string;
  close(): Promise<void>;
}

/** Creates them below a private directory, and removes those of sessions that were killed. */
export function openPrivateDirectories(directory: string): PrivateDirectories {
  const sessions = join(directory, "sessions");
  for (const name of namesIn(sessions)) {
    if (isAbandoned(sessions, name)) removeTree(join(sessions, name));
  }
  const session = join(sessions, `${thisProcess()}.${randomBytes(6).toString("hex")}`);
  makePrivateDirectory(session);
  const make = (name: string) => {
    const path = join(session, name);
    mkdirSync(path, { mode: 0o700 });
    return path;
  };
  const places = { home: make("home"), temporary: make("temporary"), own: make("own") };
  return { ...places, close: async () => removeTree(session) };
}

function isAbandoned(sessions: string, name: string): boolean {
  try {
    const ageMs = Date.now() - statSync(join(sessions, name)).mtimeMs;
    return isGone(name.split(".")[0] ?? "", ageMs, unseenMs);
  } catch {
    return false;
  }
}

// Processes of other containers cannot be seen, and may run for days.
const unseenMs = 30 * 24 * 60 * 60 * 1000;

/** Whatever permissions commands have set there: Go, for example, makes its modules read-only. */
function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    open(path);
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      removeDeepTree(path);
    }
  }
}

/** For trees deeper than a path can name: these programs descend step by step. Not waited for; the next session retries. */
function removeDeepTree(path: string): void {
  const line = 'chmod -R u+rwx "$1"; rm -rf "$1"';
  // PATH of this process may contain programs that commands have created.
  const env = { PATH: "/usr/bin:/bin" };
  spawn("/bin/sh", ["-c", line, "sh", path], { cwd: "/", env, detached: true, stdio: "ignore" })
    .on("error", () => {})
    .unref();
}

function open(directory: string): void {
  try {
    chmodSync(directory, 0o700);
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.isDirectory()) open(join(directory, entry.name));
    }
    rmdirSync(directory);
  } catch {
    // Not empty, or of another user.
  }
}

/** Where nothing can be mounted, links in the private home lead to what commands may read of the real one. */
export function linkToolChains(
  { home: inside }: PrivateDirectories,
  home: string,
  caches: readonly string[],
): void {
  for (const cache of caches) {
    const link = join(inside, relative(home, cache));
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(cache, link);
  }
}

/** The variables without those that name the user's own home and temporary directory. */
export function privateVariables(
  variables: Readonly<Record<string, string>>,
  { home, temporary }: PrivateDirectories,
): Record<string, string> {
  const kept = Object.entries(variables).filter(([name]) => !/^XDG_.*_(?:HOME|DIR)$/.test(name));
  return { ...Object.fromEntries(kept), HOME: home, TMPDIR: temporary, TMP: temporary, TEMP: temporary };
}

/**
 * A path outside the workspace that a command may write and that does not exist yet is created in the private home, and is
 * lost with it. Returns one function for each such path, to be called when the command has ended: a remark, or "".
 */
export function lostWrites(
  writable: readonly string[],
  replaced: readonly { readonly source: string; readonly target: string }[],
): readonly (() => string)[] {
  return writable.flatMap((path) => {
    const place = replaced.find(({ target }) => liesInside(path, target));
    if (place === undefined || stateOf(path) !== undefined) return [];
    const instead = join(place.source, relative(place.target, path));
    let before = stateOf(instead);
    return () => {
      const now = stateOf(instead);
      const isNew = now !== undefined && now !== before;
      before = now;
      return isNew ? lost(path) : "";
    };
  });
}

function stateOf(path: string): string | undefined {
  try {
    const { ino, ctimeNs } = lstatSync(path, { bigint: true });
    return `${ino} ${ctimeNs}`;
  } catch {
    return undefined;
  }
}

function lost(path: string): string {
  return `${path} is not there: it was written to the private home of commands, which does not stay. Make the file or directory outside first, then run the command again.`;
}
