import type { Random } from "../../data/random.ts";
import { type Document, encodeDocument, textOf } from "../document.ts";
import { allForms, type Draft, fileOf, type Shape, type TaskClass, writeDraft } from "../draft.ts";
import { cutHunks, endOf, oldLines } from "../hunk.ts";
import { countIn, isAloneExactly } from "../oracle.ts";
import { enclosingLines } from "../scopes.ts";
import { nearTheEnd, oneChange, severalChanges, withoutFinalLineEnd } from "../shapes.ts";
import type { Call, Edit, Form } from "../task.ts";
import { editOf, envelope, udiffHunks, v4aSection } from "../write-call.ts";

interface CleanClass {
  readonly kind: string;
  readonly forms?: readonly Form[];
  readonly shape?: Shape;
  readonly context?: number;
  /** The call, when it is not the usual one; undefined where it cannot be made. */
  readonly write?: (draft: Draft, random: Random) => Call | undefined;
}

/** A class of calls without a mistake. Similar text may occur elsewhere, but not the same text. */
function cleanClass({ kind, forms, shape, context, write }: CleanClass): TaskClass {
  return {
    kind,
    category: "clean",
    forms: forms ?? allForms,
    make(given, form, random) {
      const modification = shape ? shape(given, random) : given;
      if (!modification) return undefined;
      const { path, document, changes } = modification;
      const isUnique = (text: Document, from: number, to: number) => isAloneExactly(text, from, to, form);
      const hunks = cutHunks(document, changes, { context: context ?? (form === "edit" ? 1 : 3), isUnique });
      if (!hunks) return undefined;
      const draft = { form, path, document, changes, hunks, rewrites: [] };
      const call = write ? write(draft, random) : writeDraft(draft);
      return call && { call, files: [fileOf(draft)] };
    },
  };
}

const withHeaders = ({ path, document, hunks }: Draft): Call | undefined => {
  const headers = hunks.map(({ at }) => enclosingLines(document, at)[0]);
  // Some engines search forward from each header, so headers must be in file order and above their hunks.
  const isOrdered = headers.every(
    (at, index) => at !== undefined && (index === 0 || at >= endOf(hunks[index - 1]!)),
  );
  if (!isOrdered) return undefined;
  return {
    form: "v4a",
    text: envelope(
      v4aSection(
        path,
        hunks,
        headers.map((at) => [document.lines[at!]!]),
      ),
    ),
  };
};

const withEndOfFile = ({ path, document, hunks }: Draft): Call | undefined => {
  if (endOf(hunks.at(-1)!) !== document.lines.length) return undefined;
  return { form: "v4a", text: envelope(`${v4aSection(path, hunks)}*** End of File\n`) };
};

/** The headers that tools write before the hunks of a unified diff. */
const withHead =
  (head: (path: string) => string) =>
  ({ path, document, hunks }: Draft): Call => ({
    form: "udiff",
    text: head(path) + udiffHunks(document, hunks),
  });

const gitHead = (path: string) =>
  `diff --git a/${path} b/${path}\nindex 3b18e51..9daeafb 100644\n--- a/${path}\n+++ b/${path}\n`;
const datedHead = (path: string) =>
  `--- ${path}\t2026-03-01 10:11:12.000000000 +0000\n+++ ${path}\t2026-03-02 09:00:00.000000000 +0000\n`;

const withFunctionNames = ({ path, document, hunks }: Draft): Call => {
  const names = hunks.map(({ at }) => enclosingLines(document, at).at(-1));
  let next = 0;
  const text = udiffHunks(document, hunks).replace(/^@@ -.* @@$/gm, (numbers) => {
    const at = names[next++];
    return at === undefined ? numbers : `${numbers} ${document.lines[at]!.trim().slice(0, 60)}`;
  });
  return { form: "udiff", text: gitHead(path) + text };
};

/** Find and replace without their common beginning and end, as long as the text occurs once. */
const withinLines = ({ path, document, hunks }: Draft): Call | undefined => {
  const text = textOf(document);
  const edits: Edit[] = [];
  for (const hunk of hunks) {
    const edit = shorten(editOf(hunk), text);
    if (!edit) return undefined;
    edits.push(edit);
  }
  return { form: "edit", path, edits };
};

function shorten({ find, replace }: Edit, text: string): Edit | undefined {
  let start = 0;
  while (start < Math.min(find.length, replace.length) && find[start] === replace[start]) start++;
  let end = 0;
  while (end < Math.min(find.length, replace.length) - start && find.at(-1 - end) === replace.at(-1 - end))
    end++;
  for (let margin = 1; margin <= 60; margin++) {
    const from = Math.max(0, start - margin);
    const behind = Math.max(0, end - margin);
    const short = {
      find: find.slice(from, find.length - behind),
      replace: replace.slice(from, replace.length - behind),
    };
    if (countIn(text, short.find) === 1) return short.find === find ? undefined : short;
  }
  return undefined;
}

