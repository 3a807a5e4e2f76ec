import type { SyntaxFault } from "../../contract/code.ts";

/**
 * A fault with the line it is in, and the place marked below:
 *
 *   12:9: missing `)`
 *   12 | let a = f(1;
 *      |            ^
 */
export function showFault(text: string, fault: SyntaxFault): string {
  const { line, column, message } = fault;
  const content = text.split("\n", line)[line - 1]?.replace(/\r$/, "") ?? "";
  const at = unitsOf(content, column - 1);
  const from = at > maxBefore ? at - maxBefore : 0;
  const shown = content.slice(from, from + maxShown);
  const cut = from > 0 ? "…" : "";
  const gutter = " ".repeat(`${line}`.length);
  // Tabs stay, so that the mark stands below its place however wide they are.
  const blanks = (cut + content.slice(from, at)).replace(/[^\t]/g, " ");
  return [
    `${line}:${column}: ${message}`,
    `${line} | ${cut}${shown}${from + maxShown < content.length ? "…" : ""}`,
    `${gutter} | ${blanks}^`,
  ].join("\n");
}

const maxBefore = 100;
const maxShown = 160;

/** UTF-16 units of so many characters. */
function unitsOf(line: string, characters: number): number {
  let units = 0;
  for (let count = 0; count < characters && units < line.length; count += 1)
    units += line.codePointAt(units)! > 0xffff ? 2 : 1;
  return units;
}
