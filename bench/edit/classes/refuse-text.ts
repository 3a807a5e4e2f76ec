import type { Random } from "../../data/random.ts";
import { applyChanges, encodeDocument } from "../document.ts";
import {
  allForms,
  type Draft,
  draftOf,
  fileOf,
  patchForms,
  type TaskClass,
  type TaskParts,
  writeDraft,
} from "../draft.ts";
import { type Hunk, mapLines, oldLines } from "../hunk.ts";
import type { Modification } from "../modifications.ts";
import { findWindows, fold, isAbsent } from "../oracle.ts";
import { oneChange } from "../shapes.ts";
import type { Form } from "../task.ts";
import { aged, staleContext } from "./stale.ts";

/** A class of calls that must be refused, made from a correct draft of one change. */
function refusedClass(
  kind: string,
  spoil: (draft: Draft, random: Random, other: () => Modification) => Draft | TaskParts | undefined,
  options: { forms?: readonly Form[]; context?: number } = {},
): TaskClass {
  return {
    kind,
    category: "refuse",
    forms: options.forms ?? allForms,
    make(given, form, random, other) {
      const draft = draftOf(oneChange(given, random)!, form, options.context ?? (form === "edit" ? 1 : 3));
      const spoilt = draft && spoil(draft, random, other);
      if (!spoilt || "call" in spoilt) return spoilt;
      return { call: writeDraft(spoilt), files: [{ ...fileOf(spoilt), after: undefined }] };
    },
  };
}

/** The same, for text that must not be in the file under any tolerance. */
function absentClass(
  kind: string,
  spoil: (draft: Draft, random: Random) => Draft | undefined,
  options: { context?: number } = {},
): TaskClass {
  const spoilAndCheck = (draft: Draft, random: Random) => {
    const spoilt = spoil(draft, random);
    return spoilt && isAbsent(spoilt.document, spoilt.hunks, spoilt.form) ? spoilt : undefined;
  };
  return refusedClass(kind, spoilAndCheck, options);
}

/** The file already has the new text of the call. */
function applied({ path, document, changes, hunks, ...draft }: Draft): Draft | undefined {
  const after = applyChanges(document, changes);
  if (changes[0]!.removed.every((line) => fold(line) === "")) return undefined;
  const gone = changes[0]!.removed.filter((line) => fold(line) !== "");
  const isGone = gone.some((line) => !after.lines.some((each) => fold(each) === fold(line)));
  return isGone ? { ...draft, path, document: after, changes: [], hunks } : undefined;
}

/** Text that was never in this file. */
function invented(draft: Draft, random: Random): Draft | undefined {
  let count = 0;
  const hunks = draft.hunks.map((hunk) =>
    mapLines(hunk, ({ kind, text }) => {
      if (kind === "add" || !/[A-Za-z_]{4,}/.test(text)) return text;
      count++;
      return aged(text, draft, random);
    }),
  );
  return count < 2 ? undefined : { ...draft, hunks };
}

function otherFile(draft: Draft, _: Random, other: () => Modification): TaskParts | undefined {
  const { path, document } = other();
  const old = oldLines(draft.hunks[0]!).map(fold);
  const removed = draft.changes[0]!.removed.map(fold).filter((line) => line !== "");
  const folded = document.lines.map(fold);
  const isThere =
    removed.length > 0 ? removed.every((line) => folded.includes(line)) : findWindows(folded, old).length > 0;
  const known = old.filter((line) => line !== "" && folded.includes(line)).length;
  if (isThere || known > old.length / 2) return undefined;
  return {
    call: writeDraft({ ...draft, path }),
    files: [{ path, before: encodeDocument(document), after: undefined }],
  };
}

/** A line to remove differs slightly from the file's. */
function drifted(draft: Draft, random: Random): Draft | undefined {
  const { document } = draft;
  const [hunk] = draft.hunks;
  const candidates = hunk!.lines.flatMap(({ kind, text }, index) =>
    kind === "remove" && fold(text).length > 3 ? [index] : [],
  );
  if (candidates.length === 0) return undefined;
  const at = random.pick(candidates);
  const text = hunk!.lines[at]!.text;
  const other = drift(text, random);
  const isNew = [...document.lines, ...draft.changes[0]!.added].every(
    (line) => fold(line) !== fold(other ?? text),
  );
  if (other === undefined || !isNew) return undefined;
  const lines = hunk!.lines.map((line, index) => (index === at ? { ...line, text: other } : line));
  return { ...draft, hunks: [{ ...hunk!, lines }] };
}

