import { boundedMemo } from "../../lib/bounded-cache.ts";
import { expandBraces } from "../../lib/glob/glob.ts";
import { LiteralName, matchSegment, parseSegments, type Segment } from "../../lib/glob/glob-segment.ts";
import type { PathContext } from "../policy.ts";
import { fold, literalText, namesIn } from "./path-names.ts";

/**
 * Returns the absolute paths that a glob matches, as alternatives. A glob is relative to the workspace; with a leading
 * "/" or "~" it is absolute; without a slash, or with a leading double star, it matches at any depth: of the workspace
 * if `exact`, else of the whole file system.
 */
export function compilePath(glob: string, context: PathContext, spelling: "exact" | "folded"): Segment[][] {
  const spell = spelling === "folded" ? fold : (text: string) => text;
  const below = (directory: string, rest: string) =>
    climbed([...literalNames(spell(directory)), ...namesOf(rest)]);
  return expandBraces(spell(glob)).flatMap((given) => {
    const text = given.endsWith("/") ? given.replace(/(?<=.)\/+$/, "") : given;
    if (text === "~" || text.startsWith("~/")) return [below(context.home, text.slice(1))];
    if (text.startsWith("/")) return [climbed(namesOf(text))];
    // `**` includes the workspace directory itself.
    if (text === "**") return [below(context.workspace, ""), below(context.workspace, text)];
    const anyDepth = !text.includes("/") ? `**/${text}` : text.startsWith("**/") ? text : undefined;
    if (anyDepth === undefined || spelling === "exact") return [below(context.workspace, anyDepth ?? text)];
    return [namesOf(anyDepth)];
  });
}

function namesOf(text: string): Segment[] {
  return parseSegments(text).filter((segment) => {
    const name = literalText(segment);
    return name !== "" && name !== ".";
  });
}

/** Resolves "..": `../lib` is next to the workspace. A ".." after a wildcard stays, because it matches no real path. */
function climbed(names: Segment[]): Segment[] {
  if (!names.some((segment) => literalText(segment) === "..")) return names;
  const path: Segment[] = [];
  for (const segment of names) {
    const last = path.at(-1);
    const isStuck = last !== undefined && (literalText(last) ?? "..") === "..";
    if (literalText(segment) !== ".." || isStuck) path.push(segment);
    else path.pop();
  }
  return path;
}

/** Cached, because most rules are about the same few directories. */
const literalNames = boundedMemo(16, (path: string): readonly Segment[] =>
  namesIn(path).map((text) => new LiteralName(text)),
);

/**
 * Returns whether a pattern matches. "whole" compares the path itself, "within" also the directories above it, and
 * "around" also a directory whose whole content matches. `first` is the index of the name to start with.
 */
export function matchNames(
  pattern: readonly Segment[],
  names: readonly string[],
  scope: MatchScope,
  first = 0,
): boolean {
  let segment = 0;
  let name = first;
  let stars = -1;
  let starsName = 0;
  for (;;) {
    const current = pattern[segment];
    if (current === undefined && (scope !== "whole" || name === names.length)) return true;
    if (current === "**") {
      // At the end of a pattern, "**" means the content of the directory.
      if (segment + 1 === pattern.length) return name < names.length || scope === "around";
      stars = segment;
      starsName = name;
      segment += 1;
    } else if (current !== undefined && name < names.length && matchSegment(current, names[name]!)) {
      segment += 1;
      name += 1;
    } else if (stars >= 0 && starsName < names.length) {
      // Backtracking to the last star is enough, because it can match anything that an earlier star could.
      starsName += 1;
      name = starsName;
      segment = stars + 1;
    } else return false;
  }
}

export type MatchScope = "whole" | "within" | "around";

/** Returns whether these names are a directory on the way that the pattern names. */
export function leadsThrough(pattern: readonly Segment[], names: readonly string[], first: number): boolean {
  for (let end = 1; end < pattern.length; end += 1) {
    if (literalText(pattern[end - 1]!) === undefined) continue;
    if (matchNames(pattern.slice(0, end), names, "whole", first)) return true;
  }
  return false;
}
