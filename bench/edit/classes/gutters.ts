import type { Random } from "../../data/random.ts";
import { type Damage, type Draft, damagedClass, type Rewrite, type Role, type TaskClass } from "../draft.ts";
import { type Hunk, mapLines, newLines, oldLines } from "../hunk.ts";
import { changeSome } from "./whitespace.ts";

type Gutter = (line: number, text: string) => string;

/** Line numbers as tools print them when they read files. */
export const gutters: Readonly<Record<string, Gutter>> = {
  "12 | ": (line, text) => `${line} | ${text}`,
  "12→": (line, text) => `${line}→${text}`,
  "12:": (line, text) => `${line}:${text}`,
  "12: ": (line, text) => `${line}: ${text}`,
  "cat -n": (line, text) => `${String(line).padStart(6)}\t${text}`,
  "   12→": (line, text) => `${String(line).padStart(6)}→${text}`,
  " 12 |": (line, text) => ` ${line} | ${text}`.trimEnd(),
};

/** All lines of the call have numbers: old lines those of the file, new lines their future ones. */
export function numbered(gutter: Gutter): Damage {
  return (draft, random) => {
    if (!isPlain(draft)) return undefined;
    const behind = drift(random);
    if (draft.form === "edit") return numberTexts(draft, gutter, behind, ["find", "replace"]);
    let shift = 0;
    const hunks = draft.hunks.map((hunk) => {
      let newLine = hunk.at + shift;
      shift += newLines(hunk).length - oldLines(hunk).length;
      return mapLines(hunk, ({ kind, text }, position) => {
        if (kind !== "remove") newLine++;
        return gutter((kind === "add" ? newLine : position + 1) + behind, text);
      });
    });
    return { ...draft, hunks };
  };
}

/** Only the text to find has its numbers; the new lines were written without. */
function numberedOldLines(gutter: Gutter): Damage {
  return (draft, random) => {
    if (!isPlain(draft)) return undefined;
    const behind = drift(random);
    if (draft.form === "edit") return numberTexts(draft, gutter, behind, ["find"]);
    return changeSome(draft, ({ kind, text }, position) =>
      kind === "add" ? text : gutter(position + 1 + behind, text),
    );
  };
}

/** Both texts of an edit are numbered from the line where it begins. */
function numberTexts(draft: Draft, gutter: Gutter, behind: number, roles: readonly Role[]): Draft {
  const starts = draft.hunks.map(({ at }) => at + 1 + behind);
  const number: Rewrite = (text, role, index) => {
    const numberLine = (line: string, below: number) => gutter(starts[index]! + below, line);
    return roles.includes(role) ? text.split("\n").map(numberLine).join("\n") : text;
  };
  return { ...draft, rewrites: [...draft.rewrites, number] };
}

export const gutterClasses: readonly TaskClass[] = [
  ...Object.entries(gutters).map(([name, gutter]) =>
    damagedClass({ kind: `line numbers like "${name}"`, damage: [numbered(gutter)] }),
  ),
  ...Object.entries(gutters)
    .slice(0, 3)
    .map(([name, gutter]) =>
      damagedClass({
        kind: `line numbers like "${name}" in old lines only`,
        damage: [numberedOldLines(gutter)],
      }),
    ),
];

/** The numbers are mostly right; sometimes the file has grown since it was read. */
function drift(random: Random): number {
  return random.fraction() < 0.8 ? 0 : 1 + random.below(40);
}

/** No line itself begins with something like a number. */
function isPlain({ hunks }: Draft): boolean {
  const looksNumbered = (hunk: Hunk) => hunk.lines.some(({ text }) => /^\s*\d+\s*([|:→\t]|$)/.test(text));
  return !hunks.some(looksNumbered);
}
