import { lstatSync, readdirSync, rmdirSync, type Stats, unlinkSync } from "node:fs";
import type { ChangeReceipt, DeleteOptions } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import { Breath, throwIfAborted } from "../../../text/breath.ts";
import { asToolError, errnoOf, isWorkspaceItself, needsRecursive, systemError } from "../../failures.ts";
import { withSlash } from "../../workspace-path.ts";
import type { PinnedDirectory, Pinning } from "../pinning/pinning.ts";
import { fileInfo } from "./file-info.ts";
import { findExisting, realPathOf } from "./place.ts";
import type { NamedPath } from "./read-file.ts";

/** Removes what stands at a path; a link itself, never what it points to. */
export async function deleteEntry(pinning: Pinning, path: NamedPath, options: DeleteOptions): Promise<void> {
  throwIfAborted(options.signal);
  const place = findExisting(pinning, path.absolute, { followLinks: false, givenPath: path.given });
  const { directory, name } = place;
  try {
    if (name === ".") throw isWorkspaceItself(path.given);
    if (!place.stats.isDirectory()) {
      options.announce?.([removal(realPathOf(place), place.stats)]);
      unlinkSync(directory.at(name));
    } else if (options.recursive !== true) throw needsRecursive(path.given);
    else await deleteTree(directory, name, path.given, options);
    directory.confirm();
  } finally {
    directory.close();
  }
}

async function deleteTree(
  parent: PinnedDirectory,
  name: string,
  givenPath: string,
  options: DeleteOptions,
): Promise<void> {
  const walk = new DeletingWalk(options);
  try {
    await walk.empty(parent.child(name));
    walk.announce(parent, Buffer.from(name));
    rmdirSync(parent.at(name));
  } catch (error) {
    const { code, message, hint } = asToolError(error, givenPath);
    if (walk.deleted === 0) throw error;
    throw new ToolError(
      code,
      `${message}; a part of ${givenPath} is already deleted, the rest is still there`,
      {
        ...(hint === undefined ? {} : { hint }),
        cause: error,
      },
    );
  }
}

interface Level {
  readonly name: Uint8Array;
  readonly identity: string;
  /** Directories in it that are still to be deleted. */
  readonly pending: Uint8Array[];
}

/**
 * Deletes by held directories: one that is exchanged for a link meanwhile is an error, never a way out. Only the
 * directory it is in is held, so that depth costs nothing; on the way back ".." must be where it came from.
 */
class DeletingWalk {
  deleted = 0;
  readonly #breath: Breath;
  readonly #announce: DeleteOptions["announce"];

  constructor({ signal, announce }: DeleteOptions) {
    this.#breath = new Breath(signal);
    this.#announce = announce;
  }

  announce(here: PinnedDirectory, name: Uint8Array): void {
    if (this.#announce === undefined) return;
    const stats = lstatSync(here.bytesAt(name), { throwIfNoEntry: false });
    if (stats !== undefined) this.#announce([removal(withSlash(here.realPath) + name, stats)]);
  }

  /** Empties a directory and closes it. */
  async empty(top: PinnedDirectory): Promise<void> {
    let here = top;
    try {
      const above: Level[] = [];
      let level = await this.#enter(here, Buffer.alloc(0));
      for (;;) {
        const next = level.pending.pop();
        if (next !== undefined) {
          here = replace(here, held(here, next));
          above.push(level);
          level = await this.#enter(here, next);
          continue;
        }
        const back = above.pop();
        if (back === undefined) return;
        here = replace(here, here.parent());
        if (here.identity() !== back.identity) throw systemError("ESTALE", here.realPath);
        this.#remove(rmdirSync, here, level.name);
        level = back;
      }
    } finally {
      here.close();
    }
  }

  /** Deletes what is no directory. */
  async #enter(here: PinnedDirectory, name: Uint8Array): Promise<Level> {
    const pending: Uint8Array[] = [];
    for (const entry of readdirSync(here.at("."), { withFileTypes: true, encoding: "buffer" })) {
      if (entry.isDirectory()) pending.push(entry.name);
      else this.#remove(unlinkSync, here, entry.name);
      if (this.#breath.isDue) await this.#breath.take();
    }
    return { name, identity: here.identity(), pending };
  }

  #remove(act: (path: Buffer) => void, here: PinnedDirectory, name: Uint8Array): void {
    this.announce(here, name);
    try {
      act(here.bytesAt(name));
      this.deleted += 1;
    } catch (error) {
      // Somebody else deletes as well; gone is gone.
      if (errnoOf(error) !== "ENOENT") throw error;
    }
  }
}

function removal(realPath: string, stats: Stats): ChangeReceipt {
  return { realPath, before: fileInfo(stats), after: undefined };
}

function replace(before: PinnedDirectory, after: PinnedDirectory): PinnedDirectory {
  before.close();
  return after;
}

/** What was a directory a moment ago has to be one still. */
function held(here: PinnedDirectory, name: Uint8Array): PinnedDirectory {
  try {
    return here.child(name);
  } catch (error) {
    const errno = errnoOf(error);
    throw errno === "ENOTDIR" || errno === "ELOOP" ? systemError("ESTALE", here.realPath) : error;
  }
}
