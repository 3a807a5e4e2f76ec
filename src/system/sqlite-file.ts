import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt } from "./attempt.ts";
import { namesIfReadable } from "./directories.ts";
import { errnoOf } from "./file-errors.ts";

/** Creates a private database file if it is missing. SQLite gives its other files the same permissions. */
export function makeDatabaseFile(path: string): void {
  closeSync(openSync(path, "a", 0o600));
}

/** Identifies a file, even if another one had the same name before; undefined when the file does not exist. */
export function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

/** Renames a damaged database and its other files. Returns the new name; undefined if another process did it. */
export function setAside(path: string, identity: string): string | undefined {
  return alone(`${path}.setting-aside`, () => {
    if (identityOf(path) !== identity) return undefined;
    const aside = `${path}.damaged-${new Date().toISOString().replace(/[:.]/g, "-")}`;
    // The database is renamed last: a new one must not find SQLite files of the old one.
    for (const suffix of ["-wal", "-shm", ""]) {
      if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
    }
    return aside;
  });
}

/** Removes a database that can be rebuilt, unless another process already did. */
export function discardDatabase(path: string, identity: string): void {
  alone(`${path}.setting-aside`, () => {
    if (identityOf(path) !== identity) return;
    for (const suffix of ["-wal", "-shm", ""]) rmSync(path + suffix, { force: true });
  });
}

/** Lists the damaged databases that were renamed, oldest first. */
export function damagedDatabases(path: string): readonly string[] {
  const prefix = `${basename(path)}.damaged-`;
  const names = namesIfReadable(dirname(path)).filter((name) => name.startsWith(prefix) && /Z$/.test(name));
  return names.sort().map((name) => join(dirname(path), name));
}

/**
 * Whether a database was deleted or emptied while the contents that it lists are still stored in the folder `contents`.
 * A database that was just renamed does not count: another process is creating the next one.
 */
export function isLost(path: string, contents: string): boolean {
  // The order matters: contents are stored only after the database is created.
  if (!holdsFolders(contents) || (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return false;
  const youngest = Date.now() - beginningMs;
  return damagedDatabases(path).every(
    (aside) => (statSync(aside, { throwIfNoEntry: false })?.ctimeMs ?? 0) < youngest,
  );
}

const beginningMs = 10_000;

/** Whether a folder holds contents, which are in folders. Its only file records the time of the last collection. */
function holdsFolders(path: string): boolean {
  const entries = attempt(() => readdirSync(path, { withFileTypes: true })) ?? [];
  return entries.some((entry) => entry.isDirectory());
}

/** Returns the size of a database including SQLite's other files. */
export function sizeOf(path: string): number {
  const sizes = ["", "-wal", "-shm"].map((end) => statSync(path + end, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns the size of a database's write-ahead log. */
export function logSizeOf(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** Runs `act` under a lock, which is a folder. A folder that stays was left by a killed process. */
function alone<Result>(folder: string, act: () => Result): Result {
  for (let tries = 0; !madeFolder(folder) && tries < maxTries; tries += 1) sleep(tryMs);
  try {
    return act();
  } finally {
    rmdirSync(folder);
  }
}

const tryMs = 10;
const maxTries = 200;

function madeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Loads SQLite without the warning of Node 22 that it is experimental, which does not help users. */
export function loadSqlite(): typeof import("node:sqlite") {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}
