import type { Handle } from "./functions.ts";
import type { Pdf } from "./open-pdf.ts";

/** A word where it stands: as if the page were turned so that most of its text is upright, y counting downwards. */
export interface Word {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** Where its letters stand on. */
  readonly baseline: number;
  /** Of its line, from descenders to ascenders. */
  readonly height: number;
  /** Runs otherwise than most of the page. */
  readonly isTurned: boolean;
  /** The document ends a line before it. */
  readonly startsLine: boolean;
  /** The document has a blank before it, not only a gap. */
  readonly followsBlank: boolean;
}

export interface PageWords {
  readonly words: readonly Word[];
  /** Of those, how many have letters that the document does not tell. */
  readonly unknown: number;
}

/** The words of a page in the order in which the document has them. */
export function readWords(pdf: Pdf, text: Handle): PageWords {
  const { pdfium } = pdf;
  const found: Found[] = [];
  const count = pdfium.FPDFText_CountChars(text);
  let letters = "";
  let first = 0;
  let startsLine = true;
  let followsBlank = false;
  for (let index = 0; index <= count; index += 1) {
    const code = index === count ? space : pdfium.FPDFText_GetUnicode(text, index);
    const isHyphen = code === hyphenMark || code === otherHyphenMark;
    if (!isBlank(code)) {
      if (letters === "") first = index;
      letters += isHyphen ? "-" : String.fromCodePoint(code);
      if (!isHyphen) continue;
    }
    if (letters !== "") {
      const last = isBlank(code) ? index - 1 : index;
      const word = signOfOwn.test(letters) ? "•" : letters;
      found.push({ ...place(pdf, text, first, last), text: word, startsLine, followsBlank });
      letters = "";
      startsLine = false;
      followsBlank = false;
    }
    if (code === lineFeed || isHyphen) startsLine = true;
    else if (index < count && pdfium.FPDFText_IsGenerated(text, index) !== 1) followsBlank = true;
  }
  const angle = mostFrequent(found.map((word) => word.angle));
  return {
    words: found.map((word) => turned(word, angle)),
    unknown: found.filter(({ text, isUnknown }) => isUnknown || /[\ufffd\ue000-\uf8ff]/.test(text)).length,
  };
}

const space = 0x20;
const lineFeed = 0x0a;

/** A character without a meaning that all share, on its own: fonts of symbols have their bullets there. */
const signOfOwn = /^[\ue000-\uf8ff]$/;

/** Also what PDFium could not tell at all. */
function isBlank(code: number): boolean {
  return code <= space ? code !== hyphenMark : code === 0xa0 || code === 0x200b || code === 0xfeff;
}

/** PDFium's signs for a hyphen at the end of a line; it leaves the end of the line out. */
const hyphenMark = 0x02;
const otherHyphenMark = 0xfffe;

interface Found extends Placed {
  readonly text: string;
  readonly startsLine: boolean;
  readonly followsBlank: boolean;
}

interface Placed {
  readonly start: Point;
  readonly end: Point;
  readonly height: number;
  /** In quarter turns. */
  readonly angle: number;
  readonly isUnknown: boolean;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function place(pdf: Pdf, text: Handle, first: number, last: number): Placed {
  const { pdfium } = pdf;
  // PDFium counts it with the clock.
  const angle = Math.round(-pdfium.FPDFText_GetCharAngle(text, first) / (Math.PI / 2)) & 3;
  const [x = 0, y = 0] =
    pdf.numbers(2, "f64", (at) => pdfium.FPDFText_GetCharOrigin(text, first, at, at + 8)) ?? [];
  const [left = x, top = y, right = x, bottom = y] =
    pdf.numbers(4, "f32", (at) => pdfium.FPDFText_GetLooseCharBox(text, last, at)) ?? [];
  const ends = [
    { x: right, y },
    { x, y: top },
    { x: left, y },
    { x, y: bottom },
  ];
  return {
    start: { x, y },
    end: ends[angle]!,
    height: angle % 2 === 0 ? Math.abs(top - bottom) : Math.abs(right - left),
    angle,
    isUnknown: pdfium.FPDFText_HasUnicodeMapError(text, first) === 1,
  };
}

function mostFrequent(angles: readonly number[]): number {
  const counts = [0, 0, 0, 0];
  for (const angle of angles) counts[angle]! += 1;
  return counts.indexOf(Math.max(...counts));
}

function turned({ text, start, end, height, angle, startsLine, followsBlank }: Found, most: number): Word {
  const from = along(start, most);
  const to = along(end, most);
  return {
    text,
    left: Math.min(from.x, to.x),
    right: Math.max(from.x, to.x),
    baseline: from.y,
    height,
    isTurned: angle !== most,
    startsLine,
    followsBlank,
  };
}

/** PDF counts y upwards; angles count against the clock. */
function along({ x, y }: Point, quarterTurns: number): Point {
  if (quarterTurns === 0) return { x, y: -y };
  if (quarterTurns === 1) return { x: y, y: x };
  if (quarterTurns === 2) return { x: -x, y };
  return { x: -y, y: -x };
}
