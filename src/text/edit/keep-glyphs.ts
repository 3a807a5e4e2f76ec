import { diffRuns } from "./diff-runs.ts";
import { unitsOf } from "./glyphs.ts";

/**
 * New lines in which every word, quote, dash and blank that the call leaves alone is spelled as in the file.
 * `oldLines` and `foundLines` are the same lines in the call's and in the file's spelling.
 */
export function keepGlyphs(
  newLines: readonly string[],
  oldLines: readonly string[],
  foundLines: readonly string[],
): readonly string[] {
  const written = oldLines.flatMap(unitTexts);
  const found = foundLines.flatMap(unitTexts);
  // Both spell the same units; when they do not, there is nothing to learn.
  if (written.length !== found.length) return newLines;
  const wanted = newLines.flatMap(unitTexts);
  const result = [...wanted];
  let oldUnit = 0;
  let newUnit = 0;
  for (const run of [...diffRuns(written, wanted), end(written.length, wanted.length)]) {
    const kept = found.slice(oldUnit, run.oldStart);
    // A lone quote or blank that happens to be on both sides says nothing.
    if (kept.some((text) => telling.test(text))) result.splice(newUnit, kept.length, ...kept);
    ({ oldEnd: oldUnit, newEnd: newUnit } = run);
  }
  return result.join("").split(lineBreak).slice(0, -1);
}

const lineBreak = "\n";
const telling = /[\p{L}\p{N}\n]/u;

function unitTexts(line: string): readonly string[] {
  return [...unitsOf(line).map(({ text }) => text), lineBreak];
}

function end(oldEnd: number, newEnd: number): { oldStart: number; oldEnd: number; newEnd: number } {
  return { oldStart: oldEnd, oldEnd, newEnd };
}
