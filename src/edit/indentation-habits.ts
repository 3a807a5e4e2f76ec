import type { LineTable } from "./line-table.ts";
import { indentationOf } from "./tiers.ts";

/** How a file indents, as far as it shows. */
export interface IndentationHabits {
  /** Columns of one level, where it is made of spaces; 0 when nothing is indented. */
  readonly level: number;
  /** Some lines are indented by tabs and then spaces. */
  readonly mixes: boolean;
}

/** More lines than this tell nothing new. */
const maxLines = 5_000;

export function indentationHabits(lines: LineTable): IndentationHabits {
  const habits = known.get(lines) ?? learnHabits(lines);
  known.set(lines, habits);
  return habits;
}

const known = new WeakMap<LineTable, IndentationHabits>();

function learnHabits(lines: LineTable): IndentationHabits {
  const steps = new Map<number, number>();
  let previous = 0;
  let mixes = false;
  for (let line = 0; line < maxLines && lines.hasLines(line + 1); line += 1) {
    const text = lines.text(line);
    const { length } = indentationOf(text);
    if (length === text.length) continue;
    mixes ||= /^\t+ /.test(text);
    const step = text.startsWith("\t") ? 0 : length - previous;
    if (step > 1) steps.set(step, (steps.get(step) ?? 0) + 1);
    previous = length;
  }
  const [commonest] = [...steps].sort((left, right) => right[1] - left[1] || left[0] - right[0]);
  return { level: commonest?.[0] ?? 0, mixes };
}
