import { matchLines } from "../../lib/match-lines.ts";
import type { SearchableText } from "../../lib/searchable-text.ts";
import type { GrepRequest } from "./grep-request.ts";
import type { FileHits, ShownLine } from "./hits.ts";
import { showLine } from "./show-line.ts";

/** Searches one text, for at most `most` matching lines. */
export function scanText(
  { text, traits }: SearchableText,
  request: Pick<GrepRequest, "regex" | "exclude" | "multiline" | "mode" | "before" | "after">,
  most: number,
): Omit<FileHits, "path"> {
  const { mode, before, after, multiline } = request;
  const lines: ShownLine[] = [];
  let count = 0;
  let last = { line: 0, end: -1 };
  const showUntil = (line: number) => {
    while (last.line < line && last.end + 1 < text.length) {
      const start = last.end + 1;
      last = { line: last.line + 1, end: lineEnd(text, start) };
      lines.push({ line: last.line, text: showLine(text.slice(start, last.end), 0), matched: false });
    }
  };
  const excluded = request.exclude?.compile(traits);
  for (const match of matchLines(text, request.regex.compile(traits), { multiline })) {
    if (excluded !== undefined && occursIn(text.slice(match.start, match.end), excluded)) continue;
    if (count === most) {
      if (mode === "content") showUntil(Math.min(last.line + after, match.line - 1));
      return { count, lines, hasMore: true };
    }
    count += 1;
    if (mode === "files") break;
    if (mode === "count") continue;
    if (count > 1) showUntil(Math.min(last.line + after, match.line - 1));
    const first = Math.max(last.line + 1, match.line - before);
    if (first < match.line) {
      last = { line: first - 1, end: startOfLineBefore(text, match.start, match.line - first) - 1 };
      showUntil(match.line - 1);
    }
    lines.push({
      line: match.line,
      text: showLine(text.slice(match.start, match.end), match.at),
      matched: true,
    });
    last = { line: match.line, end: match.end };
  }
  if (mode === "content" && count > 0) showUntil(last.line + after);
  return { count, lines, hasMore: false };
}

function occursIn(line: string, expression: RegExp): boolean {
  expression.lastIndex = 0;
  return expression.test(line);
}

function lineEnd(text: string, start: number): number {
  const newline = text.indexOf("\n", start);
  return newline < 0 ? text.length : newline;
}

/** Where the line that stands `lines` above the one at `start` begins. */
function startOfLineBefore(text: string, start: number, lines: number): number {
  let lineStart = start;
  for (let left = lines; left > 0; left -= 1) {
    lineStart = lineStart < 2 ? 0 : text.lastIndexOf("\n", lineStart - 2) + 1;
  }
  return lineStart;
}
