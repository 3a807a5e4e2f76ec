import type { Environment } from "../../../contract/environment.ts";
import { figure, isSettled, kindOfMode, type Snapshot, sharedRanges } from "../../../contract/snapshot.ts";
import { nameOf, parentOf, readWalkFilter } from "../../../files/visible-paths.ts";
import { walkFiles } from "../../../files/walk.ts";
import { asBuffer } from "../../../lib/bytes/bytes.ts";
import { monotonicMs } from "../../../lib/clock.ts";
import { undefinedUnlessExhausted } from "../../../lib/exhaustion.ts";
import { IgnoreChain } from "../../../lib/ignore/ignore-chain.ts";
import { PathIndex } from "../storage/path-index.ts";

/** Figures that stay equal while the file is unchanged. */
export type Figures = readonly [
  bytes: number,
  modified: number,
  changed: number,
  inode: number,
  device: number,
];

export interface ListedFile {
  /** The figures; undefined when unknown, and then the file must be read. */
  readonly figures: Figures | undefined;
  readonly settled: boolean;
}

/** Files, each with a place: a number that it keeps as long as this object exists. */
export interface ListedFiles {
  readonly size: number;
  places(): Iterable<number>;
  /** Returns the place of a file. */
  find(path: string): number | undefined;
  pathAt(place: number): string;
  at(place: number): ListedFile;
}

/** Hidden and ignored files are skipped, as in ripgrep and `search.grep`. */
const visibility = { hidden: false, ignoreFiles: true } as const;

/** Lists the files that a search finds, with their figures. */
export class WorkspaceLister {
  readonly #environment: Environment;
  #last: Listing | undefined;
  /** When files in use were last looked for. */
  #checkedInUseMs = Number.NEGATIVE_INFINITY;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Returns the same object as before when no file has changed since. */
  async list(signal: AbortSignal): Promise<ListedFiles> {
    const last = this.#last;
    // The rules of the known repositories are read at the same time, because each of both may be a round trip.
    const [snapshot, known] = await Promise.all([
      this.#snapshot(signal),
      last && this.#rulesOutside(last.snapshot, signal),
    ]);
    const isKnown = known !== undefined && repositoriesOf(snapshot) === repositoriesOf(last!.snapshot);
    const rules = isKnown ? known : await this.#rulesOutside(snapshot, signal);
    const isSame = last?.rules === rules && !last.isWalked && areUnchanged(last.snapshot, snapshot);
    const listed = isSame ? last : await this.#listFiles(snapshot, signal);
    this.#last = { ...listed, snapshot, rules };
    return listed.files;
  }

  #snapshot(signal: AbortSignal): Promise<Snapshot> {
    const now = monotonicMs();
    const ignoreFilesInUse = now < this.#checkedInUseMs + inUseMs;
    if (!ignoreFilesInUse) this.#checkedInUseMs = now;
    return this.#environment.snapshot!({ signal, known: this.#last?.snapshot, ignoreFilesInUse });
  }

  /** Returns the ignore rules that are not in files of the snapshot. */
  async #rulesOutside({ repositories }: Snapshot, signal: AbortSignal): Promise<string> {
    const own = repositories.filter(({ prefix }) => prefix === "");
    const folders = own.map(({ path }) => (path === "" ? ".git/info" : `${path}/.git/info`));
    const texts = await Promise.all([
      this.#environment.ignoreFilesOutside?.().then((files) => JSON.stringify(files)),
      ...folders.map((folder) => this.#excludes(folder, signal)),
    ]);
    return texts.join("\0");
  }

  async #excludes(path: string, signal: AbortSignal): Promise<string | undefined> {
    const { readFiles } = this.#environment;
    if (readFiles !== undefined) {
      const limits = { maxFileBytes: maxRuleBytes, maxBytes: maxRuleBytes, signal };
      const [content] = await this.#environment.readFiles!([`${path}/exclude`], limits);
      return typeof content === "object" ? asBuffer(content).toString() : undefined;
    }
    const directory = await this.#environment.openDirectory(path).catch(undefinedUnlessExhausted);
    try {
      const bytes = await directory?.readFile("exclude", maxRuleBytes).catch(undefinedUnlessExhausted);
      return bytes && asBuffer(bytes).toString();
    } finally {
      directory?.close();
    }
  }

  async #listFiles(snapshot: Snapshot, signal: AbortSignal): Promise<Pick<Listing, "files" | "isWalked">> {
    const environment = this.#environment;
    // Where a walk is one round trip, no rules are read here.
    const chain = environment.walk ? undefined : await IgnoreChain.at(environment, "");
    const outside = chain === undefined ? await environment.ignoreFilesOutside?.() : [];
    const withRules = new Set<string>();
    let hasForeignRules = chain?.hasForeignRules ?? outside?.some(({ name }) => isForeign(name)) ?? false;
    for (const path of snapshot.entries.paths()) {
      const name = nameOf(path);
      if (!ruleFiles.has(name)) continue;
      withRules.add(parentOf(path));
      hasForeignRules ||= isForeign(name);
    }
    const places = placesOfFiles(snapshot);
    if (chain !== undefined && !hasForeignRules) {
      const isVisible = await readWalkFilter({ environment, directory: "", chain, visibility, withRules });
      const visible = places.filter((place) => isVisible(snapshot.entries.pathAt(place)));
      return { files: new SnapshotFiles(snapshot, visible), isWalked: false };
    }
    // Foreign rules may include files that git ignores, which the snapshot omits.
    const listed = new SnapshotFiles(snapshot, places);
    const walked = new Set<number>();
    const omitted = new Set<string>();
    for await (const { path } of walkFiles(environment, "", { ...visibility, signal })) {
      const place = listed.find(path);
      if (place !== undefined) walked.add(place);
      // A path with a lone surrogate cannot name a file.
      else if (path.isWellFormed()) omitted.add(path);
    }
    const files = new SnapshotFiles(snapshot, Uint32Array.from(walked), [...omitted]);
    return { files, isWalked: hasForeignRules };
  }
}

