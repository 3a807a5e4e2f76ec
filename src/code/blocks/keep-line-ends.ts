import { diffRuns } from "../../edit/diff-runs.ts";

/** New lines with the line ends of the old ones that they repeat: some files have several kinds. */
export function keepLineEnds(lines: readonly string[], old: string, lineEnd: string): string {
  const oldLines = old.split(/\r?\n/);
  const oldEnds = old.match(/\r?\n/g) ?? [];
  if (oldEnds.every((end) => end === lineEnd)) return lines.join(lineEnd);
  const ends = lines.map(() => lineEnd);
  let shift = 0;
  let from = 0;
  const keep = (to: number) => {
    for (let line = from; line < to; line += 1) ends[line + shift] = oldEnds[line] ?? lineEnd;
  };
  // The first line may begin in the middle of one.
  const trimmed = (all: readonly string[]) =>
    all.map((line, index) => (index === 0 ? line.trimStart() : line));
  for (const run of diffRuns(trimmed(oldLines), trimmed(lines))) {
    keep(run.oldStart);
    from = run.oldEnd;
    shift = run.newEnd - run.oldEnd;
  }
  keep(oldLines.length);
  return lines.map((line, index) => (index === lines.length - 1 ? line : line + ends[index])).join("");
}
