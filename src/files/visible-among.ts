import type { Environment } from "../contract/environment.ts";
import type { IgnoreChain } from "./ignore-chain.ts";
import { isShown, nameOf, parentOf, type Visibility } from "./visibility.ts";

/**
 * Those of many files below a directory that a walk from there would give. Quick where VisiblePaths would look into
 * every directory, because it is known which ones have rules.
 */
export async function visibleAmong(
  paths: readonly string[],
  known: {
    readonly environment: Environment;
    readonly directory: string;
    /** What holds in `directory`. */
    readonly chain: IgnoreChain;
    readonly visibility: Visibility;
    /** The directories below it that have ignore files. */
    readonly withRules: ReadonlySet<string>;
  },
): Promise<readonly string[]> {
  const chains = await readChains(known);
  const tails = [...new Set([...chains.values()].flatMap((chain) => chain.tails))];
  const isPlainName = (name: string) => !name.startsWith(".") && !tails.some((tail) => name.endsWith(tail));
  // Of what has a plain name, in directories with plain names, no rule and no dot says anything.
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
  return paths.filter((path) => isPlain(path) || isVisible(path, "file"));
}

/** What holds in each directory that has rules, from above to below. */
async function readChains({
  environment,
  directory: start,
  chain,
  withRules,
}: Parameters<typeof visibleAmong>[1]): Promise<ReadonlyMap<string, IgnoreChain>> {
  const chains = new Map([[start, chain]]);
  for (const path of [...withRules].sort((one, other) => one.length - other.length)) {
    if (path === start) continue;
    let above = parentOf(path);
    while (!chains.has(above)) above = parentOf(above);
    const directory = await environment.openDirectory(path).catch(() => undefined);
    if (directory === undefined) continue;
    try {
      chains.set(path, await chains.get(above)!.in(directory, await directory.entries()));
    } finally {
      directory.close();
    }
  }
  return chains;
}
