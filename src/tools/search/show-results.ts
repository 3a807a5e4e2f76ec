import { ToolError } from "../../contract/error.ts";
import type { FileHits, SearchFound, ShownLine } from "../../contract/whole-operations.ts";
import { leftOutBy } from "../../files/visible-paths.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import { OutOfTime, withinTime } from "../../lib/time-bound.ts";
import type { GrepData, GrepMatch } from "./grep.ts";
import type { GrepRequest } from "./grep-request.ts";

export function showResults(
  results: SearchFound,
  request: GrepRequest,
): { readonly data: GrepData; readonly text: string } {
  const { skipped, binary, engine, scope } = results;
  const guarded = [...skipped.guarded].sort();
  const hits = request.onlyMatching ? onlyMatches(results.hits, request) : results.hits;
  const data: GrepData = {
    mode: request.mode,
    matches: request.mode === "content" ? hits.flatMap((file) => matchesOf(file, request)) : [],
    files: hits.map(({ path, count }) => ({ path, count })),
    limited: results.isLimited,
    leftOut: hits.length === 0 && scope.kind === "directory" ? leftOutBy(request) : undefined,
    engine,
    // ripgrep does not report files without matches.
    searchedFiles: engine === "ripgrep" ? undefined : results.searchedFiles,
    skipped: {
      binary: results.binaryFiles,
      unreadable: [...skipped.unreadable].sort(),
      partly: [...skipped.partly].sort(),
      tooLarge: [...skipped.tooLarge].sort(),
      guarded: guarded.length > 0 ? guarded : undefined,
    },
    binary,
  };
  const body = hits.length === 0 ? describeNothing(data, scope) : showHits(hits, request);
  const perFile =
    results.hasCutFiles && !results.isLimited
      ? [`[at most ${counted(request.maxPerFile, "match", "matches")} per file shown]`]
      : [];
  return { data, text: [body, ...perFile, ...describeSkipped(data)].join("\n") };
}

export function describeLimit({ mode, limit }: GrepRequest): string {
  const what = counted(limit, mode === "content" ? "matching line" : "file");
  return `Stopped after ${what}; there are more. Use a longer pattern, or give \`path\`, or give \`glob\`, or give \`type\`, or raise \`limit\`.`;
}

function showHits(hits: readonly FileHits[], request: GrepRequest): string {
  switch (request.mode) {
    case "files":
      return hits.map(({ path }) => showPath(path)).join("\n");
    case "count":
      return hits.map(({ path, count }) => `${showPath(path)}:${count}`).join("\n");
    case "content":
      return showLines(hits, { isGrouped: request.before + request.after > 0 });
  }
}

/** Shows matching lines as `path:line:text`, their neighbours as `path-line-text`, and "--" between groups. */
function showLines(hits: readonly FileHits[], { isGrouped }: { readonly isGrouped: boolean }): string {
  const shown: string[] = [];
  for (const { path, lines } of hits) {
    const name = showPath(path);
    let previous: number | undefined;
    for (const { line, text, matched } of lines) {
      if (isGrouped && shown.length > 0 && line - 1 !== previous) shown.push("--");
      const mark = matched ? ":" : "-";
      shown.push(`${name}${mark}${line}${mark}${text}`);
      previous = line;
    }
  }
  return shown.join("\n");
}

function matchesOf({ path, lines }: FileHits, { before, after }: GrepRequest): GrepMatch[] {
  const matches = lines.filter(({ matched }) => matched);
  if (before + after === 0) return matches.map(({ line, text }) => ({ path, line, text }));
  const texts = new Map(lines.map(({ line, text }) => [line, text]));
  const around = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => texts.get(first + index)).filter(
      (text) => text !== undefined,
    );
  return matches.map(({ line, text }) => ({
    path,
    line,
    text,
    before: before > 0 ? around(line - before, before) : undefined,
    after: after > 0 ? around(line + 1, after) : undefined,
  }));
}

function describeNothing(
  { searchedFiles, binary, leftOut = [] }: GrepData,
  scope: SearchFound["scope"],
): string {
  if (binary !== undefined) return describeBinary(binary);
  if (scope.kind === "file") return `No line of ${scope.path} matches.`;
  const where = scope.path === "" ? "the workspace" : scope.path;
  const searched = searchedFiles === undefined ? "" : ` (${counted(searchedFiles, "file")} searched)`;
  const nothing = `Nothing in ${where} matches${searched}.`;
  if (leftOut.length === 0) return nothing;
  const flags = { hidden: "hidden", ignored: "no_ignore" };
  const set = leftOut.map((kind) => flags[kind]).join(" or ");
  return `${nothing} Not searched: ${leftOut.join(" and ")} files; set ${set} to include them.`;
}

function describeBinary({ path, matches }: NonNullable<GrepData["binary"]>): string {
  if (matches === undefined) return `${path} is a binary file and was not searched.`;
  return `${path} is a binary file; the pattern ${matches ? "matches" : "does not match"} in it.`;
}

const mostListed = 5;

function describeSkipped({ skipped }: GrepData): string[] {
  const notes: string[] = [];
  if (skipped.unreadable.length > 0) notes.push(`[could not read ${listPaths(skipped.unreadable)}]`);
  if (skipped.guarded !== undefined) {
    const { length } = skipped.guarded;
    const files = counted(length, "file hidden by rules was", "files hidden by rules were");
    notes.push(`[${files} skipped: ${listPaths(skipped.guarded)}]`);
  }
  if (skipped.partly.length > 0)
    notes.push(`[searched only the beginning of long lines in ${listPaths(skipped.partly)}]`);
  if (skipped.tooLarge.length > 0)
    notes.push(
      `[too large to search across lines: ${listPaths(skipped.tooLarge)}; search without multiline]`,
    );
  return notes;
}

function listPaths(paths: readonly string[]): string {
  const more = paths.length - mostListed;
  return paths.slice(0, mostListed).map(showPath).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Reduces each line to its matches, one per line. The lines of a match across lines stay whole. */
function onlyMatches(hits: readonly FileHits[], { regex, mode }: GrepRequest): readonly FileHits[] {
  if (mode !== "content") return hits;
  if (regex.untranslatable !== undefined) throw unsupportedPattern(regex.untranslatable);
  const expression = regex.compile({ ascii: false, carriageReturns: false, strayBytes: false });
  const cut = () =>
    hits.map((file) => ({ ...file, lines: file.lines.flatMap((line) => partsOf(line, expression)) }));
  try {
    return withinTime(maxMs, cut);
  } catch (error) {
    throw error instanceof OutOfTime ? unsupportedPattern("it takes too long") : error;
  }
}

const maxMs = 2000;

function partsOf(shown: ShownLine, expression: RegExp): readonly ShownLine[] {
  const parts = [...shown.text.matchAll(expression)].map(([part]) => part).filter((part) => part !== "");
  return parts.length === 0 ? [shown] : parts.map((text) => ({ ...shown, text }));
}

function unsupportedPattern(reason: string): ToolError {
  return new ToolError("unsupported", `\`only_matching\` does not support this pattern: ${reason}`, {
    hint: "Search without `only_matching`, or with a simpler pattern.",
  });
}
