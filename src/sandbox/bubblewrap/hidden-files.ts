import { createHash } from "node:crypto";
import {
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  type Stats,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { undefinedUnlessExhausted } from "../../lib/exhaustion.ts";
import { attempt, statsAt } from "../../system/attempt.ts";
import { atPinnedPath, contentAt, pinRealPath } from "../../system/pinned-path.ts";
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

/** Makes git compare only properties that cover files share with the hidden files. */
export const gitSettingsForCovers: Readonly<Record<string, string>> = {
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

  /** Returns a remark about the paths that were replaced since the last call. */
  remarks(): readonly string[] {
    const fresh = this.replaced().filter((path) => !this.#reported.has(path));
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

/**
 * Copies a repository's `info` to `folder` and adds `names` to its excludes, so that `git add -A` does not add entries
 * that a sandbox has created or hides. Links and large files are not copied.
 */
export function infoWithExcludes(info: string, names: readonly string[], folder: string): string {
  const files = filesIn(info);
  const own = Buffer.from(files.get("exclude") ?? []).toString("latin1");
  const added = names.map((name) => `/${escaped(name)}\n`).join("");
  const exclude = `${own}${own === "" || own.endsWith("\n") ? "" : "\n"}${Buffer.from(added).toString("latin1")}`;
  files.set("exclude", Buffer.from(exclude, "latin1"));
  const hash = createHash("sha256").update(info);
  for (const [name, content] of files) hash.update(`\0${name}\0${content.length}\0`).update(content);
  const copy = join(folder, `info-${hash.digest("hex").slice(0, 24)}`);
  if (existsSync(copy)) return copy;
  const draft = `${copy}.draft`;
  mkdirSync(draft, { recursive: true });
  for (const [name, content] of files) writeFileSync(join(draft, name), content);
  renameSync(draft, copy);
  return copy;
}

const maxBytes = 1024 * 1024;

/** Reads the files of a directory. It is pinned, so that no link is followed. */
function filesIn(info: string): Map<string, Uint8Array> {
  const directory = pinRealPath(info);
  if (directory === undefined) return new Map();
  try {
    const names = readdirSync(directory.at(".")).sort();
    return new Map(
      names.flatMap((name) => {
        const content = contentAt(directory.at(name), maxBytes);
        return content === undefined ? [] : [[name, content]];
      }),
    );
  } catch (error) {
    return undefinedUnlessExhausted(error) ?? new Map();
  } finally {
    directory.close();
  }
}

function escaped(name: string): string {
  return name.replace(/[\\*?[\]!#]/g, "\\$&").replace(/ $/, "\\ ");
}

/** Removes mount points that bubblewrap created because a hidden entry vanished just before it was covered. */
export function removeEmptyMountPoints(hidden: readonly TreeEntry[], begun: number): void {
  for (const { path, kind } of hidden) {
    if ((statsAt(path)?.birthtimeMs ?? 0) < begun - coarseMs) continue;
    // The removal fails when the directory has content.
    attempt(() =>
      atPinnedPath(path, (pinned) => {
        const stats = lstatSync(pinned);
        if (kind === "directory") rmdirSync(pinned);
        else if (stats.isFile() && stats.size === 0 && (stats.mode & 0o777) === 0o444) unlinkSync(pinned);
      }),
    );
  }
}

// The clock of a file system may be late by so much.
const coarseMs = 20;
