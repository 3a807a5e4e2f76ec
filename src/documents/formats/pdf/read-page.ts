import type { Image } from "../../../contract/tool.ts";
import type { Handle } from "./functions.ts";
import { layOut } from "./layout.ts";
import type { Pdf } from "./open-pdf.ts";
import { readExtras } from "./page-extras.ts";
import { drawPage } from "./picture.ts";
import { showLayout } from "./show-layout.ts";
import { readWords } from "./words.ts";

export interface Page {
  readonly text: string;
  readonly state: "text" | "picture" | "empty" | "unreadable";
  /** More than a few of its letters are not told by the document. */
  readonly isGuessed: boolean;
}

/** One page, counted from 1. */
export function readPage(pdf: Pdf, number: number): Page {
  return withPage(pdf, number, unreadable, (page, text) => {
    const { words, unknown } = readWords(pdf, text);
    const extras = readExtras(pdf, page, text);
    const state = words.length > 0 ? "text" : hasPicture(pdf, page) ? "picture" : "empty";
    const shown = state === "text" ? showLayout(layOut(words)) : `(${state})`;
    return {
      text: [shown, ...extras].join("\n\n"),
      state,
      isGuessed: unknown * 10 > words.length,
    };
  });
}

/** Undefined for a page that cannot be read, or would take minutes to draw. */
export function pictureOf(pdf: Pdf, number: number): Image | undefined {
  return withPage(pdf, number, undefined, (page) =>
    pixelsOf(pdf, page) > mostPixels ? undefined : drawPage(pdf, page),
  );
}

/** A page of A1 at 600 dots per inch has about as many. */
const mostPixels = 300_000_000;

const unreadable: Page = { text: "(unreadable)", state: "unreadable", isGuessed: false };

function withPage<Answer>(
  pdf: Pdf,
  number: number,
  none: Answer,
  use: (page: Handle, text: Handle) => Answer,
): Answer {
  const { pdfium } = pdf;
  const page = pdfium.FPDF_LoadPage(pdf.document, number - 1);
  if (page === 0) return none;
  const text = pdfium.FPDFText_LoadPage(page);
  const answer = text === 0 ? none : use(page, text);
  if (text !== 0) pdfium.FPDFText_ClosePage(text);
  pdfium.FPDF_ClosePage(page);
  return answer;
}

const picture = 3;
const form = 5;

function hasPicture(pdf: Pdf, page: Handle): boolean {
  for (const [, type] of objectsOf(pdf, page)) if (type === picture || type === form) return true;
  return false;
}

function pixelsOf(pdf: Pdf, page: Handle): number {
  let pixels = 0;
  for (const [object, type] of objectsOf(pdf, page)) {
    if (type !== picture) continue;
    const [width = 0, height = 0] =
      pdf.numbers(2, "u32", (at) => pdf.pdfium.FPDFImageObj_GetImagePixelSize(object, at, at + 4)) ?? [];
    pixels += width * height;
  }
  return pixels;
}

/** The first ones, with their types: a scanned page hardly has others. */
function* objectsOf({ pdfium }: Pdf, page: Handle): Generator<readonly [Handle, number]> {
  const count = Math.min(pdfium.FPDFPage_CountObjects(page), 1000);
  for (let index = 0; index < count; index += 1) {
    const object = pdfium.FPDFPage_GetObject(page, index);
    yield [object, pdfium.FPDFPageObj_GetType(object)];
  }
}
