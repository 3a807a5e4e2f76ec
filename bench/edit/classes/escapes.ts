import { type Damage, type Draft, damagedClass, rewriting, type TaskClass } from "../draft.ts";

/** One level of escaping too many, as between JSON and JSON. */
function escapedQuotes(quote: '"' | "'"): Damage {
  const escapeAll = rewriting((text) => text.replaceAll(quote, `\\${quote}`));
  return (draft, random) =>
    hasBackslash(draft) || !isQuoted(draft, quote) ? undefined : escapeAll(draft, random);
}

const escapeLineEnds = rewriting((text) => {
  const joined = text.replaceAll("\n", "\\n");
  return joined === text ? text : joined.replaceAll("\t", "\\t");
});

const escapedLineEnds: Damage = (draft, random) =>
  hasBackslash(draft) ? undefined : escapeLineEnds(draft, random);

export const escapedOnce: Damage = rewriting((text) => JSON.stringify(text).slice(1, -1));

export const escapeClasses: readonly TaskClass[] = [
  damagedClass({ kind: "escaped double quotes", damage: [escapedQuotes('"')] }),
  damagedClass({ kind: "escaped single quotes", damage: [escapedQuotes("'")] }),
  damagedClass({ kind: "escaped line ends", damage: [escapedLineEnds] }),
  damagedClass({ kind: "escaped once too often", damage: [escapedOnce] }),
];

function hasBackslash({ hunks }: Draft): boolean {
  return hunks.some(({ lines }) => lines.some(({ text }) => text.includes("\\")));
}

/** Every hunk has a quote that can be compared with the file. */
function isQuoted({ hunks }: Draft, quote: string): boolean {
  return hunks.every(({ lines }) => lines.some(({ kind, text }) => kind !== "add" && text.includes(quote)));
}
