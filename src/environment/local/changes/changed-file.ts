import {
  type BigIntStats,
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  linkSync,
  lstatSync,
  readlinkSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { promisify } from "node:util";
import type { ChangeReceipt, FileChange } from "../../../contract/environment.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { hashPatiently, linkAt } from "../../../system/content.ts";
import {
  asToolError,
  isDirectory,
  isNamedTwice,
  isStale,
  isWorkspaceItself,
} from "../../../system/file-errors.ts";
import { openIn, type PinnedDirectory, type Pinning } from "../../../system/pinning.ts";
import { hasNoHardLinks, newTemporaryId, TemporaryFile } from "../../../system/temporary-file.ts";
import { withSlash } from "../../../system/workspace-path.ts";
import { fileInfo } from "../files/file-info.ts";
import {
  closingOnError,
  type EntryLocation,
  locateEntry,
  locateExisting,
  type MadeParent,
  makeParents,
  realPathOf,
} from "../files/locate-entry.ts";
import { type NamedPath, openForReading, refuseUnlessFile } from "../files/read-file.ts";
import { fillTemporary, respectProtection } from "../files/write-file.ts";
import { applyStep, type FileStep, freshName, keptName } from "./file-step.ts";

interface StagingOptions {
  readonly durable: boolean;
  readonly signal: AbortSignal | undefined;
}

/** One file of a change set, pinned until it is closed. */
export class ChangedFile {
  readonly target: Target;
  readonly #pinning: Pinning;
  #parent: MadeParent | undefined;
  #seen: BigIntStats | undefined;
  #after: Stats | undefined;

  constructor(pinning: Pinning, target: Target) {
    this.#pinning = pinning;
    this.target = target;
  }

  get path(): string {
    return this.target.path;
  }

  get step(): FileStep | undefined {
    return this.target.step;
  }

  /** The directory of the file, or the deepest existing directory above it. */
  get directory(): PinnedDirectory {
    return this.#parent?.directory ?? this.target.location.directory;
  }

  /** Writes the new content to a temporary file. */
  async stage(options: StagingOptions): Promise<void> {
    const { step, location, like } = this.target;
    const { after, mode } = this.target.change;
    if (step === undefined || after === "nothing") return;
    this.#parent = makeParents(location);
    const fresh = new TemporaryFile(this.directory, like, mode, freshName(step));
    try {
      this.#after = await fillTemporary(fresh, after, options);
      fresh.leave();
    } finally {
      fresh.discard();
    }
  }

  async syncFresh(): Promise<void> {
    const { step } = this.target;
    if (step === undefined || step.how === "remove") return;
    const fresh = openIn(this.directory, freshName(step));
    try {
      await promisify(fdatasync)(fresh);
    } catch (error) {
      throw asToolError(error, this.path);
    } finally {
      closeSync(fresh);
    }
  }

  /** Keeps the old content until the whole set is changed. */
  async keepOld(options: StagingOptions): Promise<void> {
    const { step, location } = this.target;
    if (step?.how === "rewrite") return this.#copyOld(step, options);
    if (step?.how !== "replace") return;
    try {
      linkSync(this.directory.at(location.name), this.directory.at(keptName(step)));
    } catch (error) {
      if (!hasNoHardLinks(error)) throw error;
      await this.#copyOld(step, options);
    }
  }

  async #copyOld(step: FileStep, { durable, signal }: StagingOptions): Promise<void> {
    const old = openIn(this.directory, this.target.location.name);
    try {
      const kept = new TemporaryFile(this.directory, fstatSync(old), undefined, keptName(step));
      try {
        const hash = await hashPatiently(old, new TimeSlice(signal), kept.handle);
        if (hash !== step.before) throw isStale(this.path, "changed");
        kept.finish();
        if (durable) fdatasyncSync(kept.handle);
        kept.leave();
      } finally {
        kept.discard();
      }
    } finally {
      closeSync(old);
    }
  }

  async check(signal: AbortSignal | undefined): Promise<void> {
    const { change, location, named, file, step } = this.target;
    if (file === undefined) {
      if (this.#look() !== undefined) throw isStale(this.path, "there");
      return;
    }
    const isLink = step?.link !== undefined;
    if (isLink && linkAt(this.directory, location.name) !== step.link) throw isStale(this.path, "changed");
    const handle = isLink ? openForReading(this.#pinning, named) : openIn(this.directory, location.name);
    try {
      // The stats are taken before the file is read, so that the last check detects later writes.
      const stats = fstatSync(handle, { bigint: true });
      this.#seen = isLink ? this.#look() : stats;
      if (!stats.isFile() || (await hashPatiently(handle, new TimeSlice(signal))) !== change.before)
        throw isStale(this.path, "changed");
    } finally {
      closeSync(handle);
    }
  }

  /** Throws `stale` if the file was written since `check`. It is the last check before the change. */
  checkUnchanged(): void {
    const now = this.#look();
    const seen = this.#seen;
    if (now === undefined && seen === undefined) return;
    if (now === undefined) throw isStale(this.path, "gone");
    if (seen === undefined) throw isStale(this.path, "there");
    const isSame = now.ino === seen.ino && now.dev === seen.dev;
    if (!isSame || now.size !== seen.size || now.mtimeNs !== seen.mtimeNs)
      throw isStale(this.path, "changed");
  }

  /** Changes the file. Without `keepsOld`, a removal cannot be undone. */
  apply({ keepsOld }: { readonly keepsOld: boolean }): void {
    const { step, directory } = this;
    const { name } = this.target.location;
    if (step === undefined) return;
    if (step.how === "remove" && !keepsOld) unlinkSync(directory.at(name));
    else applyStep(directory, step);
    if (step.how === "rewrite") this.#after = lstatSync(directory.at(name));
    directory.confirm();
  }

  receipt(): ChangeReceipt {
    const { realPath, location, change } = this.target;
    const before = location.stats && fileInfo(location.stats);
    const after = this.#after && fileInfo(this.#after);
    return { realPath, before, after: change.after === "nothing" ? undefined : (after ?? before) };
  }

  madeParents(): readonly ChangeReceipt[] {
    return this.#parent?.made() ?? [];
  }

  undoParents(): void {
    this.#parent?.undo();
  }

  close(): void {
    if (this.#parent === undefined) this.target.location.directory.close();
    else this.#parent.close();
  }

  #look(): BigIntStats | undefined {
    if (this.#parent === undefined && this.target.location.missing.length > 0) return undefined;
    return lstatSync(this.directory.at(this.target.location.name), { bigint: true, throwIfNoEntry: false });
  }
}

/** The location of one change, and its step. Close the directory of the location. */
export interface Target {
  readonly change: FileChange;
  readonly named: NamedPath;
  readonly path: string;
  readonly realPath: string;
  readonly location: EntryLocation;
  /** The file with the content. For a link that is deleted, this is its target. */
  readonly file: Stats | undefined;
  /** The file whose mode and owner the new file gets. */
  readonly like: Stats | undefined;
  /** Undefined when the file is only checked. */
  readonly step: FileStep | undefined;
}

/** Finds and checks the target of a change. `nameOf` checks a path as the caller spelled it. */
export function findTarget(
  pinning: Pinning,
  change: FileChange,
  nameOf: (path: string) => NamedPath,
): Target {
  const { path, after } = change;
  const named = nameOf(path);
  const location = locateEntry(pinning, named.absolute, { followLinks: after !== "nothing" });
  return closingOnError(location.directory, () => {
    if (location.name === ".") throw isWorkspaceItself(path);
    const isLink = location.stats?.isSymbolicLink() === true;
    const file = isLink ? fileAt(pinning, named) : location.stats;
    if (file !== undefined) refuseUnlessFile(file, path);
    if (after !== "nothing" && path.endsWith("/")) throw isDirectory(path);
    if (after !== "nothing" && file !== undefined) respectProtection(location, file);
    const example = file === undefined ? change.like : undefined;
    const like = example === undefined ? file : fileAt(pinning, nameOf(example));
    const realPath = realPathOf(location);
    pinning.checker.check("write", realPath, path);
    const step = planStep(change, file, {
      path: realPath.slice(withSlash(pinning.root).length),
      link: isLink ? readlinkSync(location.directory.at(location.name)) : undefined,
    });
    return { change, named, path, realPath, location, file, like, step };
  });
}

/** Refuses obvious conflicts before anything is written. */
export function refuseUnlikely(targets: readonly Target[]): void {
  for (const { path, file, change } of targets) {
    if (file === undefined && change.before !== "nothing") throw isStale(path, "gone");
    if (file !== undefined && change.before === "nothing") throw isStale(path, "there");
  }
}

/** Refuses changes of one file through several hard links if one of them rewrites it. */
export function refuseSharedFiles(targets: readonly Target[]): void {
  for (const one of targets.filter(({ step }) => step?.how === "rewrite")) {
    const isSame = ({ file }: Target) => file?.ino === one.file?.ino && file?.dev === one.file?.dev;
    const other = targets.find((target) => target !== one && isSame(target));
    if (other !== undefined) throw isNamedTwice(one.path, other.path);
  }
}

function planStep(
  { before, after: content, mode, hardLinks }: FileChange,
  file: Stats | undefined,
  location: Pick<FileStep, "path" | "link">,
): FileStep | undefined {
  const after = content === "nothing" ? "nothing" : contentHash(content);
  const hasMode = mode === undefined || file === undefined || mode === (file.mode & 0o7777);
  if (after === before && hasMode) return undefined;
  const rewrite = hardLinks === "keep" && file !== undefined && file.nlink > 1 ? "rewrite" : "replace";
  const how = after === "nothing" ? "remove" : file === undefined ? "create" : rewrite;
  return { ...location, how, before, after, id: newTemporaryId() };
}

function fileAt(pinning: Pinning, named: NamedPath): Stats {
  try {
    const { stats, directory } = locateExisting(pinning, named.absolute, {
      followLinks: true,
      givenPath: named.given,
    });
    directory.close();
    refuseUnlessFile(stats, named.given);
    return stats;
  } catch (error) {
    throw asToolError(error, named.given);
  }
}
