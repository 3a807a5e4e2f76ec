import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { monotonicMs } from "../../lib/clock.ts";
import { undefinedUnlessExhausted } from "../../lib/exhaustion.ts";
import { attempt } from "../../system/attempt.ts";
import { inPrivateDirectory, namesIn } from "../../system/directories.ts";
import { errnoOf } from "../../system/file-errors.ts";
import {
  longAbandonedMs,
  newRecordName,
  ownerHasEnded,
  removeRecord,
} from "../../system/process-identity.ts";

/** A file or directory at a path that commands must not create. It is the mount point of the mount that prevents it. */
export interface Placeholder {
  readonly path: string;
  readonly kind: "file" | "directory";
  readonly content?: string;
}

/**
 * The records of the placeholders in a workspace, in a folder that all processes share. Each use has a file that lists
 * its placeholders. A process that must not be disturbed puts an empty file there, a mark, whose name says who it is.
 * A mark is written before the folder is read, so of two processes at least one sees the mark of the other.
 */
export class PlaceholderRecords {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Records a use. Returns the name of the record. */
  add(placeholders: readonly Placeholder[]): string {
    const name = newRecordName();
    this.#write(name, placeholders);
    return name;
  }

  /** Marks a record as unused. It stays until its placeholders are removed, in case of a crash. */
  release(name: string): void {
    attempt(() => renameSync(this.#at(name), this.#at(`${name}${suffix.ending}`)));
  }

  /** Returns all recorded placeholders that were not removed yet. */
  all(): readonly Placeholder[] {
    return this.#read(isRecord);
  }

  /** Returns the paths of the placeholders that running commands need. */
  used(): ReadonlySet<string> {
    const placeholders = this.#read((name) => isRecord(name) && !isUnused(name));
    return new Set(placeholders.map(({ path }) => path));
  }

  get hasUnused(): boolean {
    return namesIn(this.#folder).some((name) => isRecord(name) && isUnused(name));
  }

  /** Runs `act`, while no other process removes placeholders or decides that an entry is one. */
  async keeping<Result>(act: () => Result): Promise<Result> {
    const mark = this.#mark(suffix.keeping);
    try {
      const until = monotonicMs() + patienceMs;
      // After a longer time the other process is suspended. If it still removes a used placeholder, the command is ended.
      while (this.#isMarked(suffix.removing) && monotonicMs() < until) await wait(pauseMs);
      return act();
    } finally {
      removeRecord(mark);
    }
  }

  /**
   * Calls `remove` with the unused placeholders, while no process runs `keeping`. It returns those that are left. When
   * another process runs `keeping` for too long, the next removal removes them.
   */
  async removeUnused(remove: (unused: readonly Placeholder[]) => readonly Placeholder[]): Promise<void> {
    this.#tidy();
    const until = monotonicMs() + patienceMs;
    for (; this.hasUnused && monotonicMs() < until; await wait(pauseMs)) {
      // Without this check, processes that wait to remove placeholders would delay those that keep them.
      if (this.#isMarked(suffix.keeping)) continue;
      // On a full disk the placeholders stay until the next removal.
      const mark = attempt(() => this.#mark(suffix.removing));
      if (mark === undefined) return;
      try {
        if (!this.#isMarked(suffix.keeping)) return this.#removeUnused(remove);
      } finally {
        removeRecord(mark);
      }
    }
  }

  /** Begins to watch for placeholders. `seen` returns those that existed at any time since, and `end` must be called. */
  watch(): { seen(): readonly Placeholder[]; end(): void } {
    const mark = attempt(() => this.#mark(suffix.watching));
    return {
      seen: () => this.#read((name) => isRecord(name) || name.endsWith(suffix.removed)),
      end: () => {
        if (mark !== undefined) removeRecord(mark);
        this.#tidy();
      },
    };
  }

  #removeUnused(remove: (unused: readonly Placeholder[]) => readonly Placeholder[]): void {
    const names = namesIn(this.#folder).filter((name) => isRecord(name) && isUnused(name));
    const unused = this.#read((name) => names.includes(name));
    const left = remove(unused);
    // A process that began to watch before the removal may have seen them.
    if (this.#isMarked(suffix.watching))
      attempt(() => this.#write(`${newRecordName()}${suffix.removed}`, unused));
    const [first, ...others] = names;
    if (left.length > 0) this.#write(first!, left);
    for (const name of left.length > 0 ? others : names) removeRecord(this.#at(name));
  }

  /** Removes the marks of processes that have ended, and the lists of removed placeholders that are needed no more. */
  #tidy(): void {
    const names = namesIn(this.#folder);
    const isWatched = this.#isMarked(suffix.watching);
    for (const name of names) {
      const isOver = name.endsWith(suffix.removed) ? !isWatched : !isRecord(name) && !this.#isLive(name);
      if (isOver) removeRecord(this.#at(name));
    }
  }

  #mark(end: string): string {
    const path = this.#at(`${newRecordName()}${end}`);
    inPrivateDirectory(this.#folder, () => writeFileSync(path, "", { mode: 0o600 }));
    return path;
  }

  #isMarked(end: string): boolean {
    return namesIn(this.#folder).some((name) => name.endsWith(end) && this.#isLive(name));
  }

  #isLive(name: string): boolean {
    const madeMs = attempt(() => statSync(this.#at(name)).mtimeMs);
    return madeMs !== undefined && !ownerHasEnded(name, Date.now() - madeMs);
  }

  /** Writes a file at once, so that no other process reads a part of it. */
  #write(name: string, placeholders: readonly Placeholder[]): void {
    const draft = this.#at(`${newRecordName()}${suffix.draft}`);
    const text = JSON.stringify(placeholders);
    inPrivateDirectory(this.#folder, () => writeFileSync(draft, text, { mode: 0o600 }));
    renameSync(draft, this.#at(name));
  }

  #read(isWanted: (name: string) => boolean): readonly Placeholder[] {
    for (;;) {
      const texts = namesIn(this.#folder)
        .filter(isWanted)
        .map((name) => textOf(this.#at(name)));
      // A record that was renamed meanwhile has another name now.
      if (!texts.includes(renamed))
        return texts.flatMap(
          (text) => attempt((): readonly Placeholder[] => JSON.parse(text as string)) ?? [],
        );
    }
  }

  #at(name: string): string {
    return join(this.#folder, name);
  }
}

/** How the names of files that are not records of a running command end. */
const suffix = {
  /** A record whose command has ended. */
  ending: ".ending",
  /** A list of removed placeholders. */
  removed: ".removed",
  draft: ".draft",
  keeping: ".keeping",
  removing: ".removing",
  watching: ".watching",
} as const;

const otherSuffixes = Object.values(suffix).filter((end) => end !== suffix.ending);

function isRecord(name: string): boolean {
  return !otherSuffixes.some((end) => name.endsWith(end));
}

function isUnused(name: string): boolean {
  return name.endsWith(suffix.ending) || ownerHasEnded(name, 0, longAbandonedMs);
}

const renamed = Symbol("renamed");

/** Returns the text of a record; empty when it cannot be read. */
function textOf(path: string): string | typeof renamed {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? renamed : (undefinedUnlessExhausted(error) ?? "");
  }
}

const pauseMs = 2;
const patienceMs = 2000;
