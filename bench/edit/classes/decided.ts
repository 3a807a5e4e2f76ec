import type { Random } from "../../data/random.ts";
import type { Document } from "../document.ts";
import { fileOf, type TaskClass } from "../draft.ts";
import { endOf, type Hunk, hunkOf } from "../hunk.ts";
import type { Modification } from "../modifications.ts";
import { findWindows, fold } from "../oracle.ts";
import { enclosingLines, scopeEnd } from "../scopes.ts";
import { envelope, udiffSection, v4aSection } from "../write-call.ts";

/** One change whose lines occur several times in the file. */
export interface Repeated {
  readonly path: string;
  readonly document: Document;
  readonly change: Modification["changes"][number];
  readonly hunk: Hunk;
  /** The positions of its old lines, including the right one. */
  readonly positions: readonly number[];
}

/** Unchanged from the authors: with little context, many changes fit two positions. */
export function findRepeated({ path, document, changes }: Modification): Repeated | undefined {
  for (const change of changes) {
    for (const context of [2, 1, 0]) {
      const from = Math.max(0, change.at - context);
      const to = Math.min(document.lines.length, change.at + change.removed.length + context);
      const old = document.lines.slice(from, to);
      if (old.length === 0 || fold(old.join("")).length < 3) continue;
      const positions = findWindows(document.lines, old);
      if (positions.length < 2) continue;
      return { path, document, change, hunk: hunkOf(document, [change], from, to), positions };
    }
  }
  return undefined;
}

/** Repeats the lines around a change at the end of the file. */
export function repeatAtEnd({ path, document, changes }: Modification, random: Random): Repeated | undefined {
  const change = changes[0]!;
  const from = Math.max(0, change.at - 1 - random.below(3));
  const to = Math.min(document.lines.length, change.at + change.removed.length + 1 + random.below(2));
  const copied = document.lines.slice(from, to);
  if (copied.at(-1)?.trim() === "" || fold(copied.join("")).length < 8 || document.ends.at(-1) === "")
    return undefined;
  const start = document.lines.length;
  const longer: Document = {
    ...document,
    lines: [...document.lines, ...copied],
    ends: [...document.ends, ...copied.map(() => "\n")],
  };
  const positions = findWindows(longer.lines, copied);
  if (positions.length !== 2) return undefined;
  const moved = { ...change, at: change.at - from + start };
  return {
    path,
    document: longer,
    change: moved,
    hunk: hunkOf(longer, [moved], start, longer.lines.length),
    positions,
  };
}

const byHeader: TaskClass = {
  kind: "two places, the header decides",
  category: "clean",
  forms: ["v4a"],
  make(given) {
    const found = findRepeated(given);
    if (!found) return undefined;
    const { path, document, change, hunk, positions } = found;
    const header = enclosingLines(document, hunk.at).find((at) => {
      const after = positions.filter((position) => position > at);
      const end = scopeEnd(document, at);
      return (
        after[0] === hunk.at && endOf(hunk) <= end && after.slice(1).every((position) => position >= end)
      );
    });
    if (header === undefined) return undefined;
    return {
      call: { form: "v4a", text: envelope(v4aSection(path, [hunk], [[document.lines[header]!]])) },
      files: [fileOf({ path, document, changes: [change] })],
    };
  },
};

const byNumber: TaskClass = {
  kind: "two places, the line number decides",
  category: "clean",
  forms: ["udiff"],
  make(given) {
    const found = findRepeated(given);
    if (!found) return undefined;
    const { path, document, change, hunk } = found;
    return {
      call: { form: "udiff", text: udiffSection(path, document, [hunk]) },
      files: [fileOf({ path, document, changes: [change] })],
    };
  },
};

const byEndOfFile: TaskClass = {
  kind: "two places, the end of the file decides",
  category: "clean",
  forms: ["v4a"],
  make(given, _, random) {
    const found = repeatAtEnd(given, random);
    if (!found) return undefined;
    const { path, document, change, hunk } = found;
    return {
      call: { form: "v4a", text: envelope(`${v4aSection(path, [hunk])}*** End of File\n`) },
      files: [fileOf({ path, document, changes: [change] })],
    };
  },
};

export const decidedClasses: readonly TaskClass[] = [byHeader, byNumber, byEndOfFile];
