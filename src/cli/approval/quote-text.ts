import { printable } from "../../lib/printable.ts";

/**
 * Text of others for a person who decides on it: every line of the screen begins with our mark, so that nothing in it
 * can be taken for words of ours, however long its lines are and whatever they hold.
 */
export function quoteText(text: string, columns: number): readonly string[] {
  return printable(text)
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .flatMap((line) => wrap(line, columns - quoteMark.length))
    .map((line) => `${quoteMark}${line}`);
}

export const quoteMark = "  | ";

/** A line cut into pieces that fit the screen. */
export function wrap(line: string, columns: number): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  let width = 0;
  for (const character of line.replaceAll("\t", "    ")) {
    const more = widthOf(character);
    if (width + more > columns && piece !== "") {
      pieces.push(piece);
      piece = "";
      width = 0;
    }
    piece += character;
    width += more;
  }
  return [...pieces, piece];
}

/** Nobody knows how wide a terminal draws what is not ASCII, but never wider than this. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += character < "\u007f" ? 1 : 2;
  return width;
}
