import { type Unit, unitsOf } from "./glyphs.ts";
import { indentationOf, isBlankLine, type TierName, trimTrailingBlanks } from "./tiers.ts";

/** How a text lies on a line of the file. */
export interface Alignment {
  readonly tier: TierName;
  /** Where in the file's line the wanted text begins or ends. */
  readonly at: number;
}

/** The wanted text is the end of the line. */
export function alignAtEnd(wanted: string, found: string): Alignment | undefined {
  if (found.endsWith(wanted)) return { tier: "exact", at: found.length - wanted.length };
  if (isBlankLine(wanted)) return { tier: "trailing-blanks", at: trimTrailingBlanks(found).length };
  const trimmed = trimTrailingBlanks(wanted);
  const trimmedFound = trimTrailingBlanks(found);
  const at = trimmedFound.length - trimmed.length;
  if (trimmedFound.endsWith(trimmed) && !cutsWord(trimmedFound, at)) return { tier: "trailing-blanks", at };
  const units = innerUnits(wanted);
  const foundUnits = withoutBlankEnd(unitsOf(found));
  return alignUnits(wanted, found, units, foundUnits, foundUnits.length - units.length)?.begin;
}

export function cutsWord(line: string, at: number): boolean {
  return at > 0 && /^\w\w$/.test(line.slice(at - 1, at + 1));
}

/** The wanted text is the beginning of the line. */
export function alignAtStart(wanted: string, found: string): Alignment | undefined {
  if (found.startsWith(wanted)) return { tier: "exact", at: wanted.length };
  const indentation = indentationOf(found).length;
  if (isBlankLine(wanted)) return { tier: "indentation", at: indentation };
  const trimmed = trimTrailingBlanks(wanted);
  if (trimTrailingBlanks(found) === trimmed) return { tier: "trailing-blanks", at: found.length };
  const units = innerUnits(wanted);
  const foundUnits = unitsOf(found);
  return alignUnits(wanted, found, units, foundUnits, foundUnits[0]?.key === " " ? 1 : 0)?.end;
}

/** The wanted text is somewhere in the line, often perhaps. */
export function alignInside(wanted: string, found: string): readonly { begin: Alignment; end: Alignment }[] {
  const units = innerUnits(wanted);
  const foundUnits = unitsOf(found);
  return foundUnits.flatMap((_, from) => alignUnits(wanted, found, units, foundUnits, from) ?? []);
}

/**
 * Lays the wanted units on the line's units from `from` on. Blanks at the edges of the wanted text need blanks in the
 * line, or the line's own edge.
 */
function alignUnits(
  wanted: string,
  found: string,
  units: readonly Unit[],
  foundUnits: readonly Unit[],
  from: number,
): { begin: Alignment; end: Alignment } | undefined {
  if (from < 0 || from + units.length > foundUnits.length || units.length === 0) return undefined;
  let isSpelledAlike = true;
  for (let index = 0; index < units.length; index += 1) {
    if (units[index]!.key !== foundUnits[from + index]!.key) return undefined;
    isSpelledAlike &&= units[index]!.text === foundUnits[from + index]!.text;
  }
  const tier = isSpelledAlike ? "indentation" : "glyphs";
  const before = foundUnits[from - 1];
  const after = foundUnits[from + units.length];
  const startsLine = before === undefined || (from === 1 && before.key === " ");
  const endsLine =
    after === undefined || (after.key === " " && from + units.length === foundUnits.length - 1);
  const leading = /^\s/.test(wanted);
  const trailing = /\s$/.test(wanted);
  if (leading && !startsLine && before?.key !== " ") return undefined;
  if (trailing && !endsLine && after?.key !== " ") return undefined;
  const begin = startsLine ? 0 : leading ? before!.at : foundUnits[from]!.at;
  const last = foundUnits[from + units.length - 1]!;
  const end = trailing && after ? after.at + after.text.length : last.at + last.text.length;
  const midLine = !startsLine && leading && before!.text !== indentationOf(wanted);
  return {
    begin: { tier: midLine ? "glyphs" : tier, at: begin },
    end: { tier, at: Math.min(end, found.length) },
  };
}

/** The units of a text without the blanks around it. */
function innerUnits(text: string): readonly Unit[] {
  const units = withoutBlankEnd(unitsOf(text));
  return units[0]?.key === " " ? units.slice(1) : units;
}

function withoutBlankEnd(units: readonly Unit[]): readonly Unit[] {
  return units.at(-1)?.key === " " ? units.slice(0, -1) : units;
}
