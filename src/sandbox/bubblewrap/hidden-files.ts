import {
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  renameSync,
  type Stats,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { statsAt } from "../../system/attempt.ts";
import type { TreeEntry } from "../tree-scan.ts";

/** Returns the files that commands see instead of hidden files, by path. */
export function coverFilesFor(hidden: readonly TreeEntry[], folder: string): ReadonlyMap<string, string> {
  return new Map(
    hidden.flatMap(({ path, kind }) => {
      const stats = kind === "file" ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
      return stats?.isFile() ? [[path, coverFile(stats, folder)]] : [];
    }),
  );
}

/** Creates a file that cannot be opened and looks to git like the hidden one: same size, time and executable bit. */
function coverFile(hidden: Stats, folder: string): string {
  const mode = hidden.mode & constants.S_IXUSR;
  const path = join(folder, `cover-${hidden.size}-${hidden.mtimeMs}-${mode}`);
  if (existsSync(path)) return path;
  const draft = `${path}.draft`;
  writeFileSync(draft, "", { mode: 0o600 });
  truncateSync(draft, hidden.size);
  utimesSync(draft, hidden.mtimeMs / 1000, hidden.mtimeMs / 1000);
  chmodSync(draft, mode);
  renameSync(draft, path);
  return path;
}

/** Makes git compare only properties that cover files share with the hidden files, and add all files but these. */
export const gitSettingsForCovers: Readonly<Record<string, string>> = {
  "add.ignoreErrors": "true",
  "core.checkStat": "minimal",
  "core.trustctime": "false",
};

/** Notices covered paths that were replaced outside: the kernel removes the mount on a file that is replaced. */
export class Covers {
  readonly #paths: readonly string[];
  readonly #found = new Map<string, string>();
  readonly #reported = new Set<string>();

  constructor(covered: readonly string[]) {
    this.#paths = covered;
  }

  /** Call it when the mounts are made, before they are checked. */
  begin(): void {
    for (const path of this.#paths) {
      const identity = identityOf(path);
      if (identity !== undefined) this.#found.set(path, identity);
    }
  }

  /** Returns the paths at which something else is visible now. */
  replaced(): readonly string[] {
    return [...this.#found].flatMap(([path, identity]) => {
      const now = identityOf(path);
      return now === undefined || now === identity ? [] : [path];
    });
  }

  /** Returns a remark about the paths that were replaced since the last call, without those that were put back. */
  remarks(isPutBack: (path: string) => boolean): readonly string[] {
    const fresh = this.replaced().filter((path) => !this.#reported.has(path) && !isPutBack(path));
    for (const path of fresh) this.#reported.add(path);
    const [first, ...others] = fresh;
    if (first === undefined) return [];
    const rest = others.length === 0 ? "" : ` and ${others.length} more`;
    return [
      `${first}${rest} was replaced outside while the command ran, so the command could see and change it from then on. Later commands cannot.`,
    ];
  }
}

function identityOf(path: string): string | undefined {
  const stats = statsAt(path);
  return stats && `${stats.dev}:${stats.ino}`;
}