function placesOfFiles(snapshot: Snapshot): Uint32Array {
  const places = new Uint32Array(snapshot.entries.count);
  let count = 0;
  for (let place = 0; place < places.length; place += 1) if (isFile(snapshot, place)) places[count++] = place;
  return places.subarray(0, count);
}

/** Files of a snapshot. Their places are those of its entries; files that it omits come after them. */
class SnapshotFiles implements ListedFiles {
  readonly #snapshot: Snapshot;
  readonly #places: Uint32Array;
  readonly #omitted: readonly string[];
  readonly #index = new PathIndex((place) => this.pathAt(place));

  constructor(snapshot: Snapshot, places: Uint32Array, omitted: readonly string[] = []) {
    this.#snapshot = snapshot;
    this.#places = places;
    this.#omitted = omitted;
    for (const place of this.places()) this.#index.set(this.pathAt(place), place);
    // Names that are not valid UTF-8 may have the path of another entry. A path keeps only the place that `find` returns.
    if (this.#index.size < this.size)
      this.#places = places.filter((place) => this.find(this.pathAt(place)) === place);
  }

  get size(): number {
    return this.#places.length + this.#omitted.length;
  }

  *places(): Generator<number> {
    yield* this.#places;
    for (const index of this.#omitted.keys()) yield this.#snapshot.entries.count + index;
  }

  find(path: string): number | undefined {
    return this.#index.get(path);
  }

  pathAt(place: number): string {
    const { entries } = this.#snapshot;
    return place < entries.count ? entries.pathAt(place) : this.#omitted[place - entries.count]!;
  }

  at(place: number): ListedFile {
    if (place >= this.#snapshot.entries.count) return { figures: undefined, settled: false };
    const own = ownFigures.map((column) => this.#snapshot.entries.figureAt(place, column));
    return { figures: own as unknown as Figures, settled: isSettled(this.#snapshot, place) };
  }
}

/** Files that are given as a map. */
export class FilesByPath implements ListedFiles {
  readonly #paths: readonly string[];
  readonly #files: readonly ListedFile[];
  readonly #index = new PathIndex((place) => this.#paths[place]!);

  constructor(files: ReadonlyMap<string, ListedFile>) {
    this.#paths = [...files.keys()];
    this.#files = [...files.values()];
    for (const [place, path] of this.#paths.entries()) this.#index.set(path, place);
  }

  get size(): number {
    return this.#paths.length;
  }

  places(): Iterable<number> {
    return this.#paths.keys();
  }

  find(path: string): number | undefined {
    return this.#index.get(path);
  }

  pathAt(place: number): string {
    return this.#paths[place]!;
  }

  at(place: number): ListedFile {
    return this.#files[place]!;
  }
}

/** Returns files without some of them. */
export function withoutFiles(files: ListedFiles, left: ReadonlySet<string>): ListedFiles {
  if (left.size === 0) return files;
  return {
    size: files.size - left.size,
    *places() {
      for (const place of files.places()) if (!left.has(files.pathAt(place))) yield place;
    },
    find: (path) => (left.has(path) ? undefined : files.find(path)),
    pathAt: (place) => files.pathAt(place),
    at: (place) => files.at(place),
  };
}

interface Listing {
  readonly snapshot: Snapshot;
  readonly rules: string;
  readonly files: ListedFiles;
  /** Whether they include files that the snapshot omits. */
  readonly isWalked: boolean;
}

function repositoriesOf({ repositories }: Snapshot): string {
  return JSON.stringify(repositories.map(({ path, prefix }) => [path, prefix]));
}

/** Whether git does not read the ignore file. */
function isForeign(name: string): boolean {
  return name === ".ignore" || name === ".rgignore";
}

/** Files in use are looked for again after this time, because that takes longer than all the rest of a query. */
const inUseMs = 2000;

const maxRuleBytes = 1024 * 1024;

/** Returns whether both snapshots list the same entries and the later one proves that no file has changed since. */
function areUnchanged(earlier: Snapshot, later: Snapshot): boolean {
  const [one, other] = [earlier.entries, later.entries];
  if (one.count !== other.count || earlier.leftOut.size !== later.leftOut.size) return false;
  const [shared] = sharedRanges(later, earlier);
  if (shared?.first === 0 && shared.end === one.count) return true;
  const isSame = (index: number, column: number) =>
    one.figureAt(index, column) === other.figureAt(index, column);
  for (let index = 0; index < one.count; index += 1) {
    if (earlier.leftOut.get(index) !== later.leftOut.get(index) || !isSame(index, figure.mode)) return false;
    const isDirectory = kindOfMode(one.figureAt(index, figure.mode)) === "directory";
    const isProved = isSettled(earlier, index) && ownFigures.every((column) => isSame(index, column));
    if (!(isDirectory || isProved) || one.pathAt(index) !== other.pathAt(index)) return false;
  }
  return true;
}

const ownFigures = [figure.bytes, figure.modified, figure.changed, figure.inode, figure.device] as const;

/** Names of files with ignore rules, and of the folder at which git's rules end. */
const ruleFiles: ReadonlySet<string> = new Set([".gitignore", ".ignore", ".rgignore", ".git"]);

function isFile({ entries, leftOut }: Snapshot, index: number): boolean {
  if (kindOfMode(entries.figureAt(index, figure.mode)) !== "file") return false;
  return leftOut.get(index) !== "unreadable";
}
