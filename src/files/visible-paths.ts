import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { isExhaustion, undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import { IgnoreChain } from "../lib/ignore/ignore-chain.ts";

/** Decides for single paths below a directory whether a walk would yield them. */
export class VisiblePaths {
  readonly #environment: Environment;
  readonly #start: string;
  readonly #visibility: Visibility;
  /** The ignore rules by directory; undefined for a hidden directory. */
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
      // A walk would not yield a deleted directory either.
      if (!(error instanceof ToolError) || isExhaustion(error)) throw error;
      return undefined;
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

export interface Visibility {
  /** Whether names that begin with a dot are shown. */
  readonly hidden: boolean;
  readonly ignoreFiles: boolean;
}

/** The kinds of files that a search leaves out. */
export type LeftOut = readonly ("hidden" | "ignored")[];

export function leftOutBy({ hidden, ignoreFiles }: Visibility): LeftOut {
  return [...(hidden ? [] : (["hidden"] as const)), ...(ignoreFiles ? (["ignored"] as const) : [])];
}

/** Returns the parent directory of a path, "" for the workspace. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Whether a name in the path begins with a dot. */
export function hasHiddenName(path: string): boolean {
  return path.startsWith(".") || path.includes("/.");
}

/** Whether an entry of a visible directory is visible. As in ripgrep, an ignore file can include a hidden name. */
export function isShown(
  entry: { readonly path: string; readonly name: string; readonly kind: "file" | "directory" },
  /** The ignore rules of the directory; undefined when none apply. */
  chain: IgnoreChain | undefined,
  { hidden }: Pick<Visibility, "hidden">,
): boolean {
  if (entry.name === ".git") return false;
  const decision = chain?.decide(entry.path, entry.kind);
  if (decision === "ignore") return false;
  return hidden || decision === "include" || !entry.name.startsWith(".");
}

interface KnownRules {
  readonly environment: Environment;
  readonly directory: string;
  readonly chain: IgnoreChain;
  readonly visibility: Visibility;
  /** The directories below it that have ignore files. */
  readonly withRules: ReadonlySet<string>;
}

/** Filters many files like a walk. Faster than VisiblePaths, because it knows the directories that have rules. */
export async function visibleAmong(paths: readonly string[], known: KnownRules): Promise<readonly string[]> {
  return paths.filter(await readWalkFilter(known));
}

/** Reads the ignore rules, and returns a function that says whether a walk would yield a file. */
export async function readWalkFilter(known: KnownRules): Promise<(path: string) => boolean> {
  const chains = await readChains(known);
  const tails = [...new Set([...chains.values()].flatMap((chain) => chain.tails))];
  const isPlainName = (name: string) => !name.startsWith(".") && !tails.some((tail) => name.endsWith(tail));
  // No rule can apply when the name and its directories are plain names.
  const plain = new Map([[known.directory, true]]);
  const isPlain = (path: string): boolean => {
    const above = parentOf(path);
    if (!plain.has(above)) plain.set(above, isPlain(above));
    return plain.get(above)! && isPlainName(nameOf(path));
  };
  const shown = new Map<string, IgnoreChain | undefined>([[known.directory, known.chain]]);
  const chainOf = (path: string): IgnoreChain | undefined => {
    if (shown.has(path)) return shown.get(path);
    const chain = isVisible(path, "directory") ? (chains.get(path) ?? chainOf(parentOf(path))) : undefined;
    shown.set(path, chain);
    return chain;
  };
  const isVisible = (path: string, kind: "file" | "directory"): boolean => {
    const chain = chainOf(parentOf(path));
    return chain !== undefined && isShown({ path, name: nameOf(path), kind }, chain, known.visibility);
  };
  return (path) => isPlain(path) || isVisible(path, "file");
}

/** Reads the rules of each directory that has ignore files, parents first. */
async function readChains({
  environment,
  directory: start,
  chain,
  withRules,
}: KnownRules): Promise<ReadonlyMap<string, IgnoreChain>> {
  const chains = new Map([[start, chain]]);
  for (const path of [...withRules].sort((one, other) => one.length - other.length)) {
    if (path === start) continue;
    let above = parentOf(path);
    while (!chains.has(above)) above = parentOf(above);
    const directory = await environment.openDirectory(path).catch(undefinedUnlessExhausted);
    if (directory === undefined) continue;
    try {
      chains.set(path, await chains.get(above)!.in(directory, await directory.entries()));
    } finally {
      directory.close();
    }
  }
  return chains;
}
