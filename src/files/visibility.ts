import type { IgnoreChain } from "./ignore-chain.ts";

export interface Visibility {
  /** Names that begin with a dot are shown too. */
  readonly hidden: boolean;
  /** What ignore files say counts. */
  readonly ignoreFiles: boolean;
}

/** The directory that a path is in, "" for the workspace. */
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

/**
 * Whether an entry is shown, its directory being shown. As with ripgrep an ignore file that includes a hidden name
 * shows it. Git's own folder is nobody's text: it has to be asked for by path.
 */
export function isShown(
  entry: { readonly path: string; readonly name: string; readonly kind: "file" | "directory" },
  /** What ignore files say there; undefined when it does not count. */
  chain: IgnoreChain | undefined,
  { hidden }: Pick<Visibility, "hidden">,
): boolean {
  if (entry.name === ".git") return false;
  const said = chain?.decide(entry.path, entry.kind);
  if (said === "ignore") return false;
  return hidden || said === "include" || !entry.name.startsWith(".");
}
