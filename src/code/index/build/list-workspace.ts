import type { Environment } from "../../../contract/environment.ts";
import { figure, figureCount, isSettled, kindOfMode, type Snapshot } from "../../../contract/snapshot.ts";
import { IgnoreChain } from "../../../files/ignore-chain.ts";
import { nameOf, parentOf } from "../../../files/visibility.ts";
import { visibleAmong } from "../../../files/visible-among.ts";
import { walkFiles } from "../../../files/walk.ts";

/** Bytes, times of the last change of content and of anything, inode and device: the same while the file is. */
export type Figures = readonly [
  bytes: number,
  modified: number,
  changed: number,
  inode: number,
  device: number,
];

export interface ListedFile {
  /** Undefined where they cannot be told: then the file has to be read to know it. */
  readonly figures: Figures | undefined;
  readonly settled: boolean;
}

/** As ripgrep without settings and `search.grep` see files: what is hidden or ignored is not there. */
const visibility = { hidden: false, ignoreFiles: true } as const;

/** Tells which files a search finds, and how they look; quicker the second time. */
export class WorkspaceLister {
  readonly #environment: Environment;
  #known: Snapshot | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** By path, in no order. */
  async list(signal: AbortSignal): Promise<ReadonlyMap<string, ListedFile>> {
    const snapshot = await this.#environment.snapshot!({
      signal,
      ...(this.#known && { known: this.#known }),
    });
    this.#known = snapshot;
    const files = new Map<string, ListedFile>();
    for (const [place, path] of snapshot.paths.entries()) {
      if (isFile(snapshot, place)) files.set(path, describe(snapshot, place));
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
      if (!telling.has(name)) continue;
      withRules.add(parentOf(path));
      hasForeignRules ||= name === ".ignore" || name === ".rgignore";
    }
    if (!hasForeignRules)
      return visibleAmong([...files.keys()], { environment, directory: "", chain, visibility, withRules });
    // These may show what git ignores, and what git ignores was not looked at.
    const walked: string[] = [];
    for await (const { path } of walkFiles(environment, "", { ...visibility, signal })) walked.push(path);
    return walked;
  }
}

/** Names of what holds rules, or ends those of git. */
const telling: ReadonlySet<string> = new Set([".gitignore", ".ignore", ".rgignore", ".git"]);

function isFile({ figures, leftOut }: Snapshot, place: number): boolean {
  if (kindOfMode(figures[place * figureCount + figure.mode]!) !== "file") return false;
  return leftOut.get(place) !== "unreadable";
}

function describe(snapshot: Snapshot, place: number): ListedFile {
  const { figures } = snapshot;
  const at = place * figureCount;
  return {
    figures: [
      figures[at + figure.bytes]!,
      figures[at + figure.modified]!,
      figures[at + figure.changed]!,
      figures[at + figure.inode]!,
      figures[at + figure.device]!,
    ],
    settled: isSettled(snapshot, place),
  };
}
