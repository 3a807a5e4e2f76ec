import { type Damage, damagedClass, rewriting, type TaskClass } from "../draft.ts";
import { endOf, isRepeated } from "../hunk.ts";
import { lineForLine, nearTheStart, withoutFinalLineEnd } from "../shapes.ts";

function allEnds(end: string): Damage {
  return (draft) => ({
    ...draft,
    document: { ...draft.document, ends: draft.document.ends.map((old) => (old === "" ? "" : end)) },
  });
}

export const crlfFile: Damage = allEnds("\r\n");
const crFile: Damage = allEnds("\r");

export const crlfCall: Damage = rewriting((text) => text.replaceAll("\n", "\r\n"));

/** Some line ends are of the other kind, but neither at the beginning nor at the change. */
const mixedFile: Damage = (draft, random) => {
  const usual = random.pick(["\n", "\r\n"]);
  const other = usual === "\n" ? "\r\n" : "\n";
  const near = new Set<number>([0, 1]);
  for (const hunk of draft.hunks) {
    for (let at = hunk.at - 1; at <= endOf(hunk); at++) near.add(at);
  }
  const ends = draft.document.ends.map((end, at) => {
    if (end === "") return "";
    return near.has(at) || random.fraction() < 0.75 ? usual : other;
  });
  return ends.includes(other) ? { ...draft, document: { ...draft.document, ends } } : undefined;
};

/** Line ends are mixed, also in changed lines; a changed line keeps its line end. */
const mixedLines: Damage = (draft, random) => {
  if (draft.hunks.some((hunk) => hunk.lines.some((line) => isRepeated(hunk, line)))) return undefined;
  const ends = draft.document.ends.map((end) => end && random.pick(["\n", "\r\n"]));
  return new Set(ends).size < 2 ? undefined : { ...draft, document: { ...draft.document, ends } };
};

export const markedFile: Damage = (draft) => ({
  ...draft,
  document: { ...draft.document, encoding: "utf-8 with mark" },
});

/** The byte-order mark is before the first line that the call contains, or before the patch. */
const markedCall: Damage = (draft) => {
  if (draft.form === "edit" && draft.hunks[0]!.at !== 0) return undefined;
  return {
    ...draft,
    rewrites: [...draft.rewrites, (text, _, index) => (index === 0 ? `\ufeff${text}` : text)],
  };
};

const withoutEndMark: Damage = rewriting((text) => text.replaceAll("\n\\ No newline at end of file", ""));

export const lineEndClasses: readonly TaskClass[] = [
  damagedClass({ kind: "CRLF file, LF call", damage: [crlfFile] }),
  damagedClass({ kind: "LF file, CRLF call", damage: [crlfCall] }),
  damagedClass({ kind: "CR file, LF call", damage: [crFile] }),
  damagedClass({ kind: "file with mixed line ends elsewhere", damage: [mixedFile] }),
  damagedClass({
    kind: "file with mixed line ends, line for line",
    shape: lineForLine,
    damage: [mixedLines],
  }),
  damagedClass({ kind: "byte-order mark in the file", shape: nearTheStart, damage: [markedFile] }),
  damagedClass({ kind: "byte-order mark in the call", shape: nearTheStart, damage: [markedCall] }),
  damagedClass({ kind: "byte-order mark in both", shape: nearTheStart, damage: [markedFile, markedCall] }),
  damagedClass({
    kind: "no final line end in the file",
    forms: ["edit", "v4a"],
    shape: withoutFinalLineEnd,
    damage: [],
  }),
  damagedClass({
    kind: "no final line end in the file",
    forms: ["udiff"],
    shape: withoutFinalLineEnd,
    damage: [withoutEndMark],
  }),
];
