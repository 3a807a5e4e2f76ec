import {
  allForms,
  type Damage,
  damagedClass,
  patchForms,
  type Rewrite,
  rewriting,
  type TaskClass,
} from "../draft.ts";
import { severalChanges } from "../shapes.ts";
import { udiffHunks } from "../write-call.ts";

const padded: Damage = rewriting((text, _, random) =>
  text.replace(/^(\*\*\* .*|@@)$/gm, (marker) => {
    const before =
      marker.startsWith("*** B") || marker.startsWith("*** U") ? random.pick(["", " ", "  "]) : "";
    return before + marker + random.pick([" ", "  ", "\t"]);
  }),
);

const indentedEnd: Damage = rewriting((text) => text.replace(/^\*\*\* End Patch$/m, "  *** End Patch"));

/** Editors and models drop the space that marks an unchanged line when the line is empty. */
export const emptyContextLines: Damage = rewriting((text) => text.replace(/^ $/gm, ""));

export const withoutFirstMark: Damage = rewriting((text) => text.replace(/^@@.*\n/m, ""));

export const outOfOrder: Damage = (draft, random) => {
  if (draft.hunks.length < 2) return undefined;
  const swap: Rewrite = (text) => {
    const [head, ...parts] = text.split(/^(?=@@)/m);
    const tail = /^\*\*\* End Patch\n/m.exec(parts.at(-1)!)?.[0] ?? "";
    const bodies = parts.map((part) => part.replace(/^\*\*\* End Patch\n/m, ""));
    return head + bodies.reverse().join("") + tail;
  };
  if (draft.form !== "edit") return { ...draft, rewrites: [...draft.rewrites, swap] };
  const from = 1 + random.below(draft.hunks.length - 1);
  return { ...draft, hunks: [...draft.hunks.slice(from), ...draft.hunks.slice(0, from)] };
};

/** Lines of a unified diff inside `*** Update File`. */
const unifiedHeads: Damage = (draft, random) => {
  const { path } = draft;
  const heads = random.pick([
    `--- a/${path}\n+++ b/${path}\n`,
    `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n`,
    `diff --git a/${path} b/${path}\nindex 3b18e51..9daeafb 100644\n--- a/${path}\n+++ b/${path}\n`,
  ]);
  return rewriting((text) => text.replace(/^\*\*\* Update File: .*\n/m, (line) => line + heads))(
    draft,
    random,
  );
};

const unifiedNumbers: Damage = (draft, random) => {
  const numbered = udiffHunks(draft.document, draft.hunks);
  const numbers = numbered.split("\n").filter((line) => /^@@ -\d+,\d+ \+\d+,\d+ @@$/.test(line));
  if (numbers.length !== draft.hunks.length) return undefined;
  const name = random.pick(["", "", "function prepareEverything() {"]);
  if (name !== "" && draft.document.lines.some((line) => line.includes("prepareEverything")))
    return undefined;
  const suffix = name && ` ${name}`;
  let next = 0;
  const rewrite: Rewrite = (text) => text.replace(/^@@$/gm, () => numbers[next++ % numbers.length] + suffix);
  return { ...draft, rewrites: [...draft.rewrites, rewrite] };
};

/** A whole unified diff between `*** Begin Patch` and `*** End Patch`. */
const v4aEnvelope: Damage = rewriting((text) => `*** Begin Patch\n${text}*** End Patch\n`);

export const markerClasses: readonly TaskClass[] = [
  damagedClass({ kind: "padded markers", forms: ["v4a"], damage: [padded] }),
  damagedClass({ kind: "indented end marker", forms: ["v4a"], damage: [indentedEnd] }),
  damagedClass({
    kind: "empty context lines without their blank",
    forms: patchForms,
    damage: [emptyContextLines],
  }),
  damagedClass({ kind: "first @@ missing", forms: ["v4a"], damage: [withoutFirstMark] }),
  damagedClass({ kind: "hunks out of order", forms: allForms, shape: severalChanges, damage: [outOfOrder] }),
  damagedClass({ kind: "unified-diff file headers", forms: ["v4a"], damage: [unifiedHeads] }),
  damagedClass({ kind: "unified-diff hunk headers", forms: ["v4a"], damage: [unifiedNumbers] }),
  damagedClass({
    kind: "unified-diff headers of both kinds",
    forms: ["v4a"],
    damage: [unifiedNumbers, unifiedHeads],
  }),
  damagedClass({ kind: "unified diff in a v4a envelope", forms: ["udiff"], damage: [v4aEnvelope] }),
];
