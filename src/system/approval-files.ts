import { type FSWatcher, linkSync, renameSync, rmSync, watch } from "node:fs";
import { join } from "node:path";
import { newIdentifier } from "../lib/identifier.ts";
import { attempt, attemptQuietly, statsAt } from "./attempt.ts";
import { namesIn } from "./directories.ts";
import { errnoOf } from "./file-errors.ts";
import { readPolicyFile, removePolicyFile, writePolicyFile } from "./policy-files.ts";

/**
 * Holds text files in one folder. Links are never followed: neither the folder nor its files can be elsewhere. When
 * several processes take or create the same file, exactly one succeeds.
 */
export class ApprovalFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  names(): readonly string[] {
    return this.#isLink ? [] : namesIn(this.#folder);
  }

  has(name: string): boolean {
    return statsAt(this.#at(name)) !== undefined;
  }

  isLink(name: string): boolean {
    return statsAt(this.#at(name))?.isSymbolicLink() === true;
  }

  /** Returns undefined when the file does not exist or is a link. */
  read(name: string): string | undefined {
    if (this.#isLink || this.isLink(name)) return undefined;
    return readPolicyFile(this.#at(name));
  }

  write(name: string, text: string): void {
    if (this.#isLink) throw new Error(`${this.#folder} is a link`);
    writePolicyFile(this.#at(name), text);
  }

  /** Writes a new file, whole from its first moment on. Returns false when the file exists. */
  create(name: string, text: string): boolean {
    const draft = newIdentifier("draft");
    this.write(draft, text);
    try {
      linkSync(this.#at(draft), this.#at(name));
      return true;
    } catch (error) {
      if (errnoOf(error) === "EEXIST") return false;
      throw error;
    } finally {
      rmSync(this.#at(draft), { force: true });
    }
  }

  remove(name: string): void {
    removePolicyFile(this.#at(name));
  }

  /** Removes a file and returns its text; undefined when it does not exist or another process took it. */
  take(name: string): string | undefined {
    const taken = this.#at(newIdentifier("taken"));
    try {
      renameSync(this.#at(name), taken);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return undefined;
      throw error;
    }
    try {
      return readPolicyFile(taken);
    } finally {
      rmSync(taken, { force: true });
    }
  }

  /** Calls `look` after each change in the folder, and now and then. Returns a function that stops it. */
  watch(look: () => void): () => void {
    // A folder on a network, or too many watches: then only the timer notices.
    const watcher: FSWatcher | undefined = attemptQuietly(() => watch(this.#folder, { persistent: false }));
    watcher?.on("change", look).on("error", () => watcher.close());
    // The timer also keeps the process alive: a call waits for the user.
    const timer = setInterval(look, watcher ? slowPollMs : pollMs);
    return () => {
      clearInterval(timer);
      attempt(() => watcher?.close());
    };
  }

  get #isLink(): boolean {
    return statsAt(this.#folder)?.isSymbolicLink() === true;
  }

  #at(name: string): string {
    return join(this.#folder, name);
  }
}

const slowPollMs = 2_000;
const pollMs = 250;
