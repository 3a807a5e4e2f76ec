import fc from "fast-check";
import type { Line, Revision } from "./documents.ts";

/** A change that another author made to a line in the meantime. */
interface Drift {
  readonly inserted: readonly string[];
  readonly becomes: "itself" | string;
}

/** Changes of other authors to the lines of a revision, many or few. */
export function driftsOf({ steps }: Revision): fc.Arbitrary<readonly Drift[]> {
  const line = (index: number) =>
    fc.record({
      inserted: fc.oneof(
        { weight: 6, arbitrary: fc.constant([]) },
        fc.constant([`other ${index} a`, `other ${index} b`]),
      ),
      becomes: fc.oneof({ weight: 12, arbitrary: fc.constant("itself") }, fc.constant(`another ${index}`)),
    });
  return fc.tuple(...steps.map((_, index) => line(index)));
}

/** The same revision of the changed file. Where both change the same line, the other change is dropped. */
export function drifted({ document, steps, appended }: Revision, drifts: readonly Drift[]): Revision {
  const end = document.lines[0]!.end || "\n";
  const lines: (Line & Revision["steps"][number])[] = [];
  for (const [index, step] of steps.entries()) {
    const line = document.lines[index]!;
    const { inserted, becomes } = drifts[index]!;
    if (step.inserted.length === 0) {
      for (const text of inserted) lines.push({ text, end, inserted: [], becomes: "itself" });
    }
    const isFree = step.becomes === "itself" && becomes !== "itself";
    lines.push({ ...line, ...step, text: isFree ? becomes : line.text });
  }
  return { document: { ...document, lines }, steps: lines, appended };
}
