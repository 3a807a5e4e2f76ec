import { replaceLines } from "../document.ts";
import { type Damage, damagedClass, rewriting, type TaskClass } from "../draft.ts";
import { severalChanges } from "../shapes.ts";
import { changeSome } from "./whitespace.ts";

/** The file has decomposed accents, the call composed ones. */
const apart: Damage = (draft) => {
  const lines = new Map<number, string>();
  const changed = changeSome(draft, ({ kind, text }, position) => {
    if (kind !== "keep" || !/\w/.test(text)) return text;
    lines.set(position, `${text} ${"é".normalize("NFD")}`);
    return `${text} é`;
  });
  return changed && { ...changed, document: replaceLines(draft.document, lines) };
};

const ellipsis: Damage = (draft) =>
  changeSome(draft, ({ kind, text }) => (kind === "keep" ? text.replaceAll("...", "…") : text));

const withoutEnd: Damage = rewriting((text) => text.replace(/\*\*\* End Patch\n$/, ""));

/** Every hunk has its own file header. */
const headAgain: Damage = (draft) => {
  const head = draft.form === "v4a" ? /^\*\*\* Update File: .*\n/m : /^--- .*\n\+\+\+ .*\n/m;
  return {
    ...draft,
    rewrites: [
      ...draft.rewrites,
      (text) => {
        const line = head.exec(text)![0];
        return text.replace(line, "").replace(/^@@/gm, () => `${line}@@`);
      },
    ],
  };
};

export const eitherClasses: readonly TaskClass[] = [
  damagedClass({ kind: "accents apart in the file", category: "either", damage: [apart] }),
  damagedClass({ kind: "ellipsis for three dots", category: "either", damage: [ellipsis] }),
  damagedClass({ kind: "end marker missing", category: "either", forms: ["v4a"], damage: [withoutEnd] }),
  damagedClass({
    kind: "the same file twice",
    category: "either",
    forms: ["v4a", "udiff"],
    shape: severalChanges,
    damage: [headAgain],
  }),
];