/** A digit, a letter, an operator, the case or a word differs. */
function drift(text: string, random: Random): string | undefined {
  const ways = [
    () => text.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
    () => text.replace(/[a-z](?=[a-z])/, (letter) => (letter === "e" ? "a" : "e")),
    () => text.replace(/[a-z]/, (letter) => letter.toUpperCase()),
    () => text.replace(/===|==|<=|>=|&&|\+|<|>/, (sign) => (sign === "&&" ? "||" : "!=")),
    () => text.replace(/\b\w+\b(?!.*\b\w+\b)/, ""),
    () => text.replace(/[A-Za-z_]{3,}/, (word) => `${word}s`),
    () => `${text};`,
  ];
  const drifts = ways.map((way) => way()).filter((line) => fold(line) !== fold(text) && fold(line) !== "");
  return drifts.length === 0 ? undefined : random.pick(drifts);
}

const noChange = (draft: Draft): Draft | undefined => {
  const keep = (hunk: Hunk): Hunk => ({
    ...hunk,
    lines: hunk.lines.filter(({ kind }) => kind !== "add").map((line) => ({ ...line, kind: "keep" })),
  });
  return { ...draft, changes: [], hunks: draft.hunks.map(keep) };
};

/** The removed lines again. */
const sameAgain = (draft: Draft): Draft | undefined => {
  const hunks = draft.hunks.map((hunk): Hunk => {
    const kept = hunk.lines.filter(({ kind }) => kind !== "add");
    const last = kept.findLastIndex(({ kind }) => kind === "remove");
    const again = kept
      .filter(({ kind }) => kind === "remove")
      .map((line) => ({ ...line, kind: "add" as const }));
    return { ...hunk, lines: [...kept.slice(0, last + 1), ...again, ...kept.slice(last + 1)] };
  });
  return draft.changes[0]!.removed.length === 0 ? undefined : { ...draft, changes: [], hunks };
};

const emptyCall = ({ form, path, document }: Draft): TaskParts => ({
  call:
    form === "edit"
      ? { form, path, edits: [{ find: "", replace: "something" }] }
      : {
          form,
          text: form === "v4a" ? "*** Begin Patch\n*** End Patch\n" : `--- a/${path}\n+++ b/${path}\n`,
        },
  files: [{ path, before: encodeDocument(document), after: undefined }],
});

/** Two hunks change the same line differently. */
const overlapping = (draft: Draft): Draft | undefined => {
  const [hunk] = draft.hunks;
  const { at, removed } = draft.changes[0]!;
  if (removed.length === 0) return undefined;
  const second: Hunk = {
    at,
    lines: [
      { kind: "remove", text: removed[0]! },
      { kind: "add", text: `${removed[0]} again` },
    ],
  };
  const isClear = draft.document.lines.filter((line) => line.includes(removed[0]!)).length === 1;
  return isClear && fold(removed[0]!).length > 4 ? { ...draft, hunks: [hunk!, second] } : undefined;
};

const placeholders = [
  "// ... rest of the code unchanged ...",
  "# ... existing code ...",
  "/* rest of the file remains the same */",
  "// ... existing code ...",
  "<!-- ... rest of content ... -->",
  "    // (rest of methods ...)",
  "// ...remaining code unchanged",
];

const placeholder = (draft: Draft, random: Random): Draft | undefined => {
  const text = random.pick(placeholders);
  if (draft.document.lines.includes(text)) return undefined;
  const hunks = draft.hunks.map((hunk): Hunk => {
    const last = hunk.lines.findLastIndex(({ kind }) => kind !== "keep");
    return {
      ...hunk,
      lines: [...hunk.lines.slice(0, last + 1), { kind: "add", text }, ...hunk.lines.slice(last + 1)],
    };
  });
  return { ...draft, hunks };
};

/** A line inside a hunk that is neither context nor a change. */
const strangeLine = (draft: Draft, random: Random): Draft | undefined => {
  const line = random.pick([
    "Now the second part:",
    "~ moved",
    "> quoted text",
    "TODO: the rest",
    "*** Replace File: x",
  ]);
  const lines = (writeDraft(draft) as { text: string }).text.split("\n");
  const start = lines.findIndex((each) => each.startsWith("@@"));
  const end = lines.findLastIndex((each) => /^[ +-]/.test(each));
  if (end - start < 3) return undefined;
  const text = lines.toSpliced(start + 2 + random.below(end - start - 2), 0, line).join("\n");
  return { ...draft, rewrites: [() => text] };
};

export const refusedTextClasses: readonly TaskClass[] = [
  absentClass("change that is already made", applied),
  absentClass("text that is not there", invented),
  refusedClass("text of another file", otherFile),
  absentClass("removed line has drifted", drifted),
  absentClass("removed line has drifted, little context", drifted, { context: 1 }),
  absentClass("two stale lines of context", staleContext(2), { context: 3 }),
  refusedClass("nothing changes", noChange),
  refusedClass("lines replaced by themselves", sameAgain),
  refusedClass("empty call", emptyCall),
  refusedClass("two changes of the same line", overlapping),
  refusedClass("placeholder instead of text", placeholder),
  refusedClass("line that is neither context nor change", strangeLine, { forms: patchForms }),
];
