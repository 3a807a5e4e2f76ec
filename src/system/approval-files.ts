import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { newIdentifier } from "../lib/identifier.ts";
import { errnoOf } from "./failures.ts";
import { namesIn } from "./names-in.ts";
import { readPolicyFile, removePolicyFile, writePolicyFile } from "./policy-files.ts";

/** Texts of one folder of ours, by name: read, replaced as a whole, and taken by exactly one of those who want them. */
export class ApprovalFiles {
  readonly #folder: string;

  /** The folder is made when it is needed. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  names(): readonly string[] {
    return namesIn(this.#folder);
  }

  read(name: string): string | undefined {
    return readPolicyFile(this.#at(name));
  }

  write(name: string, text: string): void {
    writePolicyFile(this.#at(name), text);
  }

  remove(name: string): void {
    removePolicyFile(this.#at(name));
  }

  /** The text, which from then on nobody has; undefined when it is not there, or somebody was quicker. */
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

  #at(name: string): string {
    return join(this.#folder, name);
  }
}
