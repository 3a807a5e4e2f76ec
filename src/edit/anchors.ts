import { ToolError } from "../contract/error.ts";
import { fingerprint } from "../lib/bytes/content-hash.ts";
import { byteOrderMarkLength, decodeText, encodingOf } from "../lib/text/encoding.ts";
import { characterStart } from "../lib/text/truncate.ts";

/**
 * Line anchors, `12:k3f9`: the number of a line and a hash of its number, its text and the lines above and below it. The
 * hash has 20 bits, so a changed line has the hash of the old one in 1 of 1,048,576 cases. An edit compares the lines
 * with those that the caller has seen, too.
 */
export interface Anchor {
  readonly line: number;
  readonly hash: string;
}

/** Digits and letters, without i, l, o and u, which are mistaken for others. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Returns the hash of line `number` if `lines[index]` were that line. */
export function anchorHash(lines: readonly string[], index: number, number: number = index + 1): string {
  const around = [lines[index - 1] ?? "\n", lines[index], lines[index + 1] ?? "\n"];
  const bits = Number.parseInt(fingerprint(`${number}\n${around.join("\n")}`).slice(0, 5), 16);
  return [15, 10, 5, 0].map((shift) => alphabet[(bits >> shift) & 31]).join("");
}

/** Returns the anchor in a text, which may be a whole line as it was shown: `12:k3f9|text`. */
export function parseAnchor(text: string): Anchor | undefined {
  const match = /^\s*(\d{1,9}):([0-9a-z]{4})\s*(?:\|.*)?$/is.exec(text);
  return match ? { line: Number(match[1]), hash: match[2]!.toLowerCase() } : undefined;
}

/** Returns the lines of a text without their line ends. Only a line feed ends a line, as in `file.read`. */
export function textLines(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (lines.at(-1) === "" && (text === "" || text.endsWith("\n"))) lines.pop();
  return lines;
}

/** The lines of a file as `file.read` shows them. */
export interface AnchoredText {
  readonly lines: readonly string[];
  /** Returns the lines of a part of the file. */
  decode(bytes: Uint8Array): readonly string[];
}

export function anchoredText(path: string, bytes: Uint8Array): AnchoredText {
  const encoding = encodingOf(bytes);
  if (encoding === "binary")
    throw new ToolError("unsupported", `${path} is a binary file and has no lines`, {
      hint: "Change it with edit.replace or a command.",
    });
  const decode = (part: Uint8Array) => textLines(decodeText(part, encoding).text);
  return { lines: decode(bytes.subarray(byteOrderMarkLength(bytes))), decode };
}

/** A range of lines, counted from 1, both ends included. */
export interface Lines {
  readonly first: number;
  readonly last: number;
}

/** Shows lines with their anchors. Long ones are cut. */
export function showAnchored(lines: readonly string[], { first, last }: Lines): readonly string[] {
  return lines.slice(first - 1, last).map((line, index) => {
    const text = line.length > maxLineChars ? `${line.slice(0, characterStart(line, maxLineChars))}…` : line;
    return `${first + index}:${anchorHash(lines, first - 1 + index)}|${text}`;
  });
}

const maxLineChars = 500;

/** Joins ranges that touch, keeps them inside a file of `count` lines, and drops what is too much to show. */
export function joinLines(wanted: readonly Lines[], count: number): readonly Lines[] {
  const joined: { first: number; last: number }[] = [];
  let left = maxShownLines;
  for (const range of wanted.toSorted((one, other) => one.first - other.first)) {
    // A range behind the end of the file shows its last lines.
    const first = Math.max(1, Math.min(range.first, count - 3));
    const previous = joined.at(-1);
    const begin = previous ? Math.max(first, previous.last + 1) : first;
    const end = Math.min(range.last, count, begin + left - 1);
    if (end < begin) continue;
    left -= end - begin + 1;
    if (previous && begin === previous.last + 1) previous.last = end;
    else joined.push({ first: begin, last: end });
  }
  return joined;
}

const maxShownLines = 80;
