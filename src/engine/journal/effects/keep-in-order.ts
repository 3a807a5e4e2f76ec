import type { Environment, ReadResult } from "../../../contract/environment.ts";
import type { Blobs } from "../../../journal/blobs.ts";

/**
 * Stores files in a known order. Where a round trip per file would be slow, it reads the next files together with the one
 * that is wanted.
 */
export class KeepInOrder {
  readonly #environment: Environment;
  readonly #blobs: Blobs;
  readonly #pathsOf: () => readonly string[];
  #paths: readonly string[] | undefined;
  #next = 0;
  /** The results of the last read. */
  readonly #read = new Map<string, ReadResult>();

  /** `pathsOf` returns the files in their order; some of them may be left out later. */
  constructor(
    { environment, blobs }: { readonly environment: Environment; readonly blobs: Blobs },
    pathsOf: () => readonly string[],
  ) {
    this.#environment = environment;
    this.#blobs = blobs;
    this.#pathsOf = pathsOf;
  }

  async keep(path: string, signal?: AbortSignal): Promise<{ readonly hash: string; readonly bytes: number }> {
    if (this.#environment.readFiles !== undefined && !this.#read.has(path))
      await this.#readFrom(path, signal);
    const content = this.#read.get(path);
    // One that is large, gone or closed is read by itself, which also says what is wrong.
    if (content === undefined || typeof content === "string")
      return this.#blobs.keepFile(this.#environment, path, signal);
    return { hash: await this.#blobs.keep(content), bytes: content.length };
  }

  async #readFrom(path: string, signal = new AbortController().signal): Promise<void> {
    this.#read.clear();
    this.#paths ??= this.#pathsOf();
    const first = this.#paths.indexOf(path, this.#next);
    if (first === -1) return;
    const asked = this.#paths.slice(first, first + mostFiles);
    const results = await this.#environment.readFiles!(asked, { maxFileBytes, maxBytes, signal });
    for (const [index, result] of results.entries()) this.#read.set(asked[index]!, result);
    this.#next = first + results.length;
  }
}

const mostFiles = 1000;
const maxFileBytes = 256 * 1024;
const maxBytes = 2 * 1024 * 1024;
