import type { Segment } from "../../lib/glob/glob-segment.ts";
import type { PathContext } from "../policy.ts";

/**
 * Folds a name, so that names which a file system or a reader treats as equal become equal: NFKC, case folded, without
 * invisible characters. Used by rules that tighten; rules that loosen are compared exactly. A folded name folds into
 * itself, and a part of a name folds as in the whole name: a sigma has one form, whatever follows.
 */
export function fold(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches all of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .normalize("NFKC");
}

export interface Names {
  readonly exact: readonly string[];
  readonly folded: readonly string[];
  /** The index of the first name inside the workspace; 0 for a path elsewhere. */
  readonly inside: number;
}

/** Returns the names of a path. The last path and directory are cached: a scan asks about one directory at a time. */
export function namesOf(path: string, { workspace }: Pick<PathContext, "workspace">): Names {
  if (lastPath.path === path && lastPath.workspace === workspace) return lastPath.names;
  const isInside =
    path.startsWith(workspace) && (path.length === workspace.length || path[workspace.length] === "/");
  const inside = isInside ? countNames(workspace) : 0;
  const end = path.lastIndexOf("/");
  const name = path.slice(end + 1);
  let names: Names;
  if (end <= 0 || name === "") names = splitPath(path, inside);
  else {
    const directory = path.slice(0, end);
    if (lastDirectory.path !== directory) lastDirectory = { path: directory, names: splitPath(directory, 0) };
    const above = lastDirectory.names;
    const exact = [...above.exact, name];
    const folded = fold(name);
    const isPlain = folded === name && above.folded === above.exact;
    names = { exact, folded: isPlain ? exact : [...above.folded, folded], inside };
  }
  lastPath = { path, workspace, names };
  return names;
}

const noNames: Names = { exact: [], folded: [], inside: 0 };
let lastPath = { path: "/", workspace: "", names: noNames };
let lastDirectory = { path: "", names: noNames };

function splitPath(path: string, inside: number): Names {
  const exact = namesIn(path);
  return { exact, folded: foldNames(path, exact), inside };
}

/** Folds a plain path as a whole, any other name by name, so that no character becomes a slash. */
function foldNames(path: string, exact: readonly string[]): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches all of ASCII
  if (!/^[\x00-\x7f]*$/.test(path)) return exact.map(fold);
  return /[A-Z]/.test(path) ? exact.map((name) => name.toLowerCase()) : exact;
}

function countNames(path: string): number {
  let count = 0;
  for (let at = 0; at < path.length; at += 1) if (path[at] === "/" && path[at + 1] !== "/") count += 1;
  return path.endsWith("/") ? count - 1 : count;
}

/** Returns the index of the first name to compare: "at any depth" means inside the workspace. */
export function firstName([first]: readonly Segment[], { inside }: Names): number {
  return first === "**" ? inside : 0;
}

/** Returns the files that this one may be a backup of, by its name. */
export function originalsOf({ exact, folded, inside }: Names): readonly Names[] {
  const [name, foldedName] = [exact.at(-1) ?? "", folded.at(-1) ?? ""];
  if (!backup.test(foldedName)) return none;
  const foldedOriginals = originalNames(foldedName);
  return originalNames(name).map((original, index) => ({
    exact: exact.with(-1, original),
    folded: folded.with(-1, foldedOriginals[index] ?? original),
    inside,
  }));
}

const none: readonly Names[] = [];
const backup = /^#.+#$|.~$|.\.(?:bak|backup|old|orig|save|sw[a-p])$/i;

/** Finds the original names of `x~`, `x.~1~`, `#x#` and `x.bak`. Vim's `.x.swp` may belong to `x` or `.x`. */
function originalNames(name: string): readonly string[] {
  if (name.startsWith("#") && name.endsWith("#")) return [name.slice(1, -1)];
  const original = name.replace(/(?:\.~\d+)?~$|\.[a-z]+$/i, "");
  return /^\..+\.sw[a-p]$/i.test(name) ? [original, original.slice(1)] : [original];
}

/** Returns the name that a segment of a pattern spells out; undefined with wildcards. */
export function literalText(segment: Segment): string | undefined {
  return segment !== "**" && segment.shape.kind === "literal" ? segment.shape.text : undefined;
}

export function namesIn(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}
