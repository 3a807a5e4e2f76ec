import type { Environment } from "../../../contract/environment.ts";
import { figure, isSettled, kindOfMode, type Snapshot, sharedRanges } from "../../../contract/snapshot.ts";
import { nameOf, parentOf, visibleAmong } from "../../../files/visible-paths.ts";
import { walkFiles } from "../../../files/walk.ts";
import { asBuffer } from "../../../lib/bytes/bytes.ts";
import { monotonicMs } from "../../../lib/clock.ts";
import { undefinedUnlessExhausted } from "../../../lib/exhaustion.ts";
import { IgnoreChain } from "../../../lib/ignore/ignore-chain.ts";

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

/** Files by path. */
export interface ListedFiles extends Iterable<[string, ListedFile]> {
  readonly size: number;
  has(path: string): boolean;
  get(path: string): ListedFile | undefined;
  keys(): Iterable<string>;
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
    const places = new Map<string, number>();
    for (let place = 0; place < snapshot.entries.count; place += 1) {
      if (isFile(snapshot, place)) places.set(snapshot.entries.pathAt(place), place);
    }
    const { paths, isWalked } = await this.#visible(snapshot, places, signal);
    const isWhole = paths.length === places.size && !isWalked;
    const visible = isWhole ? places : new Map(paths.map((path) => [path, places.get(path) ?? -1]));
    return { files: new SnapshotFiles(snapshot, visible), isWalked };
  }

  async #visible(
    snapshot: Snapshot,
    files: ReadonlyMap<string, number>,
    signal: AbortSignal,
  ): Promise<{ readonly paths: readonly string[]; readonly isWalked: boolean }> {
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
    if (chain !== undefined && !hasForeignRules) {
      const known = { environment, directory: "", chain, visibility, withRules };
      return { paths: await visibleAmong([...files.keys()], known), isWalked: false };
    }
    // Foreign rules may include files that git ignores, which the snapshot omits.
    const walked: string[] = [];
    for await (const { path } of walkFiles(environment, "", { ...visibility, signal })) walked.push(path);
    return { paths: walked, isWalked: hasForeignRules };
  }
}

/** Describes files when they are asked for, because objects for all of them would take much memory. */
class SnapshotFiles implements ListedFiles {
  readonly #snapshot: Snapshot;
  /** The places of the files in the snapshot; -1 for a file that it omits. */
  readonly #places: ReadonlyMap<string, number>;

  constructor(snapshot: Snapshot, places: ReadonlyMap<string, number>) {
    this.#snapshot = snapshot;
    this.#places = places;
  }

  get size(): number {
    return this.#places.size;
  }

  has(path: string): boolean {
    return this.#places.has(path);
  }

  get(path: string): ListedFile | undefined {
    const place = this.#places.get(path);
    return place === undefined ? undefined : describe(this.#snapshot, place);
  }

  keys(): Iterable<string> {
    return this.#places.keys();
  }

  *[Symbol.iterator](): Generator<[string, ListedFile]> {
    for (const [path, place] of this.#places) yield [path, describe(this.#snapshot, place)];
  }
}

/** Returns files without some of them. */
export function withoutFiles(files: ListedFiles, left: ReadonlySet<string>): ListedFiles {
  if (left.size === 0) return files;
  return {
    size: files.size - left.size,
    has: (path) => files.has(path) && !left.has(path),
    get: (path) => (left.has(path) ? undefined : files.get(path)),
    *keys() {
      for (const path of files.keys()) if (!left.has(path)) yield path;
    },
    *[Symbol.iterator]() {
      for (const entry of files) if (!left.has(entry[0])) yield entry;
    },
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

function describe(snapshot: Snapshot, place: number): ListedFile {
  if (place < 0) return { figures: undefined, settled: false };
  const own = ownFigures.map((column) => snapshot.entries.figureAt(place, column));
  return { figures: own as unknown as Figures, settled: isSettled(snapshot, place) };
}
