import { diffRuns } from "../../src/edit/diff-runs.ts";
import type { Random } from "./random.ts";

/** One file before and after a change. Lines end with a line feed, also the last one. */
export interface Modification {
  readonly path: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface HunkLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

export interface Hunk {
  /** Its first line in the old file, counted from 0. */
  readonly start: number;
  readonly lines: readonly HunkLine[];
}

/** The hunks of a modification, with enough context to make each unique, and at least `context` lines. */
export function hunksOf({ before, after }: Modification, context: number): readonly Hunk[] | undefined {
  const runs = diffRuns(before, after);
  for (let lines = context; lines <= context + 6; lines += 2) {
    const hunks = cutHunks(before, after, runs, lines);
    if (hunks.every((hunk) => isUnique(before, oldLines(hunk)))) return hunks;
  }
  return undefined;
}

export function oldLines(hunk: Hunk): readonly string[] {
  return hunk.lines.flatMap(({ sign, text }) => (sign === "+" ? [] : [text]));
}

export function newLines(hunk: Hunk): readonly string[] {
  return hunk.lines.flatMap(({ sign, text }) => (sign === "-" ? [] : [text]));
}

function cutHunks(
  before: readonly string[],
  after: readonly string[],
  runs: ReturnType<typeof diffRuns>,
  context: number,
): readonly Hunk[] {
  const hunks: { start: number; end: number; lines: HunkLine[] }[] = [];
  for (const run of runs) {
    const last = hunks.at(-1);
    const start = Math.max(0, run.oldStart - context);
    let hunk = last;
    if (!hunk || start > hunk.end) {
      hunk = { start, end: start, lines: [] };
      hunks.push(hunk);
    } else hunk.lines.splice(hunk.lines.length - Math.max(0, hunk.end - run.oldStart));
    const from = hunk.lines.length === 0 ? start : Math.min(hunk.end, run.oldStart);
    for (const text of before.slice(from, run.oldStart)) hunk.lines.push({ sign: " ", text });
    for (const text of before.slice(run.oldStart, run.oldEnd)) hunk.lines.push({ sign: "-", text });
    for (const text of after.slice(run.newStart, run.newEnd)) hunk.lines.push({ sign: "+", text });
    hunk.end = Math.min(before.length, run.oldEnd + context);
    for (const text of before.slice(run.oldEnd, hunk.end)) hunk.lines.push({ sign: " ", text });
  }
  return hunks;
}

function isUnique(lines: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.length === 0) return false;
  const text = `\n${lines.join("\n")}\n`;
  const block = `\n${wanted.join("\n")}\n`;
  const first = text.indexOf(block);
  return first !== -1 && text.indexOf(block, first + 1) === -1;
}

/** A realistic change: words changed in some lines, lines added and removed, at one to three positions. */
export function modify(path: string, before: readonly string[], random: Random): Modification {
  const after = [...before];
  const changes = 1 + random.below(3);
  for (let number = 0; number < changes; number += 1) {
    const line = random.below(Math.max(1, after.length - 3));
    const count = 1 + random.below(3);
    const indentation = /^\s*/.exec(after[line] ?? "")![0];
    const added = Array.from({ length: 1 + random.below(3) }, (_, index) => {
      const deeper = index > 0 && random.chance(0.4) ? (indentation.includes("\t") ? "\t" : "  ") : "";
      return `${indentation}${deeper}${random.pick(["call", "const value =", "return", "// note:"])} fresh${random.below(1000)}(${index});`;
    });
    const kind = random.below(4);
    if (kind === 0) after.splice(line, 0, ...added);
    else if (kind === 1) after.splice(line, count);
    else if (kind === 2) after.splice(line, count, ...added);
    else
      for (let each = line; each < line + count && each < after.length; each += 1)
        after[each] = changeWord(after[each]!, random);
  }
  return { path, before, after };
}

/** Replaces one word of a line; returns the same line if it has none. */
export function changeWord(line: string, random: Random): string {
  const words = [...line.matchAll(/[A-Za-z_]{3,}/g)];
  if (words.length === 0) return line;
  const word = random.pick(words);
  const other = `${random.pick(["other", "legacy", "new", "old", "my"])}${word[0][0]!.toUpperCase()}${word[0].slice(1)}`;
  return line.slice(0, word.index) + other + line.slice(word.index + word[0].length);
}
