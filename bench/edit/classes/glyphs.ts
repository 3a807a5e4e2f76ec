import { Random } from "../../data/random.ts";
import { type Change, replaceLines } from "../document.ts";
import { type Damage, type Draft, damagedClass, type TaskClass } from "../draft.ts";
import { type HunkLine, isRepeated, mapLines, positions } from "../hunk.ts";
import { fold } from "../oracle.ts";
import { changeSome } from "./whitespace.ts";

/** Plain characters, and the variants that word processors, chats and models write. */
export const quotes: Glyphs = {
  pattern: /["']/g,
  pick: (plain, random) => (plain === '"' ? random.pick(["“", "”"]) : random.pick(["’", "’", "‘"])),
};
const dashes: Glyphs = {
  pattern: /-/g,
  pick: (_, random) => random.pick(["–", "—", "−", "‑", "‐"]),
};
/** Only blanks inside a line: at its beginning they are indentation. */
const spaces: Glyphs = {
  pattern: /(?<=\S) (?=\S)/g,
  margin: 1,
  pick: (_, random) => random.pick(["\u00a0", "\u00a0", "\u202f", "\u2009", "\u2003", "\u3000"]),
};

export interface Glyphs {
  readonly pattern: RegExp;
  /** How far from a changed character a glyph stays unchanged. Default: next to it. */
  readonly margin?: number;
  readonly pick: (plain: string, random: Random) => string;
}

/** The call has the glyphs in the lines that it finds, and not in those that it adds. */
export function inFoundLines(glyphs: Glyphs): Damage {
  return (draft, random) => {
    if (changesGlyphsOnly(draft)) return undefined;
    return changeSome(draft, ({ kind, text }) => (kind === "add" ? text : embellish(text, glyphs, random)));
  };
}

/** The call has the glyphs wherever it repeats words of the file, also in added lines. The file's own glyphs stay. */
export function throughout(glyphs: Glyphs): Damage {
  return (draft, random) => {
    if (changesGlyphsOnly(draft)) return undefined;
    const seed = random.below(2 ** 31);
    const repeated = repeatedParts(draft.changes);
    return changeSome(draft, ({ kind, text }, position) => {
      const parts = repeated(kind, text, position);
      return parts === undefined ? text : embellishParts(text, parts, glyphs, seed);
    });
  };
}

/** The file has the glyphs, and the call has plain characters everywhere. */
function inTheFile(glyphs: Glyphs): Damage {
  return (draft, random) => {
    if (changesGlyphsOnly(draft)) return undefined;
    const seed = random.below(2 ** 31);
    const repeated = repeatedParts(draft.changes);
    const lines = new Map<number, string>();
    const added: string[] = [];
    for (const hunk of draft.hunks) {
      const at = positions(hunk);
      const beautified = mapLines(hunk, (line, position) => {
        const { kind, text } = line;
        const parts = isRepeated(hunk, line) ? undefined : repeated(kind, text, position);
        return parts === undefined ? text : embellishParts(text, parts, glyphs, seed);
      });
      beautified.lines.forEach(({ kind, text }, index) => {
        if (kind === "add") added.push(text);
        else if (text !== hunk.lines[index]!.text) lines.set(at[index]!, text);
      });
    }
    if (lines.size === 0) return undefined;
    const changes = draft.changes.map((change) => ({
      ...change,
      added: change.added.map(() => added.shift()!),
    }));
    return { ...draft, document: replaceLines(draft.document, lines), changes };
  };
}

export const glyphClasses: readonly TaskClass[] = [
  damagedClass({ kind: "typographic quotes in the lines to find", damage: [inFoundLines(quotes)] }),
  damagedClass({ kind: "typographic quotes all over the call", damage: [throughout(quotes)] }),
  damagedClass({ kind: "typographic quotes in the file", damage: [inTheFile(quotes)] }),
  damagedClass({ kind: "typographic dashes in the lines to find", damage: [inFoundLines(dashes)] }),
  damagedClass({ kind: "typographic dashes in the file", damage: [inTheFile(dashes)] }),
  damagedClass({ kind: "odd spaces in the lines to find", damage: [inFoundLines(spaces)] }),
  damagedClass({ kind: "odd spaces in the file", damage: [inTheFile(spaces)] }),
];

type Parts = readonly [prefix: number, suffix: number];

/**
 * Returns how much of a line the other side of the call repeats, from its start and from its end. Context and removed
 * lines are repeated whole; a changed line is repeated up to the difference. Undefined where it is unclear which line
 * becomes which.
 */
function repeatedParts(changes: readonly Change[]) {
  const partners = new Map<string, Parts | undefined>();
  const whole: Parts = [Number.POSITIVE_INFINITY, 0];
  for (const { at, removed, added } of changes) {
    const isPaired = removed.length === added.length && new Set(added).size === added.length;
    removed.forEach((line, index) => {
      const partner = isPaired ? added[index]! : undefined;
      const parts = partner === undefined ? undefined : commonParts(line, partner);
      partners.set(`remove ${at + index} ${line}`, added.length === 0 ? whole : parts);
      if (partner !== undefined) partners.set(`add ${at + removed.length} ${partner}`, parts);
    });
  }
  return (kind: HunkLine["kind"], text: string, position: number): Parts | undefined => {
    if (kind === "keep") return whole;
    return partners.get(`${kind} ${position} ${text}`);
  };
}

function commonParts(before: string, after: string): Parts | undefined {
  const shorter = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < shorter && before[prefix] === after[prefix]) prefix++;
  let suffix = 0;
  while (suffix < shorter - prefix && before.at(-1 - suffix) === after.at(-1 - suffix)) suffix++;
  const isSameLine = prefix + suffix >= 0.6 * Math.max(before.length, after.length);
  return isSameLine ? [prefix, suffix] : undefined;
}

/**
 * Uses the same glyph on both sides: the choice depends on the distance to the nearer end, which both sides share.
 */
function embellishParts(text: string, [prefix, suffix]: Parts, glyphs: Glyphs, seed: number): string {
  const { pattern, pick, margin = 0 } = glyphs;
  return text.replace(pattern, (plain, offset: number) => {
    if (offset + margin < prefix) return pick(plain, new Random(seed + offset));
    const fromEnd = text.length - offset;
    return fromEnd + margin <= suffix ? pick(plain, new Random(seed - fromEnd)) : plain;
  });
}

function embellish(text: string, { pattern, pick }: Glyphs, random: Random): string {
  return text.replace(pattern, (plain) => (random.fraction() < 0.7 ? pick(plain, random) : plain));
}

/** A change of only glyphs cannot be distinguished from damaged glyphs. */
function changesGlyphsOnly({ changes }: Draft): boolean {
  return changes.some(({ removed, added }) => {
    const gone = new Set(removed.map(fold));
    return added.some((line) => gone.has(fold(line)));
  });
}
