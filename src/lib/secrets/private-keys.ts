import type { Secret } from "./secret.ts";

const kind = "private key";
const border = /-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/**
 * Returns the lines of private keys, even without their beginning or end, and with line numbers or file names before
 * them.
 */
export function findPrivateKeys(text: string): readonly Secret[] {
  if (!hasPrivateKey(text)) return [];
  const borders: Border[] = [];
  for (const { 0: mark, 1: what, index } of text.matchAll(border)) {
    borders.push({ begins: what === "BEGIN", start: index, end: index + mark.length });
  }
  const found: Secret[] = [];
  for (const [index, { begins, start, end }] of borders.entries()) {
    const before = borders[index - 1];
    const next = borders[index + 1];
    if (begins && next?.begins === false) append(found, linesBetween(text, end, next.start));
    else if (begins) append(found, cutAtEnd(text, end, next?.start ?? text.length));
    else if (!before?.begins) append(found, cutAtStart(text, before?.end ?? 0, start));
  }
  return found;
}

/** Returns false only for a text without such lines. */
export function hasPrivateKey(text: string): boolean {
  // The search text starts with "V", a rare letter, which makes the search cheap.
  return text.includes("VATE KEY");
}

interface Border {
  readonly begins: boolean;
  readonly start: number;
  readonly end: number;
}

/** Appends one by one, because spreading many secrets into a call would overflow the stack. */
function append(all: Secret[], more: readonly Secret[]): void {
  for (const secret of more) all.push(secret);
}

/** Finds the parts of a complete key, which may be on one line with `\n` for its line ends. */
function linesBetween(text: string, from: number, until: number): readonly Secret[] {
  const between = text.slice(from, until);
  if (!between.includes("\n")) return escapedPart.test(between) ? [{ kind, start: from, end: until }] : [];
  return asOne(linesOf(text, from, until).flatMap((line) => partOf(line, anyPart) ?? []));
}

function cutAtEnd(text: string, from: number, until: number): readonly Secret[] {
  const [first, ...lines] = linesOf(text, from, until);
  const escaped = escapedPart.exec(first?.text ?? "")?.[0];
  if (escaped !== undefined) return [{ kind, start: from, end: from + escaped.length }];
  const found: Secret[] = [];
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1;
    const part = partOf(line, isLast && found.length > 0 ? anyPart : wholePart);
    if (part !== undefined) found.push(part);
    else if (!isHeader(line.text)) break;
  }
  return asOne(found);
}

function cutAtStart(text: string, from: number, until: number): readonly Secret[] {
  const found: Secret[] = [];
  const lines = linesOf(text, from, until).slice(0, -1).reverse();
  for (const [index, line] of lines.entries()) {
    const part = partOf(line, index === 0 ? anyPart : wholePart);
    if (part === undefined) break;
    found.push(part);
  }
  return asOne(found.reverse());
}

interface Line {
  readonly start: number;
  readonly text: string;
}

/** Splits a part of a text into lines. Searches only this part for line ends, because the text may be very long. */
function linesOf(text: string, from: number, until: number): readonly Line[] {
  let start = from;
  return text
    .slice(from, until)
    .split("\n")
    .map((line) => {
      const at = start;
      start += line.length + 1;
      return { start: at, text: line };
    });
}

/** The least number of letters in a line of a key: in any line, and in one that is not the last. */
const anyPart = 1;
const wholePart = 16;
const escapedPart = /^(?:\\n|\\r|[A-Za-z0-9+/=]){16,}/;
const letter = /[A-Za-z0-9+/]/;
const afterLetters = /["',\\n\r\s]/;

/** Finds the letters at the end of a line. Searches backwards, because a regex would restart at each letter. */
function partOf({ start, text }: Line, least: number): Secret | undefined {
  if (isHeader(text)) return undefined;
  let end = text.length;
  while (end > 0 && afterLetters.test(text[end - 1]!)) end -= 1;
  let padding = end;
  while (text[padding - 1] === "=") padding -= 1;
  let from = padding;
  while (from > 0 && letter.test(text[from - 1]!)) from -= 1;
  if (padding - from < least) return undefined;
  // An "n" may have been a letter of the key.
  while (end < text.length && letter.test(text[end]!)) end += 1;
  return { kind, start: start + from, end: start + end };
}

/** Recognizes a header line of a key, which contains only a number, or names its encryption. */
function isHeader(line: string): boolean {
  const isBare = !/[A-Za-z_]/.test(line) && !/\d\W+\d/.test(line);
  return isBare || /(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): /.test(line);
}

function asOne(parts: readonly Secret[]): readonly Secret[] {
  return parts.map((part, index) => (index === 0 ? part : { ...part, continues: true }));
}
