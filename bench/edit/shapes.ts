import type { Shape } from "./draft.ts";
import { fold } from "./oracle.ts";

/** Truncates a file so that its last change is near its end. */
export const nearTheEnd: Shape = ({ document, changes, ...rest }, random) => {
  const change = changes.at(-1)!;
  const end = change.at + change.removed.length + random.below(3);
  if (end > document.lines.length || document.lines[end - 1]?.trim() === "") return undefined;
  // Which line end is removed with the last line is a matter of taste.
  if (
    end === change.at + change.removed.length &&
    (change.added.length === 0 || change.added.at(-1) === "")
  ) {
    return undefined;
  }
  const shorter = { ...document, lines: document.lines.slice(0, end), ends: document.ends.slice(0, end) };
  if (shorter.ends.at(-1) === "") shorter.ends = [...shorter.ends.slice(0, -1), "\n"];
  return { ...rest, document: shorter, changes: [change] };
};

export const withoutFinalLineEnd: Shape = (modification, random) => {
  const shaped = nearTheEnd(modification, random);
  if (!shaped) return undefined;
  return { ...shaped, document: { ...shaped.document, ends: [...shaped.document.ends.slice(0, -1), ""] } };
};

/** Truncates a file so that its first change is near its beginning. */
export const nearTheStart: Shape = ({ document, changes, ...rest }, random) => {
  const change = changes[0]!;
  const start = Math.max(0, change.at - random.below(3));
  return {
    ...rest,
    document: { ...document, lines: document.lines.slice(start), ends: document.ends.slice(start) },
    changes: [{ ...change, at: change.at - start }],
  };
};

export const severalChanges: Shape = (modification) =>
  modification.changes.length > 1 ? modification : undefined;

export const oneChange: Shape = (modification) =>
  modification.changes.length === 1 ? modification : { ...modification, changes: [modification.changes[0]!] };

export const asciiOnly: Shape = (modification) => {
  const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text);
  const { document, changes } = modification;
  const texts = [...document.lines, ...changes.flatMap(({ added }) => added)];
  return texts.every(isAscii) ? modification : undefined;
};

/** Each changed line becomes one other line. */
export const lineForLine: Shape = (modification) => {
  const isPaired = modification.changes.every(
    ({ removed, added }) =>
      removed.length === added.length && removed.every((line, at) => fold(line) !== fold(added[at]!)),
  );
  return isPaired ? modification : undefined;
};
