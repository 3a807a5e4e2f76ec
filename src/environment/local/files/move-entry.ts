import {
  closeSync,
  fdatasync,
  fstatSync,
  futimesSync,
  linkSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  renameSync,
  type Stats,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { promisify } from "node:util";
import type { ChangeReceipt, MoveOptions } from "../../../contract/environment.ts";
import { throwIfAborted } from "../../../lib/async/abort.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { piecesOf, writeFully } from "../../../system/content.ts";
import {
  alreadyExists,
  asToolError,
  directoryInTheWay,
  errnoOf,
  fileInTheWay,
  intoItself,
  isWorkspaceItself,
  ontoItself,
  systemError,
} from "../../../system/file-errors.ts";
import type { PathChecker } from "../../../system/path-checker.ts";
import { openIn, type Pinning } from "../../../system/pinning.ts";
import {
  hasNoHardLinks,
  newTemporaryId,
  TemporaryFile,
  temporaryName,
} from "../../../system/temporary-file.ts";
import { liesInside, withSlash } from "../../../system/workspace-path.ts";
import { ChangeRecord } from "../changes/change-record.ts";
import { type Visit, walkTree } from "./delete-entry.ts";
import { fileInfo } from "./file-info.ts";
import {
  closingOnError,
  type EntryLocation,
  locateEntry,
  locateExisting,
  type MadeParent,
  makeParents,
  missingAbove,
  realPathOf,
  refuseChanged,
} from "./locate-entry.ts";
import type { NamedPath } from "./read-file.ts";

type ExistingEntry = EntryLocation & { readonly stats: Stats };

/**
 * Moves a file, link or directory. Links are moved and replaced themselves, never their targets. `records` is the
 * folder of change records, for the case that this process is killed.
 */
export async function moveEntry(
  pinning: Pinning,
  from: NamedPath,
  to: NamedPath,
  options: MoveOptions,
  records: string | undefined,
): Promise<void> {
  throwIfAborted(options.signal);
  const replace = options.replace === true;
  const source = findSource(pinning, from);
  try {
    const target = locateEntry(pinning, to.absolute, { followLinks: false });
    const parent = closingOnError(target.directory, () => {
      refuseMove(source, target, { from: from.given, to: to.given, replace });
      checkBothEnds(pinning.checker, { from, to }, realPathOf(source), realPathOf(target));
      return makeRecordedParents(target, pinning.root, records);
    });
    try {
      const { directory } = parent;
      const ifExists = replace ? "replace" : "refuse";
      const isCheckedTree = pinning.checker.isGuarded && source.stats.isDirectory();
      const checkBelow = () => checkTree(pinning.checker, { from, to }, source, target, options.signal);
      if (isCheckedTree) await checkBelow();
      const destination = { ...target, directory, missing: [] };
      const answer = options.announce?.([...parent.made(), ...effectsOf(source, target)]);
      if (answer !== undefined) {
        await answer;
        throwIfAborted(options.signal);
        if (isCheckedTree) await checkBelow();
        refuseChanged(source, from.given);
        refuseChanged(destination, to.given);
      }
      try {
        rename(source, destination, ifExists);
      } catch (error) {
        if (errnoOf(error) !== "EXDEV") throw error;
        await moveAcrossDisks(source, destination, ifExists, options.signal);
      }
      source.directory.confirm();
      directory.confirm();
    } catch (error) {
      parent.undo();
      throw error;
    } finally {
      parent.close();
    }
  } finally {
    source.directory.close();
  }
}

/** Creates the parents of the target, and records them until the move is done. */
function makeRecordedParents(
  target: EntryLocation,
  workspace: string,
  records: string | undefined,
): MadeParent {
  if (target.missing.length === 0 || records === undefined) return makeParents(target);
  const directories = missingAbove(target).map((path) => path.slice(withSlash(workspace).length));
  const record = ChangeRecord.begin(records, newTemporaryId(), { workspace, steps: [], directories });
  try {
    const parent = makeParents(target);
    const close = () => {
      parent.close();
      removeRecord(record);
    };
    return { ...parent, close };
  } catch (error) {
    removeRecord(record);
    throw error;
  }
}

/** Removes a record. A failure is not reported, because the move is done. */
function removeRecord(record: ChangeRecord): void {
  try {
    record.remove();
  } catch {
    record.leave();
  }
}

interface Ends {
  readonly from: NamedPath;
  readonly to: NamedPath;
}

/** Checks both paths of a move. It requires read permission, because a hidden file could be read under another name. */
function checkBothEnds(checker: PathChecker, { from, to }: Ends, fromPath: string, toPath: string): void {
  checker.check("read", fromPath, from.given);
  checker.check("write", fromPath, from.given);
  checker.check("write", toPath, to.given);
}

async function checkTree(
  checker: PathChecker,
  ends: Ends,
  source: ExistingEntry,
  target: EntryLocation,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [fromPath, toPath] = [realPathOf(source), realPathOf(target)];
  const pass: Visit = (here, name) => {
    const path = withSlash(here.realPath) + name;
    checkBothEnds(checker, ends, path, toPath + path.slice(fromPath.length));
  };
  await walkTree(source.directory.child(source.name), pass, new TimeSlice(signal));
}

function effectsOf(source: ExistingEntry, target: EntryLocation): readonly ChangeReceipt[] {
  const moved = fileInfo(source.stats);
  const isReplaced = target.stats !== undefined && !isOtherSpelling(source, target);
  return [
    { realPath: realPathOf(source), before: moved, after: undefined },
    { realPath: realPathOf(target), before: isReplaced ? fileInfo(target.stats) : undefined, after: moved },
  ];
}

/** Finds the entry to move. Errors here are about the old path, and later errors about the new one. */
function findSource(pinning: Pinning, from: NamedPath): ExistingEntry {
  try {
    return locateExisting(pinning, from.absolute, { followLinks: false, givenPath: from.given });
  } catch (error) {
    throw asToolError(error, from.given);
  }
}

function refuseMove(
  source: ExistingEntry,
  target: EntryLocation,
  names: { readonly from: string; readonly to: string; readonly replace: boolean },
): void {
  if (source.name === ".") throw isWorkspaceItself(names.from);
  if (target.name === ".") throw isWorkspaceItself(names.to);
  const fromPath = realPathOf(source);
  const toPath = realPathOf(target);
  if (fromPath === toPath) throw ontoItself(names.from);
  if (source.stats.isDirectory() && liesInside(toPath, fromPath)) throw intoItself(names.from, names.to);
  if (target.stats === undefined || isOtherSpelling(source, target)) return;
  if (target.stats.isDirectory()) throw directoryInTheWay(names.to);
  if (!names.replace) throw alreadyExists(names.to);
  if (source.stats.isDirectory()) throw fileInTheWay(names.to);
}

function rename(source: ExistingEntry, target: EntryLocation, ifExists: "replace" | "refuse"): void {
  const from = source.directory.at(source.name);
  const to = target.directory.at(target.name);
  const isOldName = isOtherSpelling(source, target);
  // Renaming one hard link over another of the same file does nothing.
  const isLinkedThere = isSameFile(source, target) && !isOldName;
  const refuses = ifExists === "refuse" && !isOldName;
  // Directories have no hard links, and some systems would hard-link the target of a link. For both the name is only
  // checked, so an entry that is created in that moment is replaced.
  const takesName = refuses && source.stats.isFile();
  if (isLinkedThere || (takesName && takeFreeName(from, to))) {
    unlinkSync(from);
    return;
  }
  if (refuses && lstatSync(to, { throwIfNoEntry: false }) !== undefined) throw systemError("EEXIST", to);
  renameSync(from, to);
}

/** Takes a free name by a hard link, the only atomic way without renameat2. Returns false without hard links. */
function takeFreeName(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasNoHardLinks(error)) return false;
    throw error;
  }
}

