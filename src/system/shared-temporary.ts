import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { ExtraRoots } from "../contract/guard.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { attempt } from "./attempt.ts";
import { realLocation } from "./directories.ts";
import { liesInside } from "./workspace-path.ts";

/**
 * The temporary directory that file tools and sandboxed commands of one workspace share. The real one would lead out of
 * the sandbox: other programs have sockets there. It is private to the user, and stays until the machine clears its temporary
 * directory, because other instances of the workspace and their commands may use it.
 */
export class SharedTemporary {
  readonly directory: string;
  /** False when commands use the real temporary directories. */
  isUsed = true;
  readonly #replaced: readonly string[];
  readonly #except: readonly string[];

  private constructor(directory: string, replaced: readonly string[], except: readonly string[]) {
    this.directory = directory;
    // Commands see the directory in place of each of them, also of one inside another.
    this.#replaced = replaced.toSorted((one, other) => other.length - one.length);
    this.#except = except;
  }

  /** Creates the directory; undefined when nothing is shared, or when another user has taken its name. */
  static open(
    workspace: string,
    { temporary = [], write = [] }: Pick<ExtraRoots, "temporary" | "write">,
  ): SharedTemporary | undefined {
    if (temporary.length === 0) return undefined;
    const name = contentHash(workspace).slice(0, 16);
    const directory = join(realLocation(tmpdir()), `toolcrib-${process.getuid?.() ?? 0}-${name}`);
    if (!keepTemporary(directory) || !isPrivate(directory)) return undefined;
    const except = [workspace, ...write.filter((path) => !temporary.includes(path))];
    return new SharedTemporary(directory, temporary, except);
  }

  /** Returns where a path of a temporary directory really is. Other paths stay unchanged. */
  locate(path: string): string {
    if (!this.isUsed || [this.directory, ...this.#except].some((other) => liesInside(path, other)))
      return path;
    const top = this.#replaced.find((each) => liesInside(path, each));
    return top === undefined ? path : join(this.directory, relative(top, path));
  }
}

/**
 * Creates the temporary directory of commands when the machine has cleared it, because they would see the real one instead.
 * Returns false when another user has taken its name.
 */
export function keepTemporary(directory: string): boolean {
  attempt(() => mkdirSync(directory, { mode: 0o700 }));
  return attempt(() => lstatSync(directory))?.isDirectory() === true && isOfUser(directory);
}

/** Whether the directory belongs to the user. */
export function isOfUser(directory: string): boolean {
  return attempt(() => lstatSync(directory).uid) === process.getuid?.();
}

function isPrivate(directory: string): boolean {
  const stats = attempt(() => lstatSync(directory));
  return stats?.isDirectory() === true && isOfUser(directory) && (stats.mode & 0o077) === 0;
}
