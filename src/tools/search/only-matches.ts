import { ToolError } from "../../contract/error.ts";
import { OutOfTime, withinTime } from "../../lib/time-bound.ts";
import type { GrepRequest } from "./grep-request.ts";
import type { FileHits, ShownLine } from "./hits.ts";

/** The same with just what matches of each line, one after the other; lines of a match across lines stay whole. */
export function onlyMatches(hits: readonly FileHits[], { regex, mode }: GrepRequest): readonly FileHits[] {
  if (mode !== "content") return hits;
  if (regex.untranslatable !== undefined) throw cannotBeCut(regex.untranslatable);
  const expression = regex.compile({ ascii: false, carriageReturns: false, strayBytes: false });
  const cut = () =>
    hits.map((file) => ({ ...file, lines: file.lines.flatMap((line) => partsOf(line, expression)) }));
  try {
    return withinTime(maxMs, cut);
  } catch (error) {
    throw error instanceof OutOfTime ? cannotBeCut("it takes too long") : error;
  }
}

const maxMs = 2000;

function partsOf(shown: ShownLine, expression: RegExp): readonly ShownLine[] {
  const parts = [...shown.text.matchAll(expression)].map(([part]) => part).filter((part) => part !== "");
  return parts.length === 0 ? [shown] : parts.map((text) => ({ ...shown, text }));
}

function cannotBeCut(reason: string): ToolError {
  return new ToolError("unsupported", `Just what matches cannot be shown of this pattern: ${reason}`, {
    hint: "Search without `only_matching`, or with a simpler pattern.",
  });
}
