import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { IgnoreChain } from "./ignore-chain.ts";
import { isShown, nameOf, parentOf, type Visibility } from "./visibility.ts";

/** Tells of single paths below a directory whether a walk from there would give them. */
export class VisiblePaths {
  readonly #environment: Environment;
  readonly #start: string;
  readonly #visibility: Visibility;
  /** By directory: what ignore files say in it, or undefined when the directory is not shown itself. */
  readonly #directories = new Map<string, Promise<{ readonly chain: IgnoreChain | undefined } | undefined>>();

  constructor(environment: Environment, start: string, visibility: Visibility) {
    this.#environment = environment;
    this.#start = start;
    this.#visibility = visibility;
  }

  async has(path: string, kind: "file" | "directory" = "file"): Promise<boolean> {
    const directory = await this.#directory(parentOf(path));
    if (directory === undefined) return false;
    return isShown({ path, name: nameOf(path), kind }, directory.chain, this.#visibility);
  }

  #directory(path: string): Promise<{ readonly chain: IgnoreChain | undefined } | undefined> {
    let found = this.#directories.get(path);
    if (found === undefined) {
      found = this.#load(path);
      this.#directories.set(path, found);
    }
    return found;
  }

  async #load(path: string): Promise<{ readonly chain: IgnoreChain | undefined } | undefined> {
    if (path === this.#start) {
      return {
        chain: this.#visibility.ignoreFiles ? await IgnoreChain.at(this.#environment, path) : undefined,
      };
    }
    if (!(await this.has(path, "directory"))) return undefined;
    const above = await this.#directory(parentOf(path));
    if (above?.chain === undefined) return { chain: undefined };
    try {
      return { chain: await this.#chainIn(path, above.chain) };
    } catch (error) {
      // What has gone meanwhile, a walk would not give either.
      if (error instanceof ToolError) return undefined;
      throw error;
    }
  }

  async #chainIn(path: string, above: IgnoreChain): Promise<IgnoreChain> {
    const directory = await this.#environment.openDirectory(path);
    try {
      return await above.in(directory, await directory.entries());
    } finally {
      directory.close();
    }
  }
}
