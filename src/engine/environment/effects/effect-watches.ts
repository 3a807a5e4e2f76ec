import { join } from "node:path";
import type {
  ChangedRepository,
  Effects,
  EffectWatch,
  FileToKeep,
  RepositoryPart,
  WatchWanted,
} from "../../../contract/effects.ts";
import type { DirectoryChange, Environment } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import {
  isSettled,
  kindOf,
  type Repository,
  type Snapshot,
  type SnapshotOptions,
} from "../../../contract/snapshot.ts";
import { diskBytes } from "../../../lib/bytes/disk-bytes.ts";
import { attemptQuietly } from "../../../system/attempt.ts";
import { makePrivateDirectory } from "../../../system/directories.ts";
import { moveFile } from "../../../system/moved-file.ts";
import { readPrivateFile, writePrivateFile } from "../../../system/private-file.ts";
import { compareSnapshots, type HeldEntry, type HeldSnapshot, inGit } from "./compare-snapshots.ts";
import { GitContents, pathIn, repositoryOf } from "./git-contents.ts";
import { type PackedSnapshot, packSnapshot, unpackSnapshot } from "./pack-snapshot.ts";

export interface EffectParts {
  readonly environment: Pick<Environment, "start" | "workspace" | "changedSince">;
  readonly snapshot: (options: SnapshotOptions) => Promise<Snapshot>;
  /** A private folder with a record of each running watch. Default: a later process cannot resume one. */
  readonly folder: string | undefined;
}

/** The watches of one environment. */
export class EffectWatches {
  readonly #parts: EffectParts;
  readonly #git: GitContents;
  #latest: Known | undefined;

  constructor(parts: EffectParts) {
    this.#parts = parts;
    this.#git = new GitContents(parts.environment);
  }

