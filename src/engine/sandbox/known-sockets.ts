import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { realPathOf } from "../../sandbox/real-paths.ts";
import type { TreeEntry } from "../../sandbox/tree-scan.ts";
import { attempt, statsAt } from "../../system/attempt.ts";
import { liesInside } from "../../system/workspace-path.ts";

/**
 * Tells the unix sockets that commands of this instance have made from those of other programs, which commands must not
 * reach. A socket is their own if it appeared while one of them ran, and no program of the machine listens at its name.
 */
export class KnownSockets {
  readonly #foreign = new Set<string>();
  readonly #own = new Set<string>();
  #running = 0;
  /** Whether a command may have run since the last look. */
  #mayHaveMade = false;

  begin(): void {
    this.#running += 1;
    this.#mayHaveMade = true;
  }

  end(): void {
    this.#running -= 1;
  }

  /** Returns the sockets among these that commands must not see. */
  foreign(paths: readonly string[]): readonly TreeEntry[] {
    if (paths.length === 0) {
      this.#mayHaveMade = this.#running > 0;
      return [];
    }
    const names = namesOfMachine();
    const found = paths.flatMap((path): TreeEntry[] => {
      const stats = statsAt(path);
      if (stats === undefined) return [];
      const key = `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`;
      const isOfMachine = names === undefined || names.has(basename(path));
      if (!this.#foreign.has(key) && !this.#own.has(key))
        (this.#mayHaveMade && !isOfMachine ? this.#own : this.#foreign).add(key);
      return this.#foreign.has(key) || isOfMachine ? [{ path, kind: "file" }] : [];
    });
    this.#mayHaveMade = this.#running > 0;
    return found;
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
  const table = attempt(() => readFileSync("/proc/net/unix", "utf8")) ?? "";
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
