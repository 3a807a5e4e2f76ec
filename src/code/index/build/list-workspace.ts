import type { Environment } from "../../../contract/environment.ts";
import { figure, isSettled, kindOfMode, type Snapshot } from "../../../contract/snapshot.ts";
import { nameOf, parentOf, visibleAmong } from "../../../files/visible-paths.ts";
import { walkFiles } from "../../../files/walk.ts";
import { asBuffer } from "../../../lib/bytes/bytes.ts";
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

/** Hidden and ignored files are skipped, as in ripgrep and `search.grep`. */
const visibility = { hidden: false, ignoreFiles: true } as const;

/** Lists the files that a search finds, with their figures. */
export class WorkspaceLister {
  readonly #environment: Environment;
  #last: Listing | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Returns the same map as before when no file has changed since. */
  async list(signal: AbortSignal): Promise<ReadonlyMap<string, ListedFile>> {
    const last = this.#last;
    // The rules of the known repositories are read at the same time, because each of both may be a round trip.
    const [snapshot, known] = await Promise.all([
      this.#environment.snapshot!({ signal, known: last?.snapshot }),
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
    const files = new Map<string, ListedFile>();
    for (let index = 0; index < snapshot.entries.count; index += 1) {
      if (isFile(snapshot, index)) files.set(snapshot.entries.pathAt(index), describe(snapshot, index));
    }
    const { paths, isWalked } = await this.#visible(snapshot, files, signal);
    if (paths.length === files.size && !isWalked) return { files, isWalked };
    const unlisted = { figures: undefined, settled: false };
    return { files: new Map(paths.map((path) => [path, files.get(path) ?? unlisted])), isWalked };
  }

  async #visible(
    snapshot: Snapshot,
    files: ReadonlyMap<string, ListedFile>,
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

interface Listing {
  readonly snapshot: Snapshot;
  readonly rules: string;
  readonly files: ReadonlyMap<string, ListedFile>;
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
  const [one, other] = [earlier.entries, later.entries];
  if (one.count !== other.count || earlier.leftOut.size !== later.leftOut.size) return false;
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

function describe(snapshot: Snapshot, index: number): ListedFile {
  const own = ownFigures.map((column) => snapshot.entries.figureAt(index, column));
  return { figures: own as unknown as Figures, settled: isSettled(snapshot, index) };
}
