import type { EditRequest } from "../../src/edit/edit-request.ts";
import { type Hunk, newLines, oldLines } from "./modification.ts";

/** Hunks as texts to find and replace. */
export function asReplace(path: string, hunks: readonly Hunk[]): EditRequest {
  const edits = hunks.map((hunk) => ({
    find: oldLines(hunk).join("\n"),
    replace: newLines(hunk).join("\n"),
  }));
  return { kind: "replace", path, edits };
}

/** Hunks as texts to find and replace, each with the line end of its last line. */
export function asClosedReplace(path: string, hunks: readonly Hunk[]): EditRequest {
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
  const edits = hunks.map((hunk) => ({ find: text(oldLines(hunk)), replace: text(newLines(hunk)) }));
  return { kind: "replace", path, edits };
}

/** Hunks as a v4a patch, line by line. */
export function patchLines(path: string, hunks: readonly Hunk[]): string[] {
  return [
    "*** Begin Patch",
    `*** Update File: ${path}`,
    ...hunks.flatMap(({ lines }) => ["@@", ...lines.map(({ sign, text }) => sign + text)]),
    "*** End Patch",
  ];
}

export function asPatch(lines: readonly string[]): EditRequest {
  return { kind: "patch", patch: lines.join("\n") };
}

/** Hunks as a unified diff, line by line. */
export function diffLines(path: string, hunks: readonly Hunk[]): string[] {
  let growth = 0;
  const body = hunks.flatMap((hunk) => {
    const oldCount = oldLines(hunk).length;
    const newCount = newLines(hunk).length;
    const header = `@@ -${oldCount === 0 ? hunk.start : hunk.start + 1},${oldCount} +${hunk.start + 1 + growth},${newCount} @@`;
    growth += newCount - oldCount;
    return [header, ...hunk.lines.map(({ sign, text }) => sign + text)];
  });
  return [`--- a/${path}`, `+++ b/${path}`, ...body];
}

export function asDiff(lines: readonly string[]): EditRequest {
  return { kind: "diff", diff: `${lines.join("\n")}\n` };
}
