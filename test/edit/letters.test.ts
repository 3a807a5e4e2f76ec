/** @module-tag slow */
import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ToolError } from "../../src/contract/error.ts";
import type { EditRequest, FilePlan } from "../../src/edit/edit-request.ts";
import { planEdits } from "../../src/edit/plan-edits.ts";
import { rounds } from "../support/rounds.ts";
import { newLines, oldLines } from "./modification.ts";
import { slips } from "./slips.ts";

/*
 * Matching is lenient, but never about letters and digits: those of the old lines occur in the file in order, and
 * those of the new lines replace them. Only a call that was unwrapped, or has a line beyond the end of the file,
 * differs; then the plan has a note.
 */
it("puts the letters of the new lines in place of the old ones, and changes no others", () => {
  const numRuns = rounds(375);
  let done = 0;
  fc.assert(
    fc.property(slips, ({ file, request, hunk }) => {
      fc.pre(isUtf8(file) && !file.includes(0));
      const plan = planOf(request, file);
      if (plan?.action !== "update" || plan.notes.length > 0) return;
      done += 1;
      const lines = { start: 0, lines: hunk };
      const wanted = {
        before: lettersOf(oldLines(lines).join("")),
        after: lettersOf(newLines(lines).join("")),
      };
      const before = lettersOf(file.toString());
      expect(replacements(before, wanted)).toContain(lettersOf(Buffer.from(plan.after).toString()));
    }),
    { numRuns },
  );
  expect(done).toBeGreaterThan(0.1 * numRuns);
});

function planOf(request: EditRequest, file: Buffer): FilePlan | undefined {
  try {
    return planEdits(request, () => file)[0];
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

/** Decomposes accents, so that every spelling of a letter is the same. */
function lettersOf(text: string): string {
  return (text.normalize("NFD").match(/[\p{L}\p{N}]/gu) ?? []).join("");
}

/** Returns the text with `before` replaced by `after` at each of its positions. */
function replacements(text: string, { before, after }: { before: string; after: string }): readonly string[] {
  const results: string[] = [];
  for (let at = 0; at <= text.length; at += 1) {
    if (text.startsWith(before, at)) results.push(text.slice(0, at) + after + text.slice(at + before.length));
  }
  return results;
}
