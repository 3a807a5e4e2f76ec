import { createHash } from "node:crypto";
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { errnoOf } from "../../../system/file-errors.ts";
import { PathChecker } from "../../../system/path-checker.ts";
import type { PinnedDirectory } from "../../../system/pinning.ts";
import { ProcPinning } from "../../../system/pinning.ts";
import { liesInside } from "../../../system/workspace-path.ts";

/** What was at a path, so that it can be compared and restored. Nothing is recorded where nothing was. */
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
      /** It has too many entries to record. */
      readonly isUnread?: true;
    }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  | { readonly kind: "other"; readonly path: string };

/** Stores the content of a file by its hash. */
type KeepContent = (hash: string, content: Uint8Array) => void;

const mostEntries = 5000;
const largestFile = 8 * 1024 * 1024;

/** Records what is at paths, at any depth, never through a link. Remembers the hashes of unchanged files. */
export class EntryReader {
  readonly #hashes = new Map<string, string>();

  /** Outermost first. */
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

  /** The entry itself, without what is in it; undefined when nothing is there. */
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
    const directory = quietly(() => parent.child(name));
    // The next command could make a closed directory accessible.
    const isClosed = (entry.mode & 0o700) !== 0o700;
    if (isClosed) quietly(() => chmodSync(directory!.at(""), entry.mode | 0o700));
    const names = quietly(() => readdirSync(directory!.at(".")).sort());
    if (names === undefined || entries.length + names.length > mostEntries) {
      entries.push({ ...entry, isUnread: true });
    } else {
      entries.push(entry);
      for (const child of names) this.#readIn(directory!, child, `${path}/${child}`, keep, entries);
    }
    if (isClosed) quietly(() => chmodSync(directory!.at(""), entry.mode));
    directory?.close();
  }

  #hashOf(path: string, stats: BigIntStats, keep: KeepContent): string {
    const stamp = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(":");
    if (stats.size > largestFile) return `large ${stamp}`;
    const known = this.#hashes.get(stamp);
    if (known !== undefined) return known;
    const content = quietly(() => readWithoutLinks(path));
    if (content === undefined) return `closed ${stamp}`;
    const hash = createHash("sha256").update(content).digest("hex");
    keep(hash, content);
    // The clock of a file system is coarse: what changed just now may change again with the same time.
    if (Date.now() - Number(stats.ctimeMs) > settledMs) this.#hashes.set(stamp, hash);
    return hash;
  }
}

const settledMs = 100;

function readWithoutLinks(path: string): Uint8Array {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(handle).isFile()) throw new Error("no file");
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Sorted; none where the directory cannot be read. */
export function namesInside(directory: PinnedDirectory): readonly string[] {
  return quietly(() => readdirSync(directory.at(".")).sort()) ?? [];
}

/** Pins a directory, refusing links in its path; undefined when it is not there. */
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

/** Undefined instead of an error. */
export function quietly<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** Makes a directory of this user accessible, whatever mode a command has set. */
export function openUp(parent: PinnedDirectory, name: string): void {
  const directory = quietly(() => parent.child(name));
  if (directory === undefined) return;
  const mode = modeOf(directory);
  if (!isOpen(mode)) quietly(() => setMode(directory, mode | 0o700));
  directory.close();
}

/** The same for all directories of a workspace above these paths. Returns what restores their modes. */
export function openUpAbove(paths: readonly string[], workspace: string): () => void {
  const above = new Set(paths.flatMap((path) => directoriesAbove(path, workspace)));
  const opened: { readonly directory: PinnedDirectory; readonly mode: number }[] = [];
  // The outermost first.
  for (const path of [...above].sort()) {
    const directory = pinDirectory(path);
    if (directory === undefined) continue;
    const mode = modeOf(directory);
    if (!isOpen(mode) && quietly(() => setMode(directory, mode | 0o700)) !== undefined)
      opened.push({ directory, mode });
    else directory.close();
  }
  return () => {
    for (const { directory, mode } of opened.reverse()) {
      quietly(() => setMode(directory, mode));
      directory.close();
    }
  };
}

export function isOpen(mode: number): boolean {
  return (mode & 0o700) === 0o700;
}

/** By its handle, also where it is not accessible. */
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

/** The outermost link between a workspace and a path in it. */
export function linkOnTheWay(path: string, workspace: string): string | undefined {
  const parent = dirname(path);
  if (parent === workspace || !liesInside(parent, workspace)) return undefined;
  const isLink = quietly(() => lstatSync(parent).isSymbolicLink()) === true;
  return linkOnTheWay(parent, workspace) ?? (isLink ? parent : undefined);
}