/** The text begins after the indentation of its first line, as models often write it. */
const fromFirstWord = ({ path, document, hunks }: Draft): Call | undefined => {
  const text = textOf(document);
  const edits = hunks.map((hunk) => {
    const { find, replace } = editOf(hunk);
    const indent = /^[ \t]+/.exec(find)?.[0] ?? "";
    return hunk.lines[0]!.kind === "keep"
      ? { find: find.slice(indent.length), replace: replace.slice(indent.length) }
      : undefined;
  });
  const isFine = edits.every(
    (edit, index) => edit && countIn(text, edit.find) === 1 && edit.find !== editOf(hunks[index]!).find,
  );
  return isFine ? { form: "edit", path, edits: edits as Edit[] } : undefined;
};

/** Whole lines, including the last line end. */
const withLineEnd = ({ path, document, hunks }: Draft): Call | undefined => {
  if (endOf(hunks.at(-1)!) === document.lines.length) return undefined;
  return {
    form: "edit",
    path,
    edits: hunks.map((hunk) => {
      const { find, replace } = editOf(hunk);
      return {
        find: `${find}\n`,
        replace: oldLines(hunk).length > 0 && replace === "" ? "" : `${replace}\n`,
      };
    }),
  };
};

const deletion: Shape = (modification) =>
  modification.changes.every(({ added }) => added.length === 0) ? modification : undefined;

/** New text with characters that mean something to a regular expression, a shell or printf. */
const specialCharacters: Shape = (modification, random) => {
  const special = random.pick([
    " $& $1 $$ $`",
    " \\1 \\n \\\\ \\u0041",
    " & % %s {0} #{name}",
    " $' $<name> \\$&",
  ]);
  const changes = modification.changes.map((change) => ({
    ...change,
    added: change.added.map((line) => line + special),
  }));
  return changes.every(({ added }) => added.length > 0) ? { ...modification, changes } : undefined;
};

/** Plain quotes become typographic ones, or the reverse: a change like any other. */
const glyphChange: Shape = ({ changes: _, ...rest }, random) => {
  const { lines } = rest.document;
  const quoted = lines.flatMap((line, at) => (/\w'\w|"\w+"| - /.test(line) ? [at] : []));
  if (quoted.length === 0) return undefined;
  const at = random.pick(quoted);
  const added = lines[at]!.replace(/(\w)'(\w)/g, "$1’$2")
    .replace(/"(\w+)"/g, "“$1”")
    .replace(" - ", " – ");
  return { ...rest, changes: [{ at, removed: [lines[at]!], added: [added] }] };
};

/** A block moves to another depth, so only blanks change. */
const blankChange: Shape = ({ changes: _, ...rest }, random) => {
  const { lines } = rest.document;
  const indented = lines.flatMap((line, at) => (/^[ \t]+\S/.test(line) ? [at] : []));
  if (indented.length === 0) return undefined;
  const at = random.pick(indented);
  const removed = lines.slice(at, at + 1 + random.below(3));
  const step = lines[at]!.startsWith("\t") ? "\t" : "  ";
  const added = removed.map((line) => (line.trim() === "" ? line : step + line));
  return { ...rest, changes: [{ at, removed, added }] };
};

const everyOccurrence: TaskClass = {
  kind: "every occurrence of a word",
  category: "clean",
  forms: ["edit"],
  make({ path, document }, _, random) {
    const text = textOf(document);
    const words = [...new Set(text.match(/\b[A-Za-z_]{6,20}\b/g) ?? [])];
    if (words.length === 0) return undefined;
    const find = random.pick(words);
    const expectCount = text.split(find).length - 1;
    if (expectCount < 2 || expectCount > 40) return undefined;
    const replace = `${find}$&x`;
    const after = { ...document, lines: document.lines.map((line) => line.replaceAll(find, () => replace)) };
    const edit = { find, replace, all: true, ...(random.fraction() < 0.5 ? { expectCount } : {}) };
    return {
      call: { form: "edit", path, edits: [edit] },
      files: [{ path, before: encodeDocument(document), after: encodeDocument(after) }],
    };
  },
};

export const cleanClasses: readonly TaskClass[] = [
  cleanClass({ kind: "one change", shape: oneChange }),
  cleanClass({ kind: "several changes", shape: severalChanges }),
  cleanClass({ kind: "within lines", forms: ["edit"], write: withinLines }),
  cleanClass({ kind: "from the first word on", forms: ["edit"], write: fromFirstWord }),
  cleanClass({ kind: "whole lines with their end", forms: ["edit"], write: withLineEnd }),
  cleanClass({ kind: "deletion", shape: deletion }),
  everyOccurrence,
  cleanClass({ kind: "special characters in new text", shape: specialCharacters }),
  cleanClass({ kind: "change of glyphs", shape: glyphChange }),
  cleanClass({ kind: "change of blanks", shape: blankChange }),
  cleanClass({ kind: "with a header", forms: ["v4a"], write: withHeaders }),
  cleanClass({ kind: "end of file", forms: ["v4a"], shape: nearTheEnd, write: withEndOfFile }),
  cleanClass({ kind: "little context", forms: ["v4a", "udiff"], context: 1 }),
  cleanClass({ kind: "as git writes it", forms: ["udiff"], write: withHead(gitHead) }),
  cleanClass({ kind: "with dates, without a/ and b/", forms: ["udiff"], write: withHead(datedHead) }),
  cleanClass({ kind: "with function names", forms: ["udiff"], write: withFunctionNames }),
  cleanClass({ kind: "no final line end, said so", forms: ["udiff"], shape: withoutFinalLineEnd }),
];
