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
import { errnoOf } from "./failures.ts";

/** Makes the file of a database if it is not there, for nobody else to read: what SQLite puts beside it follows it. */
export function makeDatabaseFile(path: string): void {
  closeSync(openSync(path, "a", 0o600));
}

/** Tells files of the same name apart; undefined when there is none. */
export function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

/**
 * Gives a damaged database another name, with what SQLite keeps beside it, and tells the name. Undefined when the file
 * is not the one of that identity: then another process was quicker.
 */
export function setAside(path: string, identity: string): string | undefined {
  return alone(`${path}.setting-aside`, () => {
    if (identityOf(path) !== identity) return undefined;
    const aside = `${path}.damaged-${new Date().toISOString().replace(/[:.]/g, "-")}`;
    // The database last: a new one must not meet what belongs to the old.
    for (const beside of ["-wal", "-shm", ""]) {
      if (existsSync(path + beside)) renameSync(path + beside, aside + beside);
    }
    return aside;
  });
}

/** Removes a database that can be made again, unless another process was quicker. */
export function discardDatabase(path: string, identity: string): void {
  alone(`${path}.setting-aside`, () => {
    if (identityOf(path) !== identity) return;
    for (const beside of ["-wal", "-shm", ""]) rmSync(path + beside, { force: true });
  });
}

/** The databases that were set aside, oldest first. */
export function damagedBeside(path: string): readonly string[] {
  const prefix = `${basename(path)}.damaged-`;
  try {
    const names = readdirSync(dirname(path)).filter((name) => name.startsWith(prefix) && /Z$/.test(name));
    return names.sort().map((name) => join(dirname(path), name));
  } catch {
    return [];
  }
}

/**
 * Whether a database that was in use is gone, or empty: what it tells of is still kept in the folder `contents`. After
 * one was set aside, somebody is just beginning the next.
 */
export function isLost(path: string, contents: string): boolean {
  // In this order: nothing is kept there before the database is made.
  if (!holdsFolders(contents) || (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return false;
  const youngest = Date.now() - beginningMs;
  return damagedBeside(path).every(
    (aside) => (statSync(aside, { throwIfNoEntry: false })?.ctimeMs ?? 0) < youngest,
  );
}

const beginningMs = 10_000;

/** Contents lie in folders; beside them a file tells when they were last collected, also when there were none. */
function holdsFolders(path: string): boolean {
  try {
    return readdirSync(path, { withFileTypes: true }).some((entry) => entry.isDirectory());
  } catch {
    return false;
  }
}

/** What a database takes, with what SQLite keeps beside it. */
export function sizeOf(path: string): number {
  const sizes = ["", "-wal", "-shm"].map((end) => statSync(path + end, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Whoever can make the folder is alone; a folder that stays is left of a process that was killed. */
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
