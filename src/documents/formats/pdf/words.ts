import { allocate, type Pdf } from "./open-pdf.ts";
import type { Handle } from "./pdfium-functions.ts";

/** A word and its position, as if the page were rotated so that the word is upright. y counts downwards. */
export interface Word {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
  /** The height from descenders to ascenders. */
  readonly height: number;
  /** Whether the word's direction differs from most of the page. */
  isTurned: boolean;
  readonly startsLine: boolean;
  /** Whether there is a space before the word, not only a gap. */
  readonly followsBlank: boolean;
}

export interface PageWords {
  readonly words: readonly Word[];
  /** The number of words with letters that their font does not define. */
  readonly unknown: number;
}

/** Returns the words of a page in document order. */
export function readWords(pdf: Pdf, text: Handle): PageWords {
  const { pdfium } = pdf;
  const found: Found[] = [];
  const count = pdfium.FPDFText_CountChars(text);
  const codes = codesOf(pdf, text, count);
  let letters = "";
  let first = 0;
  let startsLine = true;
  let followsBlank = false;
  for (let index = 0; index <= count; index += 1) {
    const code = index === count ? space : (codes?.[index] ?? pdfium.FPDFText_GetUnicode(text, index));
    const isHyphen = code === hyphenMark || code === otherHyphenMark;
    if (!isBlank(code)) {
      if (letters === "") first = index;
      letters += isHyphen ? "-" : code < 0x10000 ? String.fromCharCode(code) : String.fromCodePoint(code);
      if (!isHyphen) continue;
    }
    if (letters !== "") {
      const last = isHyphen ? index : index - 1;
      found.push(locateWord(pdf, text, { letters, first, last, startsLine, followsBlank }, found.at(-1)));
      letters = "";
      startsLine = false;
      followsBlank = false;
    }
    if (code === lineFeed || isHyphen) startsLine = true;
    else if (index < count && pdfium.FPDFText_IsGenerated(text, index) !== 1) followsBlank = true;
  }
  const angle = mostFrequent(found);
  for (const word of found) word.isTurned = word.angle !== angle;
  return {
    words: found,
    unknown: found.filter(({ text, isUnknown }) => isUnknown || /[\ufffd\ue000-\uf8ff]/.test(text)).length,
  };
}

/** Reads all characters at once; undefined if some have two code units or none. */
function codesOf(pdf: Pdf, text: Handle, count: number): Uint16Array | undefined {
  const { pdfium } = pdf;
  const buffer = allocate(pdfium, (count + 1) * 2);
  const written = pdfium.FPDFText_GetText(text, 0, count, buffer);
  const codes =
    written === count + 1 ? new Uint16Array(pdfium.memory.buffer, buffer, count).slice() : undefined;
  pdfium.free(buffer);
  return codes;
}

const space = 0x20;
const lineFeed = 0x0a;

/** A single private-use character is a bullet of a symbol font. */
const signOfOwn = /^[\ue000-\uf8ff]$/;

/** Whether a character is blank. Characters that PDFium does not know are blank too. */
function isBlank(code: number): boolean {
  return code <= space ? code !== hyphenMark : code === 0xa0 || code === 0x200b || code === 0xfeff;
}

/** PDFium's codes for a hyphen at the end of a line, which replace the line end. */
const hyphenMark = 0x02;
const otherHyphenMark = 0xfffe;

interface Spelled {
  readonly letters: string;
  readonly first: number;
  readonly last: number;
  readonly startsLine: boolean;
  readonly followsBlank: boolean;
}

interface Found extends Word {
  readonly fontSize: number;
  /** The rotation in quarter turns, counter-clockwise. */
  readonly angle: number;
  readonly isUnknown: boolean;
}

function locateWord(pdf: Pdf, text: Handle, spelled: Spelled, before: Found | undefined): Found {
  const { pdfium, scratch } = pdf;
  const { letters, first, last, startsLine, followsBlank } = spelled;
  // The angle is the same for a line, and the height for words of one size in it.
  const angle = startsLine || !before ? angleOf(pdf, text, first) : before.angle;
  pdfium.FPDFText_GetCharOrigin(text, first, scratch, scratch + 8);
  pdfium.FPDFText_GetCharBox(text, last, scratch + 16, scratch + 24, scratch + 32, scratch + 40);
  const { view } = pdf;
  const x = view.getFloat64(scratch, true);
  const y = view.getFloat64(scratch + 8, true);
  const end = view.getFloat64(scratch + ends[angle]!, true);
  const fontSize = pdfium.FPDFText_GetFontSize(text, first);
  const isSameFont = before?.fontSize === fontSize && !startsLine;
  const from = along(angle, x, y);
  const to = angle % 2 === 0 ? along(angle, end, y) : along(angle, x, end);
  return {
    text: signOfOwn.test(letters) ? "•" : letters,
    left: Math.min(from, to),
    right: Math.max(from, to),
    baseline: -along((angle + 1) & 3, x, y),
    height: isSameFont ? before.height : heightOf(pdf, text, first, angle),
    isTurned: false,
    startsLine,
    followsBlank,
    fontSize,
    angle,
    isUnknown: isSameFont ? before.isUnknown : pdfium.FPDFText_HasUnicodeMapError(text, first) === 1,
  };
}

/** Returns the rotation in quarter turns, counter-clockwise. PDFium counts clockwise. */
function angleOf({ pdfium }: Pdf, text: Handle, index: number): number {
  return Math.round(-pdfium.FPDFText_GetCharAngle(text, index) / (Math.PI / 2)) & 3;
}

/** Returns the position of a point along lines with so many quarter turns. PDF counts y upwards. */
function along(quarterTurns: number, x: number, y: number): number {
  if (quarterTurns === 0) return x;
  if (quarterTurns === 1) return y;
  return quarterTurns === 2 ? -x : -y;
}

/** The offsets of the side where a word ends, by quarter turns: right, top, left, bottom. */
const ends = [24, 40, 16, 32];

function heightOf(pdf: Pdf, text: Handle, index: number, angle: number): number {
  const { pdfium, scratch } = pdf;
  if (!pdfium.FPDFText_GetLooseCharBox(text, index, scratch)) return 1;
  const { view } = pdf;
  const [one, other] = angle % 2 === 0 ? [4, 12] : [0, 8];
  return Math.abs(view.getFloat32(scratch + one!, true) - view.getFloat32(scratch + other!, true));
}

function mostFrequent(words: readonly Found[]): number {
  const counts = [0, 0, 0, 0];
  for (const { angle } of words) counts[angle]! += 1;
  return counts.indexOf(Math.max(...counts));
}
