import type { Random } from "../../data/random.ts";
import { type Document, encodeDocument, replaceLines, textOf } from "../document.ts";
import { allForms, draftOf, rewriteCall, type TaskClass, type TaskParts } from "../draft.ts";
import { type Hunk, mapLines, oldLines } from "../hunk.ts";
import { countIn, findWindows, fold } from "../oracle.ts";
import { oneChange } from "../shapes.ts";
import type { Form } from "../task.ts";
import { writeCall } from "../write-call.ts";
import { findRepeated, repeatAtEnd } from "./decided.ts";
import { quotes } from "./glyphs.ts";
import { aged } from "./stale.ts";
import { indentOf } from "./whitespace.ts";

/** Calls that fit more than one position. */
const twice: TaskClass = {
  kind: "text occurs twice",
  category: "refuse",
  forms: allForms,
  make(given, form, random) {
    const found = findRepeated(given) ?? repeatAtEnd(given, random);
    return found && refused(found.path, found.document, [found.hunk], form);
  },
};

const overlapping: TaskClass = {
  kind: "text overlaps itself",
  category: "refuse",
  forms: ["edit"],
  make({ path, document }, _, random) {
    const text = textOf(document);
    const runs = text.match(/([=*#/-])\1{3,}|(?:\n[ \t]*\}){3,}/g) ?? [];
    const run = runs.length > 0 ? random.pick(runs) : "";
    const find = /^\n/.test(run) ? repeatedEnd(run) : run.slice(0, -1);
    if (find === "" || countIn(text, find) < 2 || text.split(find).length !== 2) return undefined;
    return {
      call: { form: "edit", path, edits: [{ find, replace: `${find[0]}x` }] },
      files: [untouched(path, document)],
    };
  },
};

/** The first two lines of "\n}\n}\n}", where all lines are the same. */
function repeatedEnd(run: string): string {
  const lines = run.slice(1).split("\n");
  return new Set(lines).size === 1 ? `\n${lines.slice(0, -1).join("\n")}` : "";
}

const wrongCount: TaskClass = {
  kind: "other number of occurrences than expected",
  category: "refuse",
  forms: ["edit"],
  make({ path, document }, _, random) {
    const text = textOf(document);
    const words = [...new Set(text.match(/\b[A-Za-z_]{6,20}\b/g) ?? [])];
    const find = words.length > 0 ? random.pick(words) : "";
    const count = text.split(find).length - 1;
    if (find === "" || count > 40) return undefined;
    const expectCount = count === 1 ? 2 : count + random.pick([-1, 1, 2]);
    return {
      call: { form: "edit", path, edits: [{ find, replace: `${find}New`, all: true, expectCount }] },
      files: [untouched(path, document)],
    };
  },
};

/** The block occurs twice, slightly changed each time, and the call has neither version. */
function lookalikes(kind: string, vary: Vary): TaskClass {
  return {
    kind,
    category: "refuse",
    forms: allForms,
    make(given, form, random) {
      const draft = draftOf(oneChange(given, random)!, form, 2);
      const [hunk] = draft?.hunks ?? [];
      if (!draft || !hunk || oldLines(hunk).length < 3) return undefined;
      const blocks = vary(hunk, draft.document, random);
      if (!blocks) return undefined;
      const document = withCopy(draft.document, hunk, blocks.here, blocks.there, random);
      const call = [blocks.call ?? hunk];
      if (findWindows(document.lines, oldLines(call[0]!)).length > 0) return undefined;
      if (form === "edit" && countIn(textOf(document), oldLines(call[0]!).join("\n")) > 0) return undefined;
      return refused(draft.path, document, call, form);
    },
  };
}

type Vary = (
  hunk: Hunk,
  document: Document,
  random: Random,
) => { here: readonly string[]; there: readonly string[]; call?: Hunk } | undefined;

/** Each position differs from the call in one context line. */
const equallyClose: Vary = (hunk, document, random) => {
  const old = hunk.lines.filter(({ kind }) => kind !== "add");
  const context = old.flatMap(({ kind, text }, index) =>
    kind === "keep" && /[A-Za-z_]{4,}/.test(text) ? [index] : [],
  );
  if (context.length === 0) return undefined;
  const at = random.pick(context);
  const vary = () => old.map(({ text }, index) => (index === at ? aged(text, { document }, random) : text));
  const here = vary();
  const there = vary();
  return here[at] === there[at] ? undefined : { here, there };
};

/** The two positions differ only in indentation, and the call has a third one. */
const otherIndentation: Vary = (hunk, _, random) => {
  const old = oldLines(hunk);
  const indent = (by: string) => (line: string) => (line.trim() === "" ? line : by + line);
  const [here, there, called] = random.pick([
    ["", "    ", "  "],
    ["", "  ", "    "],
    ["", "\t\t", "\t"],
    ["    ", "        ", ""],
  ] as const);
  if (old.every((line) => indentOf(line) === line)) return undefined;
  return {
    here: old.map(indent(here)),
    there: old.map(indent(there)),
    call: mapLines(hunk, ({ text }) => indent(called)(text)),
  };
};

/** The two positions differ in their quotes, and the call has others. */
const otherQuotes: Vary = (hunk, _, random) => {
  const old = oldLines(hunk);
  const at = old.findIndex((line) => /["']/.test(line));
  if (at === -1) return undefined;
  const vary = () =>
    old.map((line, index) =>
      index === at ? line.replace(/["']/, (plain) => quotes.pick(plain, random)) : line,
    );
  const [here, there] = [vary(), vary()];
  return { here, there };
};

/** The two positions differ in trailing blanks, and the call has none. */
const otherTrailingBlanks: Vary = (hunk, _, random) => {
  const old = oldLines(hunk);
  const vary = (blanks: string) =>
    old.map((line, index) => (index === 0 && line !== "" ? line + blanks : line));
  if (old[0]!.trim() === "" || old[0] !== old[0]!.trimEnd()) return undefined;
  return random.fraction() < 0.5
    ? { here: vary(" "), there: vary("  ") }
    : { here: vary("  "), there: vary("  ") };
};

/** Inserts a copy of a block after the block itself. */
function withCopy(
  document: Document,
  hunk: Hunk,
  here: readonly string[],
  there: readonly string[],
  random: Random,
): Document {
  const changed = replaceLines(document, new Map(here.map((line, index) => [hunk.at + index, line])));
  const after = hunk.at + here.length;
  const at = after + random.below(changed.lines.length - after + 1);
  const copy = ["", ...there, ""];
  return {
    ...changed,
    lines: [...changed.lines.slice(0, at), ...copy, ...changed.lines.slice(at)],
    ends: [
      ...changed.ends.slice(0, at).map((end) => end || "\n"),
      ...copy.map(() => "\n"),
      ...changed.ends.slice(at),
    ],
  };
}

function refused(
  path: string,
  document: Document,
  hunks: readonly Hunk[],
  form: Form,
): TaskParts | undefined {
  const call = writeCall(form, path, document, hunks);
  // Correct line numbers would decide.
  const vague = rewriteCall(call, [
    (text, role) => (role === "patch" ? text.replace(/^@@ -.*@@$/gm, "@@ @@") : text),
  ]);
  const old = hunks.flatMap(oldLines);
  return fold(old.join("")).length < 3 ? undefined : { call: vague, files: [untouched(path, document)] };
}

function untouched(path: string, document: Document) {
  return { path, before: encodeDocument(document), after: undefined };
}

export const ambiguousClasses: readonly TaskClass[] = [
  twice,
  overlapping,
  wrongCount,
  lookalikes("two places equally close", equallyClose),
  lookalikes("two places that differ in indentation", otherIndentation),
  lookalikes("two places that differ in quotes", otherQuotes),
  lookalikes("two places that differ in trailing blanks", otherTrailingBlanks),
];
