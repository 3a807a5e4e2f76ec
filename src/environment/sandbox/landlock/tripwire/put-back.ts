import {
  chmodSync,
  closeSync,
  cpSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isHash } from "../../../blobs/blob-files.ts";
import { makePrivateDirectory } from "../../../directories.ts";
import { errnoOf } from "../../../failures.ts";
import { newTemporaryId, temporaryName } from "../../../local/files/temporary-file.ts";
import type { PinnedDirectory } from "../../../local/pinning/pinning.ts";
import { type EntryRecord, holdRoot } from "./entry-record.ts";

export interface Difference {
  readonly path: string;
  readonly was: EntryRecord | undefined;
  readonly is: EntryRecord | undefined;
}

/** Outermost first; what lies in a directory that was not there is not named beside it. */
export function differences(
  before: readonly EntryRecord[],
  after: readonly EntryRecord[],
): readonly Difference[] {
  const was = new Map(before.map((entry) => [entry.path, entry]));
  const is = new Map(after.map((entry) => [entry.path, entry]));
  const paths = [...new Set([...was.keys(), ...is.keys()])].sort();
  const different = paths
    .map((path): Difference => ({ path, was: was.get(path), is: is.get(path) }))
    .filter((difference) => JSON.stringify(difference.was) !== JSON.stringify(difference.is));
  const isNew = new Set(
    different.filter((difference) => difference.was === undefined).map(({ path }) => path),
  );
  return different.filter(({ path }) => !isNew.has(dirname(path)));
}

export interface Places {
  /** Contents by their hashes. */
  readonly contents: string;
  /** Where what was found instead goes, for a person to look at. */
  readonly aside: string;
}

/** Makes what was there stand there again. Never follows a link: whoever made the difference may have laid one. */
export function putBack({ path, was, is }: Difference, places: Places): void {
  if (was?.kind === "file" && !isHash(was.hash)) throw new Error("it was too large to keep");
  if (was?.kind === "other") throw new Error("it was no file");
  const parent = holdOrMake(dirname(path), places);
  try {
    const name = basename(path);
    const areDirectories = was?.kind === "directory" && is?.kind === "directory";
    if (is !== undefined && !areDirectories) setAside(parent, name, path, places);
    if (was === undefined) return;
    if (was.kind === "link") symlinkSync(was.target, parent.at(name));
    else if (was.kind === "file") writeIn(parent, name, was, readFileSync(join(places.contents, was.hash)));
    else {
      if (!areDirectories) mkdirSync(parent.at(name));
      const directory = parent.child(name);
      chmodSync(directory.at("."), was.mode);
      directory.close();
    }
  } finally {
    parent.close();
  }
}

/** Gives a directory that was renamed its old name again. */
export function moveBack(from: string, to: string, places: Places): void {
  const target = holdOrMake(dirname(to), places);
  const source = holdOrMake(dirname(from), places);
  try {
    if (lstatSync(target.at(basename(to)), { throwIfNoEntry: false }) !== undefined) {
      setAside(target, basename(to), to, places);
    }
    renameSync(source.at(basename(from)), target.at(basename(to)));
  } finally {
    target.close();
    source.close();
  }
}

function writeIn(
  parent: PinnedDirectory,
  name: string,
  { mode, owner }: Extract<EntryRecord, { readonly kind: "file" }>,
  content: Uint8Array,
): void {
  const temporary = parent.at(temporaryName(newTemporaryId()));
  const handle = openSync(temporary, "wx", 0o600);
  try {
    for (let written = 0; written < content.length; ) written += writeSync(handle, content, written);
    if (process.getuid?.() === 0) fchownSync(handle, ...owner);
    fchmodSync(handle, mode);
    renameSync(temporary, parent.at(name));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
}

function setAside(parent: PinnedDirectory, name: string, path: string, { aside }: Places): void {
  const target = join(aside, path);
  makePrivateDirectory(dirname(target));
  try {
    renameSync(parent.at(name), target);
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
    cpSync(parent.at(name), target, { recursive: true, verbatimSymlinks: true });
    rmSync(parent.at(name), { recursive: true, force: true });
  }
}

function holdOrMake(path: string, places: Places): PinnedDirectory {
  let directory = holdRoot();
  let reached = "";
  for (const name of path.split("/").filter((part) => part !== "")) {
    const parent = directory;
    reached += `/${name}`;
    try {
      const stats = lstatSync(parent.at(name), { throwIfNoEntry: false });
      if (stats?.isDirectory() === false) setAside(parent, name, reached, places);
      if (stats?.isDirectory() !== true) mkdirSync(parent.at(name));
      directory = parent.child(name);
    } finally {
      parent.close();
    }
  }
  return directory;
}
