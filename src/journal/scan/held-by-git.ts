import type { Environment } from "../../contract/environment.ts";
import { figure, figureCount, type Repository, type Snapshot } from "../../contract/snapshot.ts";
import { GitBlobs, type IndexedFile } from "./git-blobs.ts";
import { type IndexEntry, readGitIndex } from "./git-index.ts";
import { bytesAt, type Holding, isHeldByGit, isSettled, repositoryOf } from "./ledger.ts";

/** Finds the files whose content git has already, so that they need no copy. */
export class HeldByGit {
  readonly #environment: Environment;
  /** By the path of the working tree. */
  readonly #indexes = new Map<string, KnownIndex>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Forgets what git held once and would now be free to throw away. */
  forgetLost(snapshot: Snapshot, holdings: (Holding | undefined)[], earlier: Snapshot | undefined): void {
    const before = new Map(earlier?.repositories.map(({ path, state }) => [path, state.index]));
    const isAsBefore = ({ path, state }: Repository) => before.get(path) === state.index;
    if (snapshot.repositories.every(isAsBefore) && before.size === snapshot.repositories.length) return;
    for (const [place, holding] of holdings.entries()) {
      if (holding === undefined || !isHeldByGit(holding)) continue;
      const path = snapshot.paths[place]!;
      const repository = repositoryOf(snapshot, path);
      const isHeld = repository && (isAsBefore(repository) || this.#find(repository, path)?.oid === holding);
      if (!isHeld) holdings[place] = undefined;
    }
  }

  /** What git holds of the files at these places, unchanged and as they are. */
  async find(
    snapshot: Snapshot,
    places: readonly number[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, Holding>> {
    const candidates = new Map<Repository, (IndexedFile & { readonly place: number })[]>();
    for (const place of places) {
      const path = snapshot.paths[place]!;
      const repository = repositoryOf(snapshot, path);
      const entry = repository && this.#find(repository, path);
      if (!entry || !this.#isUnchanged(repository, entry, snapshot, place)) continue;
      const file = { path: pathIn(repository, path), oid: entry.oid, bytes: bytesAt(snapshot, place), place };
      const files = candidates.get(repository);
      if (files === undefined) candidates.set(repository, [file]);
      else files.push(file);
    }
    const held = new Map<number, Holding>();
    for (const [repository, files] of candidates) {
      const verified = await new GitBlobs(this.#environment, repository.path).verify(files, signal);
      const isVerified = new Set(verified);
      for (const file of files) if (isVerified.has(file)) held.set(file.place, file.oid);
    }
    return held;
  }

  #find(repository: Repository, path: string): IndexEntry | undefined {
    return this.#index(repository).entries?.get(repository.prefix + pathIn(repository, path));
  }

  #index(repository: Repository): KnownIndex {
    const known = this.#indexes.get(repository.path);
    if (known?.state === repository.state.index) return known;
    const read = repository.readIndex();
    const index = {
      state: repository.state.index,
      modifiedMs: read?.modifiedMs ?? 0,
      entries: read && readGitIndex(read.bytes),
    };
    this.#indexes.set(repository.path, index);
    return index;
  }

  #isUnchanged(repository: Repository, entry: IndexEntry, snapshot: Snapshot, place: number): boolean {
    const start = place * figureCount;
    const is = (column: number, value: number) => snapshot.figures[start + column] === value;
    return (
      is(figure.modified, entry.modifiedMs) &&
      is(figure.changed, entry.changedMs) &&
      is(figure.bytes, entry.bytes) &&
      snapshot.figures[start + figure.inode]! % 2 ** 32 === entry.inode &&
      // What was changed as late as the index was written may have been changed after git looked.
      entry.modifiedMs < this.#index(repository).modifiedMs &&
      isSettled(snapshot, place)
    );
  }
}

interface KnownIndex {
  readonly state: string;
  readonly modifiedMs: number;
  readonly entries: ReadonlyMap<string, IndexEntry> | undefined;
}

/** A path as seen from the directory in the repository that is in the workspace. */
function pathIn(repository: Repository, path: string): string {
  return repository.path === "" ? path : path.slice(repository.path.length + 1);
}
