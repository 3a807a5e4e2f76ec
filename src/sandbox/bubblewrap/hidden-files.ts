import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { atPinnedPath, contentAt, pinRealPath } from "../../system/pinned-path.ts";
import type { TreeEntry } from "../tree-scan.ts";

/** What is seen instead of hidden files. */
export function coverFilesFor(hidden: readonly TreeEntry[], folder: string): ReadonlyMap<string, string> {
  const files = hidden.filter(({ kind }) => kind === "file");
  return new Map(
    files.flatMap(({ path }) => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats?.isFile() === true ? [[path, coverFile(stats, folder)]] : [];
    }),
  );
}

/**
 * A file in `folder` that cannot be opened, to be seen instead of a hidden one. Size, time and the executable bit are the
 * same, so that git takes a tracked file for unchanged without reading it.
 */
function coverFile(hidden: Stats, folder: string): string {
  const mode = hidden.mode & constants.S_IXUSR;
  const path = join(folder, `cover-${hidden.size}-${hidden.mtimeMs}-${mode}`);
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return path;
  const draft = `${path}.draft`;
  const handle = openSync(draft, "w", 0o600);
  try {
    ftruncateSync(handle, hidden.size);
  } finally {
    closeSync(handle);
  }
  utimesSync(draft, hidden.mtimeMs / 1000, hidden.mtimeMs / 1000);
  chmodSync(draft, mode);
  renameSync(draft, path);
  return path;
}

/** With these, git compares only what cover files have in common with the hidden files. */
export const gitSettingsForCovers: Readonly<Record<string, string>> = {
  "core.checkStat": "minimal",
  "core.trustctime": "false",
};

// One check of all paths takes some hundred microseconds at most.
const pauseMs = 50;

/**
 * Replacing a file outside, as editors and git do when they save, removes the mount on it in every running sandbox: the
 * kernel drops it. So the covered paths are checked all the time.
 */
export class CoverWatch {
  readonly #found: readonly { readonly path: string; readonly identity: string }[];
  #timer: NodeJS.Timeout | undefined;
  #replaced: string | undefined;

  /** Must be created before the mounts. */
  constructor(covered: readonly string[]) {
    this.#found = covered.flatMap((path) => {
      const identity = identityOf(path);
      return identity === undefined ? [] : [{ path, identity }];
    });
  }

  /** A path that was replaced. */
  replaced(): string | undefined {
    this.#replaced ??= this.#found.find(({ path, identity }) => identityOf(path) !== identity)?.path;
    return this.#replaced;
  }

  begin(onReplaced: () => void): void {
    if (this.#found.length === 0) return;
    this.#timer = setInterval(() => {
      if (this.replaced() === undefined) return;
      clearInterval(this.#timer);
      onReplaced();
    }, pauseMs).unref();
  }

  /** Returns remarks. */
  end(): readonly string[] {
    clearInterval(this.#timer);
    if (this.#timer === undefined || this.replaced() === undefined) return [];
    return [
      `${this.#replaced} was replaced while the command ran, which uncovers it in the sandbox: the command was ended if it still ran. Start it again.`,
    ];
  }
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = lstatSync(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/**
 * A copy of a repository's `info` in `folder`, which excludes `names` as well: `git add -A` must not add what a sandbox has
 * put into the work tree or hides there. Links and large files are not copied.
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

/** The directory is pinned, so that a file that is replaced by a link meanwhile is not followed. */
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
  } catch {
    return new Map();
  } finally {
    directory.close();
  }
}

/** As a pattern of git. */
function escaped(name: string): string {
  return name.replace(/[\\*?[\]!#]/g, "\\$&").replace(/ $/, "\\ ");
}

/** Bubblewrap creates a mount point where a hidden entry has vanished just before it was mounted on. */
export function removeEmptyMountPoints(hidden: readonly TreeEntry[], begun: number): void {
  for (const { path, kind } of hidden) {
    if (!isYoung(path, begun)) continue;
    try {
      atPinnedPath(path, (place) => {
        const stats = lstatSync(place);
        if (kind === "directory") rmdirSync(place);
        else if (stats.isFile() && stats.size === 0 && (stats.mode & 0o777) === 0o444) unlinkSync(place);
      });
    } catch {
      // It has content by now.
    }
  }
}

function isYoung(path: string, begun: number): boolean {
  try {
    return lstatSync(path).birthtimeMs >= begun - coarseMs;
  } catch {
    return false;
  }
}

// The clock of a file system may lag by this much.
const coarseMs = 20;
