import type { Image } from "../../../contract/tool.ts";
import type { Pdf } from "./open-pdf.ts";
import { pictureOf } from "./read-page.ts";

/** Pages as pictures, and those of which there is none. */
export interface DrawnPages {
  readonly images: readonly Image[];
  readonly drawn: readonly number[];
  readonly missing: readonly number[];
}

/**
 * To be asked for last: a page that takes more memory than there may be ends PDFium, but not what was read before.
 */
export function drawPages(pdf: Pdf, numbers: readonly number[]): DrawnPages {
  const images: Image[] = [];
  const drawn: number[] = [];
  try {
    for (const number of numbers) {
      const image = pictureOf(pdf, number);
      if (image === undefined) continue;
      images.push(image);
      drawn.push(number);
    }
  } catch {
    // What could not be drawn is told as missing.
  }
  return { images, drawn, missing: numbers.filter((number) => !drawn.includes(number)) };
}
