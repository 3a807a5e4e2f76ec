import type { ListedDirectory, ListedEntry } from "../../contract/whole-operations.ts";
import { badMessage } from "./message.ts";
import { count, list, object, oneOf, optional, type Shape, text, textUpTo, yesOrNo } from "./shapes.ts";

// The shapes of searches and listings that run whole on the target.

const longText = textUpTo(1024 * 1024);

const globs: Shape<string | readonly string[]> = (value, at) =>
  typeof value === "string" ? longText(value, at) : list(longText, 100)(value, at);

export const searchWanted = object({
  pattern: textUpTo(16 * 1024 * 1024),
  path: optional(text),
  literal: optional(yesOrNo),
  ignore_case: optional(yesOrNo),
  whole_word: optional(yesOrNo),
  multiline: optional(yesOrNo),
  exclude: optional(longText),
  only_matching: optional(yesOrNo),
  context: optional(count),
  before: optional(count),
  after: optional(count),
  glob: optional(globs),
  type: optional(text),
  mode: optional(oneOf("content", "files", "count")),
  limit: optional(count),
  max_per_file: optional(count),
  hidden: optional(yesOrNo),
  no_ignore: optional(yesOrNo),
});

const line = object({ line: count, text, matched: yesOrNo });

const paths = list(text);

export const searchFound = object({
  scope: object({ kind: oneOf("file", "directory"), path: text }),
  hits: list(object({ path: text, count, lines: list(line), hasMore: yesOrNo })),
  isLimited: yesOrNo,
  hasCutFiles: yesOrNo,
  searchedFiles: count,
  binaryFiles: count,
  engine: oneOf("built-in", "ripgrep"),
  skipped: object({ unreadable: paths, guarded: paths, partly: paths, tooLarge: paths }),
  binary: optional(object({ path: text, matches: optional(yesOrNo) })),
});

export const listWanted = object({
  path: optional(text),
  depth: optional(count),
  limit: optional(count),
  exclude: optional(list(longText, 100)),
  hidden: optional(yesOrNo),
  no_ignore: optional(yesOrNo),
});

const file = object({ kind: oneOf("file", "other"), name: text, bytes: optional(count) });
const link = object({
  kind: oneOf("link"),
  name: text,
  target: object({ path: optional(text), astray: optional(oneOf("outside", "circle", "unreachable")) }),
});
const directory = {
  kind: oneOf("directory"),
  name: text,
  beyondLimit: count,
  notShown: count,
  isUnreadable: yesOrNo,
};

function listedEntry(value: unknown, at: string, depth: number): ListedEntry {
  const { kind } = (value ?? {}) as { readonly kind?: unknown };
  if (kind === "directory") return listedDirectory(value, at, depth);
  if (kind !== "link") {
    const { bytes, ...rest } = file(value, at);
    return { ...rest, bytes };
  }
  const { name, target } = link(value, at);
  const { path, astray = "unreachable" } = target;
  return { kind, name, target: path === undefined ? { astray } : { path } };
}

function listedDirectory(value: unknown, at: string, depth: number): ListedDirectory {
  // A listing has at most 100 levels.
  if (depth > 200) throw badMessage("a listing is too deep");
  const entries = optional(list((entry, name) => listedEntry(entry, name, depth + 1)));
  const { entries: listed, ...rest } = object({ ...directory, entries })(value, at);
  return { ...rest, entries: listed };
}

export const listedTree = object({
  root: (value: unknown, at: string) => listedDirectory(value, at, 0),
  shown: count,
  isLimited: yesOrNo,
});
