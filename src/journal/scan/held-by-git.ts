import type { Environment } from "../../contract/environment.ts";
import { figure, isSettled, type Repository, type Snapshot } from "../../contract/snapshot.ts";
import { GitBlobs, type IndexedFile } from "./git-blobs.ts";
import { type GitIndex, type IndexEntry, readGitIndex } from "./git-index.ts";
import type { Holdings } from "./holdings.ts";
import { bytesAt, repositoryOf } from "./ledger.ts";

/** Finds the files whose content git has, so that they need no copy. */
export class HeldByGit {
  readonly #environment: Environment;
  /** Indexes by the path of the working tree. */
  readonly #indexes = new Map<string, KnownIndex>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Reads the current indexes, to detect changes later. */
  remember({ repositories }: Snapshot): void {
    for (const repository of repositories) this.#index(repository);
  }

  /** Returns whether a commit would now contain something else. Git's cached file times do not count. */
  hasStaged(before: Repository, now: Repository): boolean {
    if (before.state.index === now.state.index) return false;
    const known = this.#indexes.get(before.path);
    const staged = known?.state === before.state.index ? known.staged : undefined;
    return staged === undefined || staged !== this.#index(now).staged;
  }

  /** Removes blobs that are no longer in the index, because git may delete them. */
  forgetLost(snapshot: Snapshot, holdings: Holdings, earlier: Snapshot | undefined): void {
    const before = new Map(earlier?.repositories.map(({ path, state }) => [path, state.index]));
    const isAsBefore = ({ path, state }: Repository) => before.get(path) === state.index;
    if (snapshot.repositories.every(isAsBefore) && before.size === snapshot.repositories.length) return;
    for (const position of holdings.positions()) {
      if (!holdings.isHeldByGit(position)) continue;
      const path = snapshot.entries.pathAt(position);
      const repository = repositoryOf(snapshot, path);
      const isHeld =
        repository &&
        (isAsBefore(repository) || this.#find(repository, path)?.oid === holdings.get(position));
      if (!isHeld) holdings.set(position, undefined);
    }
  }

  /** Adds the blobs with the exact current content of the files at these positions. */
  async find(
    snapshot: Snapshot,
    positions: readonly number[],
    holdings: Holdings,
    signal: AbortSignal,
  ): Promise<void> {
    for (let first = 0; first < positions.length; first += batchFiles)
      await this.#findSome(snapshot, positions.slice(first, first + batchFiles), holdings, signal);
  }

  /** Frees the memory of the indexes, but not the hashes of what was staged. */
  release(): void {
    for (const index of this.#indexes.values()) index.release();
  }

  async #findSome(
    snapshot: Snapshot,
    positions: readonly number[],
    holdings: Holdings,
    signal: AbortSignal,
  ): Promise<void> {
    const candidates: (IndexedFile & { readonly position: number; readonly repository: Repository })[] = [];
    for (const position of positions) {
      const path = snapshot.entries.pathAt(position);
      const repository = repositoryOf(snapshot, path);
      const entry = repository && this.#find(repository, path);
      if (!entry || !this.#isUnchanged(repository, entry, snapshot, position)) continue;
      const file = {
        path: pathIn(repository, path),
        oid: entry.oid,
        bytes: bytesAt(snapshot, position),
        position,
      };
      candidates.push({ ...file, repository });
    }
    for (const [repository, files] of Map.groupBy(candidates, (file) => file.repository)) {
      const blobs = new GitBlobs(this.#environment, repository.path);
      for (const { position, oid } of await blobs.verify(files, signal)) holdings.set(position, oid);
    }
  }

  #find(repository: Repository, path: string): IndexEntry | undefined {
    return this.#index(repository).find(repository.prefix + pathIn(repository, path));
  }

  #index(repository: Repository): KnownIndex {
    const known = this.#indexes.get(repository.path);
    if (known?.state === repository.state.index) return known;
    const index = new KnownIndex(repository);
    this.#indexes.set(repository.path, index);
    return index;
  }

  #isUnchanged(repository: Repository, entry: IndexEntry, snapshot: Snapshot, position: number): boolean {
    const is = (column: number, value: number) => snapshot.entries.figureAt(position, column) === value;
    return (
      is(figure.modified, entry.modifiedMs) &&
      is(figure.changed, entry.changedMs) &&
      is(figure.bytes, entry.bytes) &&
      snapshot.entries.figureAt(position, figure.inode) % 2 ** 32 === entry.inode &&
      // A file that changed when the index was written may have changed after git read it.
      entry.modifiedMs < this.#index(repository).modifiedMs &&
      isSettled(snapshot, position)
    );
  }
}

/** The files that are verified at once. The output of git about each takes about a kilobyte of memory. */
const batchFiles = 30_000;

/** An index, in memory while it is used. */
class KnownIndex {
  readonly state: string;
  /** The hash of what was staged. */
  readonly staged: string | undefined;
  readonly #repository: Repository;
  #modifiedMs = 0;
  #index: GitIndex | undefined;
  #isRead = false;

  constructor(repository: Repository) {
    this.#repository = repository;
    this.state = repository.state.index;
    this.#read();
    this.staged = this.#index?.staged;
  }

  get modifiedMs(): number {
    if (!this.#isRead) this.#read();
    return this.#modifiedMs;
  }

  find(path: string): IndexEntry | undefined {
    if (!this.#isRead) this.#read();
    return this.#index?.find(path);
  }

  release(): void {
    this.#index = undefined;
    this.#isRead = false;
  }

  #read(): void {
    const read = this.#repository.readIndex();
    this.#modifiedMs = read?.modifiedMs ?? 0;
    this.#index = read && readGitIndex(read.bytes);
    this.#isRead = true;
  }
}

/** Returns the path relative to the repository's directory in the workspace. */
function pathIn(repository: Repository, path: string): string {
  return repository.path === "" ? path : path.slice(repository.path.length + 1);
}

/** Describes changes that a command has made to the repositories themselves, which undo does not cover. */
export function movedGit(
  before: Snapshot,
  after: Snapshot,
  git: Pick<HeldByGit, "hasStaged">,
): readonly string[] {
  const now = new Map(after.repositories.map((repository) => [repository.path, repository]));
  return before.repositories.flatMap((repository) => {
    const parts = changedParts(repository, now.get(repository.path), git);
    const name = repository.path === "" ? ".git" : `${repository.path}/.git`;
    return parts.length === 0 ? [] : [`${name} (${parts.join(", ")})`];
  });
}

function changedParts(
  before: Repository,
  now: Repository | undefined,
  git: Pick<HeldByGit, "hasStaged">,
): readonly string[] {
  // A removed repository is reported with its directory.
  if (now === undefined) return [];
  const { state } = before;
  return [
    ...(state.head === now.state.head ? [] : ["HEAD"]),
    ...(state.refs === now.state.refs ? [] : ["branches or tags"]),
    ...(git.hasStaged(before, now) ? ["the index"] : []),
  ];
}
