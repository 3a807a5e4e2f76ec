import { blanksOf } from "./lines.ts";

/** What one level of indentation is made of in a text; nothing where nothing is indented. */
export function indentationLevel(text: string): string {
  const steps = new Map<string, number>();
  let previous = 0;
  for (const line of text.split("\n", maxLines)) {
    if (line.trim() === "") continue;
    const blanks = blanksOf(line);
    const step = blanks.startsWith("\t") ? "\t" : " ".repeat(Math.max(0, blanks.length - previous));
    // A single blank is no level, but stands before the star of a comment.
    if (step === "\t" || step.length > 1) steps.set(step, (steps.get(step) ?? 0) + 1);
    previous = blanks.startsWith("\t") ? 0 : blanks.length;
  }
  const [commonest] = [...steps].sort(
    (left, right) => right[1] - left[1] || left[0].length - right[0].length,
  );
  return commonest?.[0] ?? "";
}

/** More lines than this tell nothing new. */
const maxLines = 5_000;
