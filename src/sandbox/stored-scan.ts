import { readFileSync, renameSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { attempt, attemptQuietly, statsAt } from "../system/attempt.ts";
import { inPrivateDirectory, namesIn } from "../system/directories.ts";
import { packageFolder } from "../system/package-file.ts";
import { ReliableTimes } from "../system/reliable-times.ts";
import { newTemporaryId } from "../system/temporary-file.ts";
import { version } from "../system/version.ts";
import { withSlash } from "../system/workspace-path.ts";
import type { KnownDirectory, Stamp } from "./tree-scan.ts";

/**
 * Stores what a scan found in each directory, for later processes. A stored directory counts only while its stamp is the
 * same, and a file only for the same rules and the same version of Toolcrib. A damaged file is ignored.
 */
export class StoredScan {
  readonly #folder: string;
  readonly #top: string;
  readonly #about: string;

  /** `rulesKey` is equal only for rules that decide the same. */
  constructor(folder: string, top: string, rulesKey: string) {
    this.#folder = folder;
    this.#top = top;
    this.#about = JSON.stringify([format, version, builtAt(), top, rulesKey]);
  }

  read(): Map<string, KnownDirectory> {
    return attempt(() => this.#parse(readFileSync(this.#file))) ?? new Map();
  }

  /** Replaces the file. Failures are ignored: the next process scans again. */
  write(known: ReadonlyMap<string, KnownDirectory>): void {
    const reliable = new ReliableTimes();
    const from = withSlash(this.#top).length;
    const rows = Array.from(known, ([path, directory]) => {
      const { stamp } = directory;
      const isKept = stamp !== undefined && attempt(() => reliable.of(stamp.device, path)) === true;
      return isKept ? rowOf(path.slice(from), directory, stamp) : undefined;
    });
    const body = JSON.stringify([this.#about, ...rows.filter((row) => row !== undefined)]);
    const temporary = join(this.#folder, `new-${newTemporaryId()}`);
    attemptQuietly(() => {
      const text = `${contentHash(Buffer.from(body))}\n${body}`;
      inPrivateDirectory(this.#folder, () => writeFileSync(temporary, text, { mode: 0o600, flag: "wx" }));
      renameSync(temporary, this.#file);
    });
    attemptQuietly(() => rmSync(temporary, { force: true }));
    attemptQuietly(() => this.#removeOld());
  }

  get #file(): string {
    return join(this.#folder, contentHash(Buffer.from(this.#about)).slice(0, 32));
  }

  #parse(bytes: Buffer): Map<string, KnownDirectory> | undefined {
    const stats = statsAt(this.#file);
    if (stats === undefined || !isPrivate(stats)) return undefined;
    const start = bytes.indexOf(0x0a) + 1;
    const body = bytes.subarray(start);
    if (bytes.subarray(0, start - 1).toString() !== contentHash(body)) return undefined;
    const [about, ...rows] = JSON.parse(body.toString()) as readonly unknown[];
    if (about !== this.#about) return undefined;
    const known = new Map<string, KnownDirectory>();
    for (const row of rows as readonly Row[]) {
      const path = row[0] === "" ? this.#top : withSlash(this.#top) + row[0];
      known.set(path, directoryOf(path, row));
    }
    return known;
  }

  #removeOld(): void {
    const files = namesIn(this.#folder).map((name) => join(this.#folder, name));
    if (files.length <= maxFiles) return;
    const age = (path: string) => statsAt(path)?.mtimeMs ?? 0;
    for (const path of files.toSorted((one, other) => age(other) - age(one)).slice(maxFiles))
      rmSync(path, { force: true });
  }
}

const format = 1;

/** Some commands have their own rules, for example after an approval, and some read other directories. */
const maxFiles = 8;

/** A stored directory: its path, stamp and state, and the names in it by kind. */
type Row = readonly [
  path: string,
  device: number,
  inode: number,
  modified: number,
  changed: number,
  /** 1: it is in a read-only directory; 2: it has a `.git`; 4: it is a bare repository. */
  flags: number,
  below: readonly string[],
  hiddenFiles?: readonly string[],
  hiddenDirectories?: readonly string[],
  readOnly?: readonly string[],
  unnameable?: readonly string[],
];

function rowOf(path: string, found: KnownDirectory, { device, inode, modified, changed }: Stamp): Row {
  const flags =
    (found.wasReadOnly ? 1 : 0) | (found.repositories.length > 0 ? 2 : 0) | (found.bare.length > 0 ? 4 : 0);
  const hidden = (kind: "file" | "directory") =>
    found.hidden.filter((entry) => entry.kind === kind).map((entry) => nameOf(entry.path));
  const below = found.below.map((entry) => nameOf(entry.path));
  const row = [path, device, inode, modified, changed, flags, below] as const;
  if (found.hidden.length + found.readOnly.length + found.unnameable.length === 0) return row;
  const lists = [hidden("file"), hidden("directory"), found.readOnly.map(nameOf)] as const;
  return [...row, ...lists, found.unnameable.map(nameOf)];
}

function directoryOf(path: string, row: Row): KnownDirectory {
  const [, device, inode, modified, changed, flags, below, ...lists] = row;
  const prefix = withSlash(path);
  const [files = none, directories = none, readOnly = none, unnameable = none] = lists.map((names) =>
    names!.map((name) => prefix + checked(name)),
  );
  const wasReadOnly = (flags & 1) !== 0;
  return {
    stamp: { device, inode, modified, changed },
    wasReadOnly,
    below: below.map((name) => {
      const child = prefix + checked(name);
      return { path: child, isReadOnly: wasReadOnly || readOnly.includes(child) };
    }),
    hidden: [
      ...files.map((file) => ({ path: file, kind: "file" }) as const),
      ...directories.map((directory) => ({ path: directory, kind: "directory" }) as const),
    ],
    readOnly,
    repositories: (flags & 2) !== 0 ? [`${prefix}.git`] : none,
    bare: (flags & 4) !== 0 ? [path] : none,
    unnameable,
    sockets: none,
  };
}

const none: readonly string[] = [];

/** Refuses a name that would lead to another directory. The caller then ignores the file. */
function checked(name: string): string {
  if (name === "" || name === "." || name === ".." || name.includes("/")) throw new Error("not a name");
  return name;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Whether only this user could have written the file. */
function isPrivate(stats: Stats): boolean {
  return stats.isFile() && stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0;
}

/** Changes when Toolcrib is built again without a new version. */
function builtAt(): readonly number[] {
  const stats = statsAt(join(packageFolder(), "dist"));
  return stats === undefined ? [] : [stats.ino, stats.ctimeMs];
}
