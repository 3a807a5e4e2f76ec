import { lstatSync, readdirSync, rmdirSync, type Stats, unlinkSync } from "node:fs";
import type { ChangeReceipt, DeleteOptions } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import { throwIfAborted } from "../../../lib/async/abort.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import {
  asToolError,
  errnoOf,
  isStale,
  isWorkspaceItself,
  needsRecursive,
  systemError,
} from "../../../system/file-errors.ts";
import type { PathChecker } from "../../../system/path-checker.ts";
import type { PinnedDirectory, Pinning } from "../../../system/pinning.ts";
import { withSlash } from "../../../system/workspace-path.ts";
import { fileInfo } from "./file-info.ts";
import {
  type EntryLocation,
  isSameEntry,
  locateExisting,
  realPathOf,
  refuseChanged,
} from "./locate-entry.ts";
import type { NamedPath } from "./read-file.ts";

/** Deletes the entry at a path. A link is deleted itself, never its target. */
export async function deleteEntry(pinning: Pinning, path: NamedPath, options: DeleteOptions): Promise<void> {
  throwIfAborted(options.signal);
  const location = locateExisting(pinning, path.absolute, { followLinks: false, givenPath: path.given });
  const { directory, name } = location;
  try {
    if (name === ".") throw isWorkspaceItself(path.given);
    pinning.checker.check("write", realPathOf(location), path.given);
    if (!location.stats.isDirectory()) {
      const answer = options.announce?.([removal(realPathOf(location), location.stats)]);
      if (answer !== undefined) {
        await answer;
        throwIfAborted(options.signal);
        refuseChanged(location, path.given);
      }
      unlinkSync(directory.at(name));
    } else if (options.recursive !== true) throw needsRecursive(path.given);
    else await deleteTree(pinning.checker, location, path.given, options);
    directory.confirm();
  } finally {
    directory.close();
  }
}

async function deleteTree(
  checker: PathChecker,
  { directory: parent, name }: EntryLocation,
  givenPath: string,
  { signal, announce }: DeleteOptions,
): Promise<void> {
  const timeSlice = new TimeSlice(signal);
  let hasDeleted = false;
  const check = (here: PinnedDirectory, entry: Uint8Array): void =>
    checker.check("write", withSlash(here.realPath) + entry, givenPath);
  const announced = announce && new AnnouncedEntries(announce);
  const foresee: Visit = (here, entry) => {
    check(here, entry);
    return announced?.add(here, entry);
  };
  const remove: Visit = (here, entry, kind) => {
    check(here, entry);
    announced?.refuseOther(here, entry);
    try {
      (kind === "directory" ? rmdirSync : unlinkSync)(here.bytesAt(entry));
      hasDeleted = true;
    } catch (error) {
      // Another process may have deleted the entry.
      if (errnoOf(error) !== "ENOENT") throw error;
    }
  };
  try {
    // All entries are checked and announced before the first is deleted.
    if (checker.isGuarded || announced) await walkTree(parent.child(name), foresee, timeSlice);
    await announced?.add(parent, Buffer.from(name));
    await announced?.flush();
    throwIfAborted(signal);
    await walkTree(parent.child(name), remove, timeSlice);
    announced?.refuseOther(parent, Buffer.from(name));
    rmdirSync(parent.at(name));
  } catch (error) {
    const { code, message, hint } = asToolError(error, givenPath);
    if (!hasDeleted) throw error;
    throw new ToolError(code, `${message}; ${givenPath} is partly deleted`, { hint, cause: error });
  }
}

function removal(realPath: string, stats: Stats): ChangeReceipt {
  return { realPath, before: fileInfo(stats), after: undefined };
}

/** The announced entries of a deletion. Only these may be deleted, and only unchanged. */
class AnnouncedEntries {
  readonly #announce: NonNullable<DeleteOptions["announce"]>;
  readonly #stats = new Map<string, Stats>();
  #waiting: ChangeReceipt[] = [];
  #directory: { readonly pinned: PinnedDirectory; readonly identity: string } | undefined;

