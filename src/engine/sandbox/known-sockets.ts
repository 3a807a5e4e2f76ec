import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { realPathOf } from "../../sandbox/real-paths.ts";
import type { TreeEntry } from "../../sandbox/tree-scan.ts";
import { attempt, statsAt } from "../../system/attempt.ts";
import { liesInside } from "../../system/workspace-path.ts";

/**
 * Tells the unix sockets of this instance's commands from those of other programs, which commands must not reach. A socket
 * is their own if the network that they share lists it when it is first seen, and no program of the machine listens at
 * its name. The kernel lists the names to which sockets were bound, not the files: another program's socket counts as own if
 * a command has bound the same path before, or the same relative name in another directory.
 */
export class KnownSockets {
  readonly #foreign = new Set<string>();
  readonly #own = new Set<string>();
  #readInside: () => string = () => "";

  /** `readInside` reads the table of sockets (/proc/net/unix) in the network of the commands. */
  join(readInside: () => string): void {
    this.#readInside = readInside;
  }

  /** Returns the sockets among these that commands must not see. */
  foreign(paths: readonly string[]): readonly TreeEntry[] {
    if (paths.length === 0) return [];
    const names = namesOfMachine();
    const inside = pathsIn(this.#readInside()).filter((name) => !name.startsWith("@"));
    const bound = new Set(inside.map((name) => (name.startsWith("/") ? realPathOf(name) : undefined)));
    const relative = inside.filter((name) => !name.startsWith("/")).map((name) => join("/", name));
    return paths.flatMap((path): TreeEntry[] => {
      const stats = statsAt(path);
      if (stats === undefined) return [];
      const key = `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`;
      const isOfMachine = names === undefined || names.has(basename(path));
      const isInside = bound.has(path) || relative.some((name) => path.endsWith(name));
      if (!this.#foreign.has(key) && !this.#own.has(key))
        (isInside && !isOfMachine ? this.#own : this.#foreign).add(key);
      return this.#foreign.has(key) || isOfMachine ? [{ path, kind: "file" }] : [];
    });
  }
}

/** Returns the sockets of this machine in these directories, as far as their programs named them by full paths. */
export function socketsOfMachine(directories: readonly string[]): readonly TreeEntry[] {
  return [...pathsOfMachine(), "/nix/var/nix/daemon-socket/socket"]
    .filter((path) => directories.some((directory) => liesInside(path, directory)))
    .filter((path) => realPathOf(path) === path && statsAt(path)?.isSocket() === true)
    .map((path) => ({ path, kind: "file" }));
}

function pathsOfMachine(): readonly string[] {
  return pathsIn(attempt(() => readFileSync("/proc/net/unix", "utf8")) ?? "");
}

function pathsIn(table: string): readonly string[] {
  // A path is the eighth field, and may contain spaces.
  return table.split("\n").flatMap((line) => /^(?:\S+ +){7}(\S.*)$/.exec(line)?.[1] ?? []);
}

/**
 * Returns the last names of the sockets of this machine; undefined when they are unknown. Sockets of commands are in
 * network namespaces of their own. The paths may be relative to an unknown directory.
 */
function namesOfMachine(): ReadonlySet<string> | undefined {
  const paths = pathsOfMachine();
  return paths.length === 0 ? undefined : new Set(paths.map((path) => basename(path)));
}
