import type { Environment } from "../../contract/environment.ts";
import type { IgnoreChain } from "./ignore-chain.ts";
import { isShown, type Visibility } from "./visibility.ts";
import { chainAbove } from "./walk.ts";

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

  async has(path: string): Promise<boolean> {
    return this.#isShown(path, "file");
  }

  async #isShown(path: string, kind: "file" | "directory"): Promise<boolean> {
    const slash = path.lastIndexOf("/");
    const directory = await this.#directory(path.slice(0, Math.max(0, slash)));
    if (directory === undefined) return false;
    return isShown({ path, name: path.slice(slash + 1), kind }, directory.chain, this.#visibility);
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
    const isStart = path === this.#start;
    if (!isStart && !(await this.#isShown(path, "directory"))) return undefined;
    if (!this.#visibility.ignoreFiles) return { chain: undefined };
    const above = isStart
      ? await chainAbove(this.#environment, path)
      : (await this.#directory(path.slice(0, Math.max(0, path.lastIndexOf("/")))))?.chain;
    const directory = await this.#environment.openDirectory(path || ".");
    try {
      return { chain: await above?.in(directory, await directory.entries()) };
    } finally {
      directory.close();
    }
  }
}
