import type { Place } from "./block.ts";

export interface HunkHeader {
  /** The old line number a unified diff gives. */
  readonly firstLine?: number | undefined;
  readonly oldCount?: number | undefined;
  readonly newCount?: number | undefined;
  /** A line of the file above the hunk. */
  readonly text: string;
}

/** Three signs begin a hunk of a merge, whose lines have two marks each. */
export function isHunkHeader(line: string): boolean {
  return line.startsWith("@@") && !/^@{3,} -\d/.test(line);
}

/** What stands after the first `@@`: `-1,5 +1,6 @@ function name()`, or any part of it. */
export function readHunkHeader(header: string): HunkHeader {
  const numbers = /^-(\d+)(?:,(\d+))?\s+\+(\d+)(?:,(\d+))?\s*(?:@@|$)(.*)$/s.exec(header);
  if (!numbers) return { text: header.replace(/^(?:\.\.\.|…)?\s*@@\s*/, "").trim() };
  const [, start, oldCount = "1", , newCount = "1", text] = numbers;
  return {
    // For an empty old side diff gives the line before.
    firstLine: Number(start) + (oldCount === "0" ? 1 : 0),
    oldCount: Number(oldCount),
    newCount: Number(newCount),
    text: text!.trim(),
  };
}

/** What headers say about the place of a hunk, the last one being the hunk's own. */
export function placeUnder(headers: readonly HunkHeader[], endOfFile: boolean): Place {
  const own = headers.at(-1);
  return {
    headers: headers.map(({ text }) => text).filter((text) => text !== ""),
    isHeading: own?.firstLine !== undefined,
    firstLine: headers.findLast(({ firstLine }) => firstLine !== undefined)?.firstLine,
    isInsertion: own?.oldCount === 0 && own.firstLine! > 1,
    endOfFile,
  };
}
