import { chmodSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { lostWrite } from "../lib/lost-write.ts";
import { attempt, attemptQuietly, statsAt } from "../system/attempt.ts";
import { makePrivateDirectory, namesIfReadable, namesIn } from "../system/directories.ts";
import { longAbandonedMs, newRecordName, ownerHasEnded } from "../system/process-identity.ts";
import { startProgram } from "../system/start-program.ts";
import { liesInside } from "../system/workspace-path.ts";

/** The home and temporary directory that commands of one session have instead of the user's. */
export interface PrivateDirectories {
  readonly home: string;
  readonly temporary: string;
  /** A directory for the sandbox itself. No command sees it. */
  readonly own: string;
  close(): Promise<void>;
}

/** Creates the directories of a session in `directory`, and removes those of killed sessions. */
export function openPrivateDirectories(directory: string, shared?: string): PrivateDirectories {
  const sessions = join(directory, "sessions");
  for (const name of namesIn(sessions)) {
    const path = join(sessions, name);
    const modifiedMs = statsAt(path)?.mtimeMs;
    if (modifiedMs !== undefined && ownerHasEnded(name, Date.now() - modifiedMs, longAbandonedMs))
      removeTree(path);
  }
  const session = join(sessions, newRecordName());
  makePrivateDirectory(session);
  const make = (name: string) => {
    const path = join(session, name);
    mkdirSync(path, { mode: 0o700 });
    return path;
  };
  return {
    home: make("home"),
    temporary: shared ?? make("temporary"),
    own: make("own"),
    close: async () => removeTree(session),
  };
}

/** Removes a tree whatever permissions commands have set in it. Go, for example, makes its modules read-only. */
function removeTree(path: string): void {
  const remove = () => {
    rmSync(path, { recursive: true, force: true });
    return true;
  };
  if (attemptQuietly(remove)) return;
  makeWritable(path);
  if (attemptQuietly(remove)) return;
  // The tree is probably deeper than a path can name. These programs descend step by step. They are not awaited,
  // because the next session tries again.
  const line = 'chmod -R u+rwx "$1"; rm -rf "$1"';
  // The PATH of this process may contain programs that commands have created.
  const env = { PATH: "/usr/bin:/bin" };
  startProgram("/bin/sh", ["-c", line, "sh", path], { cwd: "/", env, detached: true, stdio: "ignore" })
    .on("error", () => {})
    .unref();
}

/** Makes all directories of a tree writable and removes the empty ones. Skips those of another user. */
function makeWritable(directory: string): void {
  attemptQuietly(() => {
    chmodSync(directory, 0o700);
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.isDirectory()) makeWritable(join(directory, entry.name));
    }
    rmdirSync(directory);
  });
}

/** Links the readable parts of the real home into the private home, for sandboxes that cannot mount. */
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

/** Replaces the variables that name the user's own home and temporary directory. */
export function privateVariables(
  variables: Readonly<Record<string, string>>,
  { home, temporary }: PrivateDirectories,
): Record<string, string> {
  const kept = Object.entries(variables).filter(([name]) => !/^XDG_.*_(?:HOME|DIR)$/.test(name));
  return { ...Object.fromEntries(kept), HOME: home, TMPDIR: temporary, TMP: temporary, TEMP: temporary };
}

/**
 * Detects lost writes: what a command creates in the private home is deleted with it. Looks at missing paths that the
 * command may write, and at the home itself, where programs keep their own state in dot files and in `go`. Returns a
 * function that returns the remarks after each command.
 */
export function lostWrites(
  writable: readonly string[],
  homes: readonly { readonly source: string; readonly target: string }[],
): () => readonly string[] {
  const states = () =>
    new Map(
      homes.flatMap(({ source, target }) => {
        const isOfUser = (name: string) => !name.startsWith(".") && name !== "go";
        const named = writable.filter((path) => liesInside(path, target));
        const visible = namesIfReadable(source).filter(isOfUser);
        return [...named, ...visible.map((name) => join(target, name))]
          .filter((path) => stateOf(path) === undefined)
          .map((path) => [path, stateOf(join(source, relative(target, path)))] as const);
      }),
    );
  let before = states();
  return () => {
    const now = states();
    const lost = [...now].filter(([path, state]) => state !== undefined && state !== before.get(path));
    before = now;
    return lost.map(([path]) => {
      const isNamed = writable.some((named) => liesInside(path, named));
      return lostWrite(path, isNamed);
    });
  };
}

function stateOf(path: string): string | undefined {
  const stats = attempt(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  return stats && `${stats.ino} ${stats.ctimeNs}`;
}
