import { brokenByte, type Encoding, replaceLines } from "../document.ts";
import { type Damage, damagedClass, type TaskClass } from "../draft.ts";
import { oldLines } from "../hunk.ts";
import { asciiOnly } from "../shapes.ts";
import { changeSome } from "./whitespace.ts";

function encodedAs(encoding: Encoding): Damage {
  return (draft) => ({ ...draft, document: { ...draft.document, encoding } });
}

/** Inserts a text after a line that the call does not contain. */
function farAway(addition: string): Damage {
  return (draft, random) => {
    const near = draft.hunks.flatMap((hunk) => oldLines(hunk).map((_, index) => hunk.at + index));
    const far = draft.document.lines.flatMap((line, at) => (near.includes(at) || line === "" ? [] : [at]));
    if (far.length === 0) return undefined;
    const at = random.pick(far);
    const lines = new Map([[at, draft.document.lines[at]! + addition]]);
    return { ...draft, document: replaceLines(draft.document, lines) };
  };
}

/** Inserts a text after a context line, in the file and in the call. */
function inContext(addition: string): Damage {
  return (draft) => {
    const lines = new Map<number, string>();
    const changed = changeSome(draft, ({ kind, text }, position) => {
      if (kind !== "keep" || text === "" || lines.size > 0) return text;
      lines.set(position, text + addition);
      return text + addition;
    });
    return changed && { ...changed, document: replaceLines(draft.document, lines) };
  };
}

/** Inserts a text after an added line. */
function inAddedLine(addition: string): Damage {
  return (draft) => {
    const change = draft.changes.find(({ added }) => added.some((line) => line !== ""));
    const line = change?.added.find((each) => each !== "");
    if (change === undefined || line === undefined) return undefined;
    const lengthen = (text: string) => (text === line ? text + addition : text);
    return {
      ...draft,
      changes: draft.changes.map((each) => ({ ...each, added: each.added.map(lengthen) })),
      hunks: draft.hunks.map((hunk) => ({
        ...hunk,
        lines: hunk.lines.map((each) =>
          each.kind === "add" ? { ...each, text: lengthen(each.text) } : each,
        ),
      })),
    };
  };
}

const latin1 = encodedAs("latin1");
// "中文" in GBK. Decoded as Latin-1, these are four letters with accents.
const gbkBytes = "\u00d6\u00d0\u00ce\u00c4";

export const encodingClasses: readonly TaskClass[] = [
  damagedClass({
    kind: "Latin-1 file, accents elsewhere",
    shape: asciiOnly,
    damage: [latin1, farAway(" déjà vu")],
  }),
  damagedClass({
    kind: "Latin-1 file, accents in context",
    shape: asciiOnly,
    damage: [latin1, inContext(" déjà vu")],
  }),
  damagedClass({
    kind: "Latin-1 file, accents in new lines",
    shape: asciiOnly,
    damage: [latin1, farAway(" größer"), inAddedLine(" señor")],
  }),
  damagedClass({
    kind: "GBK file, Chinese elsewhere",
    shape: asciiOnly,
    damage: [latin1, farAway(` ${gbkBytes}`)],
  }),
  damagedClass({
    kind: "UTF-8 file with a broken byte elsewhere",
    shape: asciiOnly,
    damage: [encodedAs("utf-8 with a broken byte"), farAway(` naïve ${brokenByte}`)],
  }),
  damagedClass({ kind: "UTF-16 LE file", damage: [encodedAs("utf-16le with mark")] }),
  damagedClass({ kind: "UTF-16 BE file", damage: [encodedAs("utf-16be with mark")] }),
  damagedClass({ kind: "UTF-16 LE file without mark", shape: asciiOnly, damage: [encodedAs("utf-16le")] }),
];