function isSameFile(source: ExistingEntry, target: EntryLocation): boolean {
  return source.stats.ino === target.stats?.ino && source.stats.dev === target.stats.dev;
}

/** Whether the new name is another spelling of the old one, on a case-insensitive file system. */
function isOtherSpelling(source: ExistingEntry, target: EntryLocation): boolean {
  if (!isSameFile(source, target) || source.directory.realPath !== target.directory.realPath) return false;
  return !readdirSync(target.directory.at(".")).includes(target.name);
}

/** Copies a file or link to another file system, then deletes it. Until then the target is unchanged. */
export async function moveAcrossDisks(
  source: ExistingEntry,
  target: EntryLocation,
  ifExists: "replace" | "refuse",
  signal?: AbortSignal,
): Promise<void> {
  const { stats, directory, name } = source;
  if (stats.isFile()) await copyFile(source, target, ifExists, signal);
  else if (stats.isSymbolicLink()) copyLink(source, target, ifExists);
  else throw systemError("EXDEV", name);
  unlinkSync(directory.at(name));
}

async function copyFile(
  source: EntryLocation,
  target: EntryLocation,
  ifExists: "replace" | "refuse",
  signal: AbortSignal | undefined,
): Promise<void> {
  const from = openIn(source.directory, source.name);
  try {
    const stats = fstatSync(from);
    const copy = new TemporaryFile(target.directory, stats);
    try {
      const timeSlice = new TimeSlice(signal);
      for (const piece of piecesOf(from)) {
        writeFully(copy.handle, piece);
        if (timeSlice.isOver) await timeSlice.next();
      }
      copy.finish();
      futimesSync(copy.handle, stats.atime, stats.mtime);
      await promisify(fdatasync)(copy.handle);
      throwIfAborted(signal);
      copy.giveName(target.name, ifExists);
    } finally {
      copy.discard();
    }
  } finally {
    closeSync(from);
  }
}

function copyLink(source: EntryLocation, target: EntryLocation, ifExists: "replace" | "refuse"): void {
  const pointsTo = readlinkSync(source.directory.at(source.name));
  if (ifExists === "refuse") {
    // This throws EEXIST when the name exists.
    symlinkSync(pointsTo, target.directory.at(target.name));
    return;
  }
  const temporary = temporaryName();
  symlinkSync(pointsTo, target.directory.at(temporary));
  try {
    renameSync(target.directory.at(temporary), target.directory.at(target.name));
  } catch (error) {
    unlinkSync(target.directory.at(temporary));
    throw error;
  }
}
