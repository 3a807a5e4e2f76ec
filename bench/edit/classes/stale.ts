import type { Random } from "../../data/random.ts";
import { type Damage, type Draft, damagedClass, type TaskClass } from "../draft.ts";
import { oldLines } from "../hunk.ts";
import { countLookalikes, fold } from "../oracle.ts";
import { oneChange } from "../shapes.ts";

/** Some context lines have an earlier content of the file. */
export function staleContext(count: number): Damage {
  return (draft, random) => {
    const [hunk] = draft.hunks;
    const length = oldLines(hunk!).length;
    const candidates = hunk!.lines.flatMap(({ kind, text }, index) =>
      kind === "keep" && staleWord(text) !== undefined ? [index] : [],
    );
    // The other lines must still identify the position.
    const solid = hunk!.lines.filter(({ kind, text }) => kind !== "add" && fold(text).length > 3).length;
    if (candidates.length < count || solid < count + 2) return undefined;
    if (countLookalikes(draft.document, hunk!.at, hunk!.at + length, Math.max(1, length - count - 1)) > 1) {
      return undefined;
    }
    const first = random.below(candidates.length - count + 1);
    const stale = new Set(candidates.slice(first, first + count));
    return {
      ...draft,
      hunks: [
        {
          ...hunk!,
          lines: hunk!.lines.map((line, index) =>
            stale.has(index) ? { ...line, text: aged(line.text, draft, random) } : line,
          ),
        },
      ],
    };
  };
}

export const staleClasses: readonly TaskClass[] = [
  damagedClass({
    kind: "one stale line of context",
    category: "either",
    shape: oneChange,
    context: 3,
    damage: [staleContext(1)],
  }),
];

/** An earlier version of a line: one of its words differs. */
export function aged(text: string, { document }: Pick<Draft, "document">, random: Random): string {
  const word = staleWord(text)!;
  const words = document.lines.flatMap((line) => line.match(/[A-Za-z_]{4,}/g) ?? []);
  for (let attempt = 0; attempt < 20; attempt++) {
    const other = random.pick(words);
    const line = text.replace(word, () => other);
    if (fold(line) !== fold(text) && !document.lines.some((each) => fold(each) === fold(line))) return line;
  }
  return text.replace(word, () => `${word}Legacy`);
}

function staleWord(text: string): string | undefined {
  return /[A-Za-z_]{4,}/.exec(text)?.[0];
}
