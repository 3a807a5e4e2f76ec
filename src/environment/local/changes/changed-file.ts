import {
  type BigIntStats,
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  linkSync,
  lstatSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { promisify } from "node:util";
import type { ChangeReceipt } from "../../../contract/environment.ts";
import { Breath } from "../../../lib/breath.ts";
import { hashPatiently, linkAt } from "../../../system/content.ts";
import { asToolError, isStale } from "../../../system/failures.ts";
import { openIn } from "../../../system/pinning/open-in.ts";
import type { PinnedDirectory, Pinning } from "../../../system/pinning/pinning.ts";
import { hasNoHardLinks, TemporaryFile } from "../../../system/temporary-file.ts";
import { fileInfo } from "../files/file-info.ts";
import { makeParents, type Parent } from "../files/place.ts";
import { openForReading } from "../files/read-file.ts";
import { fillTemporary } from "../files/write-file.ts";
import { applyStep, type FileStep, freshName, keptName } from "./file-step.ts";
import type { Target } from "./target.ts";

interface StagingOptions {
  readonly durable: boolean;
  readonly signal: AbortSignal | undefined;
}

/** One file of a change set, held until the change is done. Close it. */
export class ChangedFile {
  readonly target: Target;
  readonly #pinning: Pinning;
  #parent: Parent | undefined;
  /** What the check has seen. */
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

  /** The directory of the file, as far as it exists. */
  get directory(): PinnedDirectory {
    return this.#parent?.directory ?? this.target.place.directory;
  }

  /** Writes the new content beside the file. */
  async stage(options: StagingOptions): Promise<void> {
    const { step, place, like } = this.target;
    const { after, mode } = this.target.change;
    if (step === undefined || after === "nothing") return;
    this.#parent = makeParents(place);
    const fresh = new TemporaryFile(this.directory, like, mode, freshName(step));
    try {
      this.#after = await fillTemporary(fresh, after, options);
      fresh.leave();
    } finally {
      fresh.discard();
    }
  }

  /** Waits until the new content is on the disk. */
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

  /** Makes the old content last until all is done. */
  async keepOld(options: StagingOptions): Promise<void> {
    const { step, place } = this.target;
    if (step?.how === "rewrite") return this.#copyOld(step, options);
    if (step?.how !== "replace") return;
    try {
      linkSync(this.directory.at(place.name), this.directory.at(keptName(step)));
    } catch (error) {
      if (!hasNoHardLinks(error)) throw error;
      await this.#copyOld(step, options);
    }
  }

  async #copyOld(step: FileStep, { durable, signal }: StagingOptions): Promise<void> {
    const old = openIn(this.directory, this.target.place.name);
    try {
      const kept = new TemporaryFile(this.directory, fstatSync(old), undefined, keptName(step));
      try {
        const hash = await hashPatiently(old, new Breath(signal), kept.handle);
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

  /** Holds the file to what it should have been before. */
  async check(signal: AbortSignal | undefined): Promise<void> {
    const { change, place, named, file, step } = this.target;
    if (file === undefined) {
      if (this.#look() !== undefined) throw isStale(this.path, "there");
      return;
    }
    const isLink = step?.link !== undefined;
    if (isLink && linkAt(this.directory, place.name) !== step.link) throw isStale(this.path, "changed");
    const handle = isLink ? openForReading(this.#pinning, named) : openIn(this.directory, place.name);
    try {
      // Before it is read: what is written to it meanwhile is seen at the last look.
      const stats = fstatSync(handle, { bigint: true });
      this.#seen = isLink ? this.#look() : stats;
      if (!stats.isFile() || (await hashPatiently(handle, new Breath(signal))) !== change.before)
        throw isStale(this.path, "changed");
    } finally {
      closeSync(handle);
    }
  }

  /** The last look before the file is changed: nobody has written it since the check. */
  lookAgain(): void {
    const now = this.#look();
    const seen = this.#seen;
    if (now === undefined && seen === undefined) return;
    if (now === undefined) throw isStale(this.path, "gone");
    if (seen === undefined) throw isStale(this.path, "there");
    const isSame = now.ino === seen.ino && now.dev === seen.dev;
    if (!isSame || now.size !== seen.size || now.mtimeNs !== seen.mtimeNs)
      throw isStale(this.path, "changed");
  }

  /** Changes the file; without `keepsOld` there is no way back from removing it. */
  apply({ keepsOld }: { readonly keepsOld: boolean }): void {
    const { step, directory } = this;
    const { name } = this.target.place;
    if (step === undefined) return;
    if (step.how === "remove" && !keepsOld) unlinkSync(directory.at(name));
    else applyStep(directory, step);
    if (step.how === "rewrite") this.#after = lstatSync(directory.at(name));
    directory.confirm();
  }

  receipt(): ChangeReceipt {
    const { realPath, place, change } = this.target;
    const before = place.stats && fileInfo(place.stats);
    const after = this.#after && fileInfo(this.#after);
    return { realPath, before, after: change.after === "nothing" ? undefined : (after ?? before) };
  }

  /** The directories that were made for it. */
  madeParents(): readonly ChangeReceipt[] {
    return this.#parent?.made() ?? [];
  }

  /** Removes the directories that were made for it. */
  undoParents(): void {
    this.#parent?.undo();
  }

  close(): void {
    if (this.#parent === undefined) this.target.place.directory.close();
    else this.#parent.close();
  }

  #look(): BigIntStats | undefined {
    if (this.#parent === undefined && this.target.place.missing.length > 0) return undefined;
    return lstatSync(this.directory.at(this.target.place.name), { bigint: true, throwIfNoEntry: false });
  }
}
