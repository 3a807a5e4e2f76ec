import { join } from "node:path";
import { statsAt } from "./attempt.ts";
import { namesIn } from "./directories.ts";
import { readPolicyFile, removePolicyFile, writePolicyFile } from "./policy-files.ts";

/** Private text files in one folder. Links are never followed: neither the folder nor its files can be elsewhere. */
export class PrivateFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  names(): readonly string[] {
    return this.#isLink ? [] : namesIn(this.#folder);
  }

  /** Returns undefined when the file does not exist or is a link. */
  read(name: string): string | undefined {
    if (this.#isLink || statsAt(this.#at(name))?.isSymbolicLink()) return undefined;
    return readPolicyFile(this.#at(name));
  }

  write(name: string, text: string): void {
    if (this.#isLink) throw new Error(`${this.#folder} is a link`);
    writePolicyFile(this.#at(name), text);
  }

  remove(name: string): void {
    removePolicyFile(this.#at(name));
  }

  get #isLink(): boolean {
    return statsAt(this.#folder)?.isSymbolicLink() === true;
  }

  #at(name: string): string {
    return join(this.#folder, name);
  }
}
