import type { Environment } from "../../contract/environment.ts";
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
  const isInDoubt = (name: string) => name.startsWith(".") || tails.some((tail) => name.endsWith(tail));
  if (![...namesIn(paths)].some(isInDoubt)) return paths;
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
  return paths.filter((path) => isVisible(path, "file"));
}

/** Of files and of the directories they are in. */
function namesIn(paths: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  const directories = new Set<string>();
  for (const path of paths) {
    names.add(nameOf(path));
    for (let above = parentOf(path); !directories.has(above); above = parentOf(above)) {
      directories.add(above);
      names.add(nameOf(above));
    }
  }
  return names;
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