  constructor(announce: NonNullable<DeleteOptions["announce"]>) {
    this.#announce = announce;
  }

  add(here: PinnedDirectory, entry: Uint8Array): void | Promise<void> {
    const stats = lstatSync(here.bytesAt(entry), { throwIfNoEntry: false });
    if (stats === undefined) return;
    this.#stats.set(this.#keyOf(here, entry), stats);
    this.#waiting.push(removal(withSlash(here.realPath) + entry, stats));
    if (this.#waiting.length >= announcedAtOnce) return this.flush();
  }

  flush(): void | Promise<void> {
    const effects = this.#waiting;
    this.#waiting = [];
    if (effects.length > 0) return this.#announce(effects);
  }

  refuseOther(here: PinnedDirectory, entry: Uint8Array): void {
    const now = lstatSync(here.bytesAt(entry), { throwIfNoEntry: false });
    const before = this.#stats.get(this.#keyOf(here, entry));
    if (now === undefined || (before !== undefined && isSameEntry(before, now))) return;
    throw isStale(withSlash(here.realPath) + entry, before === undefined ? "there" : "changed");
  }

  /** Two names that are not valid UTF-8 may have the same text. */
  #keyOf(pinned: PinnedDirectory, entry: Uint8Array): string {
    if (this.#directory?.pinned !== pinned) this.#directory = { pinned, identity: pinned.identity() };
    return `${this.#directory.identity}/${Buffer.from(entry).toString("latin1")}`;
  }
}

const announcedAtOnce = 1000;

/** Is called for each entry, and for a directory after its contents. */
export type Visit = (
  here: PinnedDirectory,
  name: Uint8Array,
  kind: "directory" | "other",
) => void | Promise<void>;

/**
 * Visits everything in a directory, and closes it. A directory that is replaced by a link is an error and is never
 * entered. Only the current directory is pinned, so depth costs no descriptors. On the way back, ".." must be the
 * directory from which this one was entered.
 */
export async function walkTree(top: PinnedDirectory, visit: Visit, timeSlice: TimeSlice): Promise<void> {
  let here = top;
  try {
    const above: Level[] = [];
    let level = await enter(here, Buffer.alloc(0), visit, timeSlice);
    for (;;) {
      const next = level.pending.pop();
      if (next !== undefined) {
        here = replace(here, childOf(here, next));
        above.push(level);
        level = await enter(here, next, visit, timeSlice);
        continue;
      }
      const back = above.pop();
      if (back === undefined) return;
      here = replace(here, here.parent());
      if (here.identity() !== back.identity) throw systemError("ESTALE", here.realPath);
      const answer = visit(here, level.name, "directory");
      if (answer !== undefined) await answer;
      level = back;
    }
  } finally {
    here.close();
  }
}

interface Level {
  readonly name: Uint8Array;
  readonly identity: string;
  readonly pending: Uint8Array[];
}

async function enter(
  here: PinnedDirectory,
  name: Uint8Array,
  visit: Visit,
  timeSlice: TimeSlice,
): Promise<Level> {
  const pending: Uint8Array[] = [];
  for (const entry of readdirSync(here.at("."), { withFileTypes: true, encoding: "buffer" })) {
    const answer = entry.isDirectory() ? void pending.push(entry.name) : visit(here, entry.name, "other");
    if (answer !== undefined) await answer;
    if (timeSlice.isOver) await timeSlice.next();
  }
  return { name, identity: here.identity(), pending };
}

function replace(before: PinnedDirectory, after: PinnedDirectory): PinnedDirectory {
  before.close();
  return after;
}

/** Pins a subdirectory. Throws ESTALE when the entry is no longer a directory. */
function childOf(here: PinnedDirectory, name: Uint8Array): PinnedDirectory {
  try {
    return here.child(name);
  } catch (error) {
    const errno = errnoOf(error);
    throw errno === "ENOTDIR" || errno === "ELOOP" ? systemError("ESTALE", here.realPath) : error;
  }
}