  async watch(wanted: WatchWanted): Promise<EffectWatch> {
    checkId(wanted.id);
    const { id, without, storedSince, maxEntries, ignored, signal = never } = wanted;
    const earlier = this.#latest ?? this.#read(latestName);
    const isStored = earlier?.storedSince === storedSince;
    const last = isStored || earlier === undefined ? earlier?.snapshot : withoutStored(earlier.snapshot);
    const options = { without, maxEntries, ignored, signal, known: last };
    const before = writable(await this.#parts.snapshot(options));
    if (last !== undefined) await this.#forgetLost(before, last, signal);
    await this.#findInGit(before, signal);
    const staged = await this.#stagedIn(before, signal);
    const toKeep: FileToKeep[] = [];
    let keptBytes = 0;
    for (const [path, entry] of before.entries) {
      if (entry.held?.startsWith(inGit) || kindOf(entry) !== "file" || before.leftOut.has(path)) continue;
      const isNew = earlier !== undefined && !isSettled(entry, earlier.snapshot.takenMs);
      if (entry.held === undefined) toKeep.push({ path, bytes: entry.size, isNew });
      else keptBytes += diskBytes(entry.size);
    }
    const known = { snapshot: before, storedSince, staged };
    return { toKeep, keptBytes, ...this.#around(id, known, without) };
  }

  /** Continues the watch of an ended process. Returns undefined when there is no record of it. */
  async resume(id: string, without: readonly string[] | undefined): Promise<EffectWatch | undefined> {
    checkId(id);
    const known = this.#read(id);
    return known && { toKeep: [], keptBytes: 0, ...this.#around(id, known, without, known.startedMs) };
  }

  #around(
    id: string,
    known: Known,
    without: readonly string[] | undefined,
    since = Date.now(),
  ): Pick<EffectWatch, "keep" | "end" | "discard"> {
    const { snapshot: before, storedSince, staged } = known;
    let startedMs = since;
    let after: WritableSnapshot | undefined;
    return {
      keep: async (hashes) => {
        hold(before, hashes);
        startedMs = Date.now();
        this.#write(id, { ...known, startedMs });
      },
      end: async () => {
        after = writable(await this.#parts.snapshot({ without, like: before }));
        const treeOf = (path: string) => repositoryOf(before, path)?.path ?? "";
        const found = compareSnapshots(before, after, treeOf);
        await this.#forgetLost(after, before, never);
        return {
          ...found,
          folders: await this.#changedFolders(before, found.notCompared, startedMs),
          repositories: await this.#changedRepositories(before, after, staged),
        };
      },
      discard: async (hashes = new Map()) => {
        if (after !== undefined) {
          hold(after, hashes);
          this.#latest = { snapshot: after, storedSince };
        }
        if (this.#parts.folder !== undefined)
          attemptQuietly(() => moveFile(this.#at(id), this.#at(latestName)));
      },
    };
  }

  /** Forgets blobs that are no longer in the index, because git may delete them. */
  async #forgetLost(snapshot: WritableSnapshot, earlier: Snapshot, signal: AbortSignal): Promise<void> {
    const before = new Map(earlier.repositories.map(({ path, state }) => [path, state.index]));
    const changed = snapshot.repositories.filter(({ path, state }) => before.get(path) !== state.index);
    if (changed.length === 0 && before.size === snapshot.repositories.length) return;
    const indexes = new Map<Repository, ReadonlyMap<string, string>>();
    for (const repository of changed) indexes.set(repository, await this.#git.inIndex(repository, signal));
    const { entries } = snapshot;
    for (const [path, entry] of entries) {
      if (!entry.held?.startsWith(inGit)) continue;
      const repository = repositoryOf(snapshot, path);
      if (repository !== undefined && !indexes.has(repository)) continue;
      const oid = repository && indexes.get(repository)!.get(pathIn(repository, path));
      if (inGit + oid !== entry.held) entries.set(path, { ...entry, held: undefined });
    }
  }

  async #findInGit(snapshot: WritableSnapshot, signal: AbortSignal): Promise<void> {
    const { entries, leftOut, repositories } = snapshot;
    if (repositories.length === 0) return;
    const missing: string[] = [];
    for (const [path, entry] of entries)
      if (entry.held === undefined && kindOf(entry) === "file" && !leftOut.has(path)) missing.push(path);
    if (missing.length === 0) return;
    for (const [path, oid] of await this.#git.find(snapshot, missing, signal))
      entries.set(path, { ...entries.get(path)!, held: inGit + oid });
  }

  /** Returns the ignored folders in which something has changed, and those that have too many entries to tell. */
  async #changedFolders(
    { leftOut, entries }: Snapshot,
    notCompared: Effects["notCompared"],
    sinceMs: number,
  ): Promise<Effects["folders"]> {
    const folders = Array.from(leftOut).flatMap(([path, why]) =>
      why === "ignored" && kindOf(entries.get(path)!) === "directory" && !notCompared.has(path) ? [path] : [],
    );
    const { changedSince } = this.#parts.environment;
    if (folders.length === 0 || changedSince === undefined) return { changed: folders, unknown: [] };
    const found = await this.#parts.environment.changedSince!(folders, {
      sinceMs,
      maxEntries: maxUnseenEntries,
    });
    const having = (change: DirectoryChange) => folders.filter((path) => found.get(path) === change);
    return { changed: having("changed"), unknown: having("unknown") };
  }

  async #stagedIn({ repositories }: Snapshot, signal: AbortSignal): Promise<Staged> {
    const staged = new Map<string, string | undefined>();
    for (const repository of repositories)
      staged.set(repository.path, await this.#git.staged(repository, signal));
    return staged;
  }

  async #changedRepositories(
    before: Snapshot,
    after: Snapshot,
    staged: Staged = new Map(),
  ): Promise<readonly ChangedRepository[]> {
    const now = new Map(after.repositories.map((repository) => [repository.path, repository]));
    const changed: ChangedRepository[] = [];
    for (const repository of before.repositories) {
      const current = now.get(repository.path);
      // A removed repository is reported with its directory.
      if (current === undefined) continue;
      const parts: RepositoryPart[] = [];
      if (repository.state.head !== current.state.head) parts.push("HEAD");
      if (repository.state.refs !== current.state.refs) parts.push("branches or tags");
      if (repository.state.index !== current.state.index) {
        const earlier = staged.get(repository.path);
        const isSame = earlier !== undefined && earlier === (await this.#git.staged(current, never));
        if (!isSame) parts.push("the index");
      }
      if (parts.length > 0) changed.push({ path: repository.path, parts });
    }
    return changed;
  }

  #write(name: string, { snapshot, storedSince, startedMs }: Known): void {
    const { folder } = this.#parts;
    if (folder === undefined) return;
    makePrivateDirectory(folder);
    let holdings = "";
    for (const { held = "" } of snapshot.entries.values()) holdings += `${held}\0`;
    const stored: Stored = { format, snapshot: packSnapshot(snapshot), holdings, storedSince, startedMs };
    writePrivateFile(this.#at(name), [v8().serialize(stored)]);
  }

  #read(name: string): Known | undefined {
    if (this.#parts.folder === undefined) return undefined;
    try {
      const bytes = readPrivateFile(this.#at(name));
      const stored = bytes && (v8().deserialize(bytes) as Stored);
      if (stored?.format !== format) return undefined;
      const { storedSince, startedMs } = stored;
      const snapshot = writable(unpackSnapshot(stored.snapshot));
      const holdings = stored.holdings.split("\0");
      let index = 0;
      for (const [path, entry] of snapshot.entries) {
        const held = holdings[index];
        if (held) snapshot.entries.set(path, { ...entry, held });
        index += 1;
      }
      return { snapshot, storedSince, startedMs };
    } catch {
      // A damaged record only means that files are stored again.
      return undefined;
    }
  }

  #at(name: string): string {
    return join(this.#parts.folder!, name);
  }
}

/** A hash of what is staged, by working tree. */
type Staged = ReadonlyMap<string, string | undefined>;

interface Known {
  readonly snapshot: WritableSnapshot;
  /** Hashes of what was staged. Only this process knows them. */
  readonly staged?: Staged | undefined;
  readonly storedSince: number;
  /** When the call began to run. */
  readonly startedMs?: number | undefined;
}

interface Stored extends Omit<Known, "snapshot" | "staged"> {
  readonly format: typeof format;
  readonly snapshot: PackedSnapshot;
  /** The holding of each entry, or nothing, with a NUL character at its end. */
  readonly holdings: string;
}

const format = "toolcrib effects 1";
const latestName = "latest";

/** After a call: entries of ignored folders, to see whether it has changed them. */
const maxUnseenEntries = 2_000;

/** Refuses an id that is not the name of a file. */
function checkId(id: string): void {
  if (!/^\w+$/.test(id))
    throw new ToolError("invalid-input", "The id of a watch has other characters than letters");
}

const never = new AbortController().signal;

/** A snapshot whose entries can be replaced. The entries themselves never change, because several snapshots share them. */
interface WritableSnapshot extends HeldSnapshot {
  readonly entries: Map<string, HeldEntry>;
}

/** A new snapshot has no other owner yet. */
function writable(snapshot: Snapshot): WritableSnapshot {
  return snapshot as WritableSnapshot;
}

/** Leaves out what held contents, except for git. */
function withoutStored(snapshot: HeldSnapshot): HeldSnapshot {
  const entries = new Map(snapshot.entries);
  for (const [path, entry] of entries)
    if (!entry.held?.startsWith(inGit)) entries.set(path, { ...entry, held: undefined });
  return { ...snapshot, entries };
}

function hold({ entries }: WritableSnapshot, hashes: ReadonlyMap<string, string>): void {
  for (const [path, held] of hashes) {
    const entry = entries.get(path);
    if (entry !== undefined) entries.set(path, { ...entry, held });
  }
}

/** Loads the module on first use, because most calls need no scan. */
function v8(): typeof import("node:v8") {
  return process.getBuiltinModule("node:v8");
}
