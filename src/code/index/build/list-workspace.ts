import type { Environment } from "../../../contract/environment.ts";
import { type Entry, isSettled, kindOf, looksSame, type Snapshot } from "../../../contract/snapshot.ts";
import { nameOf, parentOf, readWalkFilter } from "../../../files/visible-paths.ts";
import { walkFiles } from "../../../files/walk.ts";
import { asBuffer } from "../../../lib/bytes/bytes.ts";
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

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Returns the same object as before when no file has changed since. */
  async list(signal: AbortSignal): Promise<ListedFiles> {
    const last = this.#last;
    // The rules of the known repositories are read at the same time, because each of both may be a round trip.
    const [snapshot, known] = await Promise.all([
      this.#environment.listEntries!({ signal }),
      last && this.#rulesOutside(last.snapshot, signal),
    ]);
    const isKnown = known !== undefined && repositoriesOf(snapshot) === repositoriesOf(last!.snapshot);
    const rules = isKnown ? known : await this.#rulesOutside(snapshot, signal);
    const isSame = last?.rules === rules && !last.isWalked && areUnchanged(last.snapshot, snapshot);
    const listed = isSame ? last : await this.#listFiles(snapshot, signal);
    this.#last = { ...listed, snapshot, rules };
    return listed.files;
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
    for (const path of snapshot.entries.keys()) {
      const name = nameOf(path);
      if (!ruleFiles.has(name)) continue;
      withRules.add(parentOf(path));
      hasForeignRules ||= isForeign(name);
    }
    const paths = Array.from(snapshot.entries.keys()).filter((path) => isFile(snapshot, path));
    if (chain !== undefined && !hasForeignRules) {
      const isVisible = await readWalkFilter({ environment, directory: "", chain, visibility, withRules });
      return { files: filesIn(snapshot, paths.filter(isVisible)), isWalked: false };
    }
    // Foreign rules may include files that git ignores, which the snapshot omits.
    const walked: string[] = [];
    // A path with a lone surrogate cannot name a file.
    for await (const { path } of walkFiles(environment, "", { ...visibility, signal }))
      if (path.isWellFormed()) walked.push(path);
    return { files: filesIn(snapshot, walked), isWalked: hasForeignRules };
  }
}

function filesIn(snapshot: Snapshot, paths: readonly string[]): ListedFiles {
  const { takenMs } = snapshot;
  const listed = (path: string): ListedFile => {
    if (!isFile(snapshot, path)) return { figures: undefined, settled: false };
    const entry = snapshot.entries.get(path)!;
    return { figures: figuresOf(entry), settled: isSettled(entry, takenMs) };
  };
  return new FilesByPath(new Map(paths.map((path) => [path, listed(path)])));
}

function figuresOf({ size, mtimeMs, ctimeMs, ino, dev }: Entry): Figures {
  return [size, mtimeMs, ctimeMs, ino, dev];
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

const maxRuleBytes = 1024 * 1024;

/** Returns whether both snapshots list the same entries and the later one proves that no file has changed since. */
function areUnchanged(earlier: Snapshot, later: Snapshot): boolean {
  if (earlier.entries.size !== later.entries.size || earlier.leftOut.size !== later.leftOut.size)
    return false;
  for (const [path, entry] of later.entries) {
    const before = earlier.entries.get(path);
    if (before === undefined || before.mode !== entry.mode) return false;
    if (earlier.leftOut.get(path) !== later.leftOut.get(path)) return false;
    const isProved = isSettled(before, earlier.takenMs) && looksSame(before, entry);
    if (!isProved && kindOf(entry) !== "directory") return false;
  }
  return true;
}

/** Names of files with ignore rules, and of the folder at which git's rules end. */
const ruleFiles: ReadonlySet<string> = new Set([".gitignore", ".ignore", ".rgignore", ".git"]);

function isFile({ entries, leftOut }: Snapshot, path: string): boolean {
  const entry = entries.get(path);
  return entry !== undefined && kindOf(entry) === "file" && leftOut.get(path) !== "unreadable";
}
