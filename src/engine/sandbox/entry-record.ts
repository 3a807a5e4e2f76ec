import { createHash } from "node:crypto";
import { type BigIntStats, chmodSync, lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { attempt, statsAt } from "../../system/attempt.ts";
import { errnoOf } from "../../system/file-errors.ts";
import { PathChecker } from "../../system/path-checker.ts";
import { contentAt } from "../../system/pinned-path.ts";
import { type PinnedDirectory, ProcPinning } from "../../system/pinning.ts";
import { liesInside } from "../../system/workspace-path.ts";

/** The entry at a path, for comparing and restoring. A path without an entry has no record. */
export type EntryRecord =
  | {
      readonly kind: "file";
      readonly path: string;
      readonly mode: number;
      readonly owner: readonly [user: number, group: number];
      readonly hash: string;
    }
  | {
      readonly kind: "directory";
      readonly path: string;
      readonly mode: number;
      /** The directory has too many entries to record. */
      readonly isUnread?: true;
    }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  | { readonly kind: "other"; readonly path: string };

/** Stores the content of a file by its hash. */
type KeepContent = (hash: string, content: Uint8Array) => void;

const mostEntries = 5000;
const largestFile = 8 * 1024 * 1024;

/** Records entries at any depth, never through a link. Caches the hashes of unchanged files. */
export class EntryReader {
  readonly #hashes = new Map<string, string>();

  /** Reads entries with their contents, a directory before its entries. `isWhole` is false when some were not read. */
  read(
    paths: readonly string[],
    keep: KeepContent,
  ): { readonly entries: readonly EntryRecord[]; readonly isWhole: boolean } {
    const entries: EntryRecord[] = [];
    for (const path of paths) {
      const parent = pinDirectory(dirname(path));
      if (parent === undefined) continue;
      this.#readIn(parent, basename(path), path, keep, entries);
      parent.close();
    }
    return { entries, isWhole: !entries.some((entry) => entry.kind === "directory" && entry.isUnread) };
  }

  /** Reads the entry itself, without the entries in it; undefined when it does not exist. */
  readOne(
    parent: PinnedDirectory,
    name: string,
    path: string,
    keep: KeepContent = () => {},
  ): EntryRecord | undefined {
    const stats = lstatSync(parent.at(name), { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const mode = Number(stats.mode & 0o7777n);
    if (stats.isSymbolicLink()) return { kind: "link", path, target: readlinkSync(parent.at(name)) };
    if (stats.isDirectory()) return { kind: "directory", path, mode };
    if (!stats.isFile()) return { kind: "other", path };
    const owner = [Number(stats.uid), Number(stats.gid)] as const;
    return { kind: "file", path, mode, owner, hash: this.#hashOf(parent.at(name), stats, keep) };
  }

  #readIn(
    parent: PinnedDirectory,
    name: string,
    path: string,
    keep: KeepContent,
    entries: EntryRecord[],
  ): void {
    const entry = this.readOne(parent, name, path, keep);
    if (entry === undefined) return;
    if (entry.kind !== "directory") {
      entries.push(entry);
      return;
    }
    const directory = attempt(() => parent.child(name));
    // An inaccessible directory is read too, because the next command could make it accessible.
    if (!isOpen(entry.mode)) attempt(() => setMode(directory!, entry.mode | 0o700));
    const names = attempt(() => readdirSync(directory!.at(".")).sort());
    if (names === undefined || entries.length + names.length > mostEntries) {
      entries.push({ ...entry, isUnread: true });
    } else {
      entries.push(entry);
      for (const child of names) this.#readIn(directory!, child, `${path}/${child}`, keep, entries);
    }
    if (!isOpen(entry.mode)) attempt(() => setMode(directory!, entry.mode));
    directory?.close();
  }

  #hashOf(path: string, stats: BigIntStats, keep: KeepContent): string {
    const stamp = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(":");
    if (stats.size > largestFile) return `large ${stamp}`;
    const known = this.#hashes.get(stamp);
    if (known !== undefined) return known;
    const content = contentAt(path, largestFile);
    if (content === undefined) return `closed ${stamp}`;
    const hash = createHash("sha256").update(content).digest("hex");
    keep(hash, content);
    // File system clocks are coarse, so an entry that just changed may change again with the same time.
    if (Date.now() - Number(stats.ctimeMs) > settledMs) this.#hashes.set(stamp, hash);
    return hash;
  }
}

const settledMs = 100;

/** Pins a directory. Refuses links in its path. Returns undefined when it does not exist. */
export function pinDirectory(path: string): PinnedDirectory | undefined {
  let directory = pinRoot();
  for (const name of path.split("/").filter((part) => part !== "")) {
    const parent = directory;
    try {
      directory = parent.child(name);
    } catch (error) {
      if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(errnoOf(error) ?? "")) return undefined;
      throw error;
    } finally {
      parent.close();
    }
  }
  return directory;
}

export function pinRoot(): PinnedDirectory {
  const pinning = new ProcPinning("/", new PathChecker("/", undefined));
  const root = pinning.pin("/");
  pinning.close();
  return root;
}

/** Makes a directory of this user accessible, whatever mode a command has set. */
export function openUp(parent: PinnedDirectory, name: string): void {
  const directory = attempt(() => parent.child(name));
  if (directory === undefined) return;
  const mode = modeOf(directory);
  if (!isOpen(mode)) attempt(() => setMode(directory, mode | 0o700));
  directory.close();
}

/** Makes all directories of a workspace above these paths accessible. Returns a function that restores their modes. */
export function openUpAbove(paths: readonly string[], workspace: string): () => void {
  const above = new Set(paths.flatMap((path) => directoriesAbove(path, workspace)));
  const opened: { readonly directory: PinnedDirectory; readonly mode: number }[] = [];
  // Sorting puts outermost directories first.
  for (const path of [...above].sort()) {
    const directory = pinDirectory(path);
    if (directory === undefined) continue;
    const mode = modeOf(directory);
    if (!isOpen(mode) && attempt(() => setMode(directory, mode | 0o700))) opened.push({ directory, mode });
    else directory.close();
  }
  return () => {
    for (const { directory, mode } of opened.reverse()) {
      attempt(() => setMode(directory, mode));
      directory.close();
    }
  };
}

export function isOpen(mode: number): boolean {
  return (mode & 0o700) === 0o700;
}

/** Returns the mode of a directory by its handle, which also works for an inaccessible one. */
export function modeOf(directory: PinnedDirectory): number {
  return statSync(directory.at("")).mode & 0o7777;
}

export function setMode(directory: PinnedDirectory, mode: number): true {
  chmodSync(directory.at(""), mode);
  return true;
}

function directoriesAbove(path: string, workspace: string): readonly string[] {
  const parent = dirname(path);
  if (parent === workspace || !liesInside(parent, workspace)) return [parent];
  return [...directoriesAbove(parent, workspace), parent];
}

/** Returns the outermost link between a workspace and a path in it. */
export function linkAbove(path: string, workspace: string): string | undefined {
  const parent = dirname(path);
  if (parent === workspace || !liesInside(parent, workspace)) return undefined;
  return linkAbove(parent, workspace) ?? (statsAt(parent)?.isSymbolicLink() ? parent : undefined);
}
