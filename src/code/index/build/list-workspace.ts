import type { Environment } from "../../../contract/environment.ts";
import { figure, figureCount, isSettled, kindOfMode, type Snapshot } from "../../../contract/snapshot.ts";
import { nameOf, parentOf, visibleAmong } from "../../../files/visible-paths.ts";
import { walkFiles } from "../../../files/walk.ts";
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

/** Lists the files that a search finds, with their figures. Later listings reuse the previous one. */
export class WorkspaceLister {
  readonly #environment: Environment;
  #known: Snapshot | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  async list(signal: AbortSignal): Promise<ReadonlyMap<string, ListedFile>> {
    const snapshot = await this.#environment.snapshot!({ signal, known: this.#known });
    this.#known = snapshot;
    const files = new Map<string, ListedFile>();
    for (const [index, path] of snapshot.paths.entries()) {
      if (isFile(snapshot, index)) files.set(path, describe(snapshot, index));
    }
    const visible = await this.#visible(snapshot, files, signal);
    if (visible.length === files.size) return files;
    return new Map(visible.map((path) => [path, files.get(path) ?? { figures: undefined, settled: false }]));
  }

  async #visible(
    snapshot: Snapshot,
    files: ReadonlyMap<string, ListedFile>,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const environment = this.#environment;
    const chain = await IgnoreChain.at(environment, "");
    const withRules = new Set<string>();
    let hasForeignRules = chain.hasForeignRules;
    for (const path of snapshot.paths) {
      const name = nameOf(path);
      if (!ruleFiles.has(name)) continue;
      withRules.add(parentOf(path));
      hasForeignRules ||= name === ".ignore" || name === ".rgignore";
    }
    if (!hasForeignRules)
      return visibleAmong([...files.keys()], { environment, directory: "", chain, visibility, withRules });
    // Such rules may include files that git ignores, which the snapshot omits.
    const walked: string[] = [];
    for await (const { path } of walkFiles(environment, "", { ...visibility, signal })) walked.push(path);
    return walked;
  }
}

/** Names of files with ignore rules, and of the folder at which git's rules end. */
const ruleFiles: ReadonlySet<string> = new Set([".gitignore", ".ignore", ".rgignore", ".git"]);

function isFile({ figures, leftOut }: Snapshot, index: number): boolean {
  if (kindOfMode(figures[index * figureCount + figure.mode]!) !== "file") return false;
  return leftOut.get(index) !== "unreadable";
}

function describe(snapshot: Snapshot, index: number): ListedFile {
  const { figures } = snapshot;
  const at = index * figureCount;
  const { bytes, modified, changed, inode, device } = figure;
  const own = [bytes, modified, changed, inode, device].map((column) => figures[at + column]!);
  return { figures: own as unknown as Figures, settled: isSettled(snapshot, index) };
}
