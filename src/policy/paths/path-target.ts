import { posix } from "node:path";
import type { ToolAccess } from "../../contract/access.ts";
import { escapeGlob, expandBraces } from "../../lib/glob/glob.ts";
import { matchSegment, type NamePattern, parseSegments } from "../../lib/glob/glob-segment.ts";
import type { UnknownPart, Word } from "../commands/analysis.ts";
import type { PathContext } from "../policy.ts";
import { fold, literalText } from "./path-names.ts";

/** The target of a path, as far as it is known. */
export type PathTarget =
  /** A handle of a stored output, not a path. */
  | { readonly kind: "output" }
  /** `spelled` is the path as passed to the environment, and `real` the target of its links, if different. */
  | {
      readonly kind: "known";
      readonly spelled: string;
      readonly path: string;
      readonly real: string | undefined;
    }
  | { readonly kind: "open"; readonly alternatives: readonly OpenPath[] };

/** One path that an open path may become, in folded spelling. */
export interface OpenPath {
  readonly names: readonly OpenName[];
  /** A path with `unknownName` for unknown directories; undefined when the last name is unknown too. */
  readonly sample: string | undefined;
}

export type OpenName = "**" | NameAhead;

export interface NameAhead {
  readonly pattern: NamePattern;
  readonly text: string;
  /** Bash's globs match a leading dot only if they spell it out. */
  readonly noLeadingDot: boolean;
}

/** Replaces an unknown directory name in a path. No file system accepts it. */
const unknownName = "\0";

/** The length of the longest path that a system accepts. */
const longest = 4096;

export const anywhere: PathTarget = {
  kind: "open",
  alternatives: [
    {
      names: [
        "**",
        { pattern: { tokens: ["*"], shape: { kind: "anything" } }, text: "*", noLeadingDot: false },
      ],
      sample: undefined,
    },
  ],
};

/** Returns the target of a path given to a tool. It is a stored output only if it is in Toolcrib's own directory. */
export function givenPath(
  { kind, path }: Extract<ToolAccess, { path: string }>,
  context: PathContext,
  realPaths: ReadonlyMap<string, string>,
): PathTarget {
  const target = known(path, context, realPaths);
  const isHandle = kind === "read" && /^out_[0-9a-z]{12,32}$/.test(path);
  const isOurs = isHandle && context.own.some((directory) => target.real?.startsWith(`${directory}/`));
  return isOurs ? { kind: "output" } : target;
}

/** Returns the path that a word of a command names, as passed to an environment; undefined if it is unknown. */
export function spelledPath(
  word: Word,
  directory: string | undefined,
  context: PathContext,
): string | undefined {
  const value = expandHome(word, context);
  if (value === undefined || value === "") return undefined;
  if (value.startsWith("/")) return value;
  if (directory === undefined || directory.length > longest) return undefined;
  return directory === "" ? value : `${directory}/${value}`;
}

export function wordPath(
  word: Word,
  directory: string | undefined,
  context: PathContext,
  realPaths: ReadonlyMap<string, string>,
): PathTarget {
  const spelled = spelledPath(word, directory, context);
  if (spelled !== undefined) return known(spelled, context, realPaths);
  return openPath(startParts(word, context), directory, context);
}

function known(
  spelled: string,
  context: PathContext,
  realPaths: ReadonlyMap<string, string>,
): Extract<PathTarget, { kind: "known" }> {
  return { kind: "known", spelled, path: absolute(spelled, context.workspace), real: realPaths.get(spelled) };
}

function absolute(path: string, workspace: string): string {
  const joined = path.startsWith("/") ? path : `${workspace}/${path}`;
  const normal = posix.normalize(joined);
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal;
}

/** Returns the word's text if only its beginning "~" or "$HOME" was unknown. */
function expandHome(word: Word, context: PathContext): string | undefined {
  if (word.value !== undefined) return word.value;
  const parts = startParts(word, context);
  return parts.every((part) => typeof part === "string") ? parts.join("") : undefined;
}

function startParts(word: Word, { home }: PathContext): Word["parts"] {
  const [first, ...rest] = word.parts;
  const isHome =
    typeof first === "object" && first.unknown === "home" && /^(?:~|\$HOME|\$\{HOME\})$/.test(first.text);
  return isHome ? [home, ...rest] : word.parts;
}

/**
 * Returns the paths that a word may become. Globs and braces stay within one name; other expansions may add slashes.
 */
function openPath(parts: Word["parts"], directory: string | undefined, context: PathContext): PathTarget {
  const wild = parts.findLastIndex((part) => typeof part === "object" && !isPattern(part));
  const isLost = wild >= 0 || parts.length === 0 || (directory ?? "").length > longest;
  const certain = isLost ? undefined : directory;
  const pattern = parts
    .slice(wild + 1)
    .map(asPattern)
    .join("");
  const alternatives = expand(wild >= 0 || parts.length === 0 ? `*${pattern}` : pattern).map((text) => {
    const start = text.startsWith("/")
      ? ""
      : certain === undefined
        ? undefined
        : absolute(certain, context.workspace);
    const base: OpenName[] = start === undefined ? ["**"] : readNames(escapeGlob(fold(start)), false);
    const names = climb([...base, ...readNames(fold(text), wild < 0)]);
    return { names, sample: sampleOf(names) };
  });
  return { kind: "open", alternatives };
}

function isPattern({ unknown, text }: UnknownPart): boolean {
  return unknown === "glob" || (unknown === "braces" && !/\.\.|[$`"'\\]/.test(text));
}

function asPattern(part: string | UnknownPart): string {
  if (typeof part === "string") return escapeGlob(part);
  return part.unknown === "braces" ? part.text.replace(/[*?[\]!]/g, "\\$&") : part.text;
}

/** Expands braces. Text that is not a valid pattern may become anything. */
function expand(pattern: string): string[] {
  try {
    const texts = expandBraces(pattern);
    for (const text of texts) text.split("/").forEach(parseSegments);
    return texts;
  } catch {
    return ["**"];
  }
}

function readNames(glob: string, isGlob: boolean): OpenName[] {
  return glob.split("/").flatMap((text): OpenName[] => {
    if (text === "" || text === ".") return [];
    // No name is that long, so such a pattern need not be matched exactly.
    const [pattern] = parseSegments(text.length > 1000 ? "*" : text);
    // The shell reads "**" as "*" unless globstar is set. Any depth covers both.
    if (pattern === undefined || pattern === "**") return ["**"];
    return [{ pattern, text, noLeadingDot: isGlob && /^[*?[]/.test(text) }];
  });
}

/** Resolves "..". Going up from an unknown name makes everything above it unknown. */
function climb(names: readonly OpenName[]): OpenName[] {
  const climbed: OpenName[] = [];
  for (const name of names) {
    if (literalOf(name) === "..") {
      if (climbed.length > 0 && climbed.at(-1) !== "**") climbed.pop();
    } else if (name !== "**" && mayBeTwoDots(name) && name !== names.at(-1))
      climbed.splice(0, climbed.length, "**");
    else climbed.push(name);
  }
  return climbed;
}

/** Returns whether a name may become "..", as `.*` or a word that is not a glob may. */
function mayBeTwoDots({ pattern, noLeadingDot }: NameAhead): boolean {
  return !noLeadingDot && matchSegment(pattern, "..");
}

export function literalOf(name: OpenName): string | undefined {
  return name === "**" ? undefined : literalText(name.pattern);
}

function sampleOf(names: readonly OpenName[]): string | undefined {
  const texts = names.map((name) => literalOf(name) ?? unknownName);
  return texts.at(-1) === unknownName ? undefined : `/${texts.join("/")}`;
}
