/** A line with its blanks made visible: `·` for a space, `→` for a tab, codes for what looks like something else. */
export function visible(line: string): string {
  return line.replace(/[\s\S]/gu, (character) => {
    if (character === " ") return "·";
    if (character === "\t") return "→";
    return unclear.test(character) ? `<U+${hex(character)}>` : character;
  });
}

/** Both lines from shortly before they begin to differ, so that long ones stay readable. */
export function visibleDifference(wanted: string, found: string): { wanted: string; found: string } {
  let same = 0;
  while (same < wanted.length && wanted[same] === found[same]) same += 1;
  const start = same > maxShown / 2 ? same - maxShown / 4 : 0;
  const show = (line: string) => {
    const part = line.slice(start, start + maxShown);
    return `${start > 0 ? "…" : ""}${visible(part)}${start + maxShown < line.length ? "…" : ""}`;
  };
  return { wanted: show(wanted), found: show(found) };
}

const maxShown = 160;

/** Control characters, blanks other than space and tab, marks on their own, quotes and dashes that are not ASCII. */
const unclear = /[\p{C}\p{Z}\p{M}‘’‚‛′“”„‟″‐‑‒–—―−]/u;

function hex(character: string): string {
  return character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
}
