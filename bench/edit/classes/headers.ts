import type { Random } from "../../data/random.ts";
import { type Damage, type Draft, damagedClass, type TaskClass } from "../draft.ts";
import { fold } from "../oracle.ts";
import { enclosingLines, isSingle } from "../scopes.ts";
import { severalChanges } from "../shapes.ts";

/** Adds `@@ header` lines before each hunk. */
function headed(headersFor: (draft: Draft, index: number, random: Random) => string[] | undefined): Damage {
  return (draft, random) => {
    const headers = draft.hunks.map((_, index) => headersFor(draft, index, random));
    if (headers.some((each) => each === undefined)) return undefined;
    let next = 0;
    return {
      ...draft,
      rewrites: [
        ...draft.rewrites,
        (text) => text.replace(/^@@$/gm, () => headers[next++ % headers.length]!.join("\n")),
      ],
    };
  };
}

const nested = headed(({ document, hunks }, index) => {
  const enclosing = enclosingLines(document, hunks[index]!.at);
  if (enclosing.length < 2) return undefined;
  return [enclosing[1]!, enclosing[0]!].map((at) => `@@ ${document.lines[at]!.trim()}`);
});

/** Every hunk of a block has the same header, although the header is above the first one only. */
const repeated: Damage = (draft, random) => {
  const [first, ...others] = draft.hunks.map(({ at }) => enclosingLines(draft.document, at));
  const shared = first?.find((at) => others.every((each) => each.includes(at)));
  if (shared === undefined) return undefined;
  return headed(({ document }) => [`@@ ${document.lines[shared]!}`])(draft, random);
};

/** The header repeats the first line of the hunk. */
const alsoContext = headed(({ document, hunks }, index) => {
  const { at, lines } = hunks[index]!;
  return lines[0]!.kind === "keep" && fold(lines[0]!.text).length > 5 && isSingle(document, at)
    ? [`@@ ${lines[0]!.text}`]
    : undefined;
});

const notInTheFile = headed(({ document }, _, random) => {
  const header = random.pick([
    "def handle_request(self, request):",
    "function applySettings(options) {",
    "class RequestContext:",
    "## Getting started with it",
  ]);
  return document.lines.some((line) => fold(line).includes(fold(header))) ? undefined : [`@@ ${header}`];
});

const abbreviated = headed(({ document, hunks }, index) => {
  const [at] = enclosingLines(document, hunks[index]!.at);
  const line = at === undefined ? "" : document.lines[at]!.trim();
  const short = line.slice(0, Math.max(line.search(/[({:=]/), Math.floor(line.length * 0.6))).trimEnd();
  return short.length < 5 || short === line ? undefined : [`@@ ${short}`];
});

/** A line that is in the file, but below the hunk. */
const fromElsewhere = headed(({ document, hunks }, index, random) => {
  const after = hunks[index]!.at + hunks[index]!.lines.length;
  const below = document.lines.flatMap((line, at) => (at > after && /\w{4}/.test(line) ? [at] : []));
  if (below.length === 0) return undefined;
  const at = random.pick(below);
  return isSingle(document, at) ? [`@@ ${document.lines[at]!}`] : undefined;
});

const closed = headed(({ document, hunks }, index) => {
  const [at] = enclosingLines(document, hunks[index]!.at);
  return at === undefined ? undefined : [`@@ ${document.lines[at]!.trim()} @@`];
});

/** The header is indented differently than in the file. */
const trimmed = headed(({ document, hunks }, index) => {
  const at = enclosingLines(document, hunks[index]!.at).find((each) => /^\s/.test(document.lines[each]!));
  return at === undefined ? undefined : [`@@ ${document.lines[at]!.trim()}`];
});

const v4a = ["v4a"] as const;

export const headerClasses: readonly TaskClass[] = [
  damagedClass({ kind: "headers nested", forms: v4a, damage: [nested] }),
  damagedClass({ kind: "header repeated", forms: v4a, shape: severalChanges, damage: [repeated] }),
  damagedClass({ kind: "header that is context too", forms: v4a, damage: [alsoContext] }),
  damagedClass({ kind: "header not in the file", forms: v4a, damage: [notInTheFile] }),
  damagedClass({ kind: "header abbreviated", forms: v4a, damage: [abbreviated] }),
  damagedClass({ kind: "header of another place", category: "either", forms: v4a, damage: [fromElsewhere] }),
  damagedClass({ kind: "header closed by @@", forms: v4a, damage: [closed] }),
  damagedClass({ kind: "header without its indentation", forms: v4a, damage: [trimmed] }),
];
