import { ToolError } from "../contract/error.ts";
import type { Splice } from "./rewrite.ts";
import type { Source } from "./source.ts";

/** A splice and the block it comes from. */
export interface NamedSplice extends Splice {
  readonly name: string;
}

/**
 * The file with all splices made at once; every other byte is as it was. Throws when two want the same bytes, or
 * when nothing changes.
 */
export function applySplices(
  before: Uint8Array,
  { text, path, lines }: Source,
  splices: readonly NamedSplice[],
): Uint8Array {
  const sorted = [...splices].sort((left, right) => left.start - right.start || left.end - right.end);
  const parts: Uint8Array[] = [];
  let kept = 0;
  let previous: NamedSplice | undefined;
  for (const splice of sorted) {
    if (previous && overlap(previous, splice)) {
      throw overlapping(path, previous.name, splice.name, lines.lineAt(splice.start));
    }
    if (splice.end < splice.start) throw new ToolError("internal", `${path}: a change ends before it begins`);
    const start = text.fileOffset(splice.start);
    parts.push(before.subarray(kept, start), text.encode(splice.text));
    kept = splice.end === splice.start ? start : text.fileOffset(splice.end);
    previous = splice;
  }
  const after = Buffer.concat([...parts, before.subarray(kept)]);
  if (after.length === before.length && after.equals(before))
    throw changesNothing(path, "all of it together");
  return after;
}

/** Says in which encoding new letters were written where the file itself does not tell. */
export function encodingNotes({ text: { guess } }: Source, splices: readonly Splice[]): readonly string[] {
  const hasLetters = splices.some(({ text }) => /[^\0-\x7f\uf780-\uf7ff]/.test(text));
  return guess && hasLetters ? [`the file is not valid UTF-8; new letters were written as ${guess}`] : [];
}

export function changesNothing(path: string, name: string): ToolError {
  return new ToolError("invalid-input", `${path}: ${name} would change nothing`, {
    hint: "Give new text that differs from the old.",
  });
}

export function overlapping(path: string, first: string, second: string, line: number): ToolError {
  return new ToolError(
    "invalid-input",
    `${path}: ${first} and ${second} change the same text at line ${line + 1}`,
    {
      hint: "Put both changes into one; all of a call's changes apply to the file as it is before.",
    },
  );
}

/** Two insertions at one point overlap too: their order would be a guess. */
function overlap(first: Splice, second: Splice): boolean {
  return second.start < first.end || (second.start === first.start && second.end === first.end);
}
