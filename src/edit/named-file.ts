import { ToolError } from "../contract/error.ts";

/** Gives the bytes of a file, undefined when there is none. */
export type ReadFile = (path: string) => Uint8Array | undefined;

/**
 * The file that a name in a patch means: as written, or without the prefix that diffs put before it, without `./` or
 * quotes, whichever names a file. Undefined when none does.
 */
export function namedFile(
  names: readonly string[],
  read: ReadFile,
): { path: string; bytes: Uint8Array } | undefined {
  for (const name of names) {
    for (const path of spellings(name)) {
      const bytes = read(path);
      if (bytes !== undefined) return { path, bytes };
    }
  }
  return undefined;
}

/** The path of a file that is not there yet. */
export function newPath(name: string): string {
  return unquoted(name).replace(/^(?:\.\/)+/, "");
}

/** What a diff's old and new name may mean: with `a/` before the one and `b/` before the other, first without. */
export function diffNames(oldName: string, newName?: string): readonly string[] {
  const names = newName === undefined ? [oldName] : [newName, oldName];
  return names.every((name) => prefix.test(name)) ? [...names.map(withoutPrefix), ...names] : names;
}

export function withoutPrefix(name: string): string {
  return name.replace(prefix, "");
}

/** Prefixes of git: a/ and b/, or those that tell index, work tree and commit apart. */
const prefix = /^[abciow]\//;

/** The paths a name may mean, in the order they are tried. */
export function* spellings(name: string): Generator<string> {
  yield name;
  const plain = unquoted(name);
  if (plain !== name) yield plain;
  const relative = plain.replace(/^(?:\.\/)+/, "");
  if (relative !== plain) yield relative;
  if (prefix.test(relative)) yield withoutPrefix(relative);
}

function unquoted(name: string): string {
  return /^(["'`])(.+)\1$/.exec(name)?.[2] ?? name;
}

export function missing(path: string): ToolError {
  return new ToolError("not-found", `There is no file ${path}`, {
    hint: "Check the path. To make a new file, add it instead.",
  });
}
