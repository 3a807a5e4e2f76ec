import { crc32, deflateSync } from "node:zlib";
import type { ToolImage } from "../../../contract/tool.ts";
import { objectsOf, type Pdf, pictureObject, withPage } from "./open-pdf.ts";
import type { Handle } from "./pdfium-functions.ts";

export interface DrawnPages {
  readonly images: readonly ToolImage[];
  readonly drawn: readonly number[];
  readonly missing: readonly number[];
}

/** Draws pages as pictures. Call it last, because a page that needs too much memory stops PDFium. */
export function drawPages(pdf: Pdf, numbers: readonly number[]): DrawnPages {
  const images: ToolImage[] = [];
  const drawn: number[] = [];
  try {
    for (const number of numbers) {
      const image = pictureOf(pdf, number);
      if (image === undefined) continue;
      images.push(image);
      drawn.push(number);
    }
  } catch {
    // Pages that could not be drawn are reported as missing.
  }
  return { images, drawn, missing: numbers.filter((number) => !drawn.includes(number)) };
}

/** Draws a page with fewer colours and pixels until it is small enough for a model. */
function drawPage(pdf: Pdf, page: Handle): ToolImage {
  const [first, ...others] = attempts;
  let picture = draw(pdf, page, first!);
  for (const attempt of others) {
    if (picture.length <= mostBytes) break;
    picture = draw(pdf, page, attempt);
  }
  return { mediaType: "image/png", base64: Buffer.from(picture).toString("base64") };
}

const mostBytes = 1024 * 1024;

interface Attempt {
  readonly width: number;
  readonly isGray: boolean;
}

const attempts: readonly Attempt[] = [
  { width: 1000, isGray: false },
  { width: 1000, isGray: true },
  { width: 700, isGray: true },
];

const withAnnotations = 0x01;
const redFirst = 0x10;
/** The format with four bytes for each pixel. The fourth byte is unused. */
const colors = 3;
const grays = 1;

function draw(pdf: Pdf, page: Handle, { width: widest, isGray }: Attempt): Uint8Array {
  const { pdfium } = pdf;
  const across = Math.max(pdfium.FPDF_GetPageWidthF(page), 1);
  const down = Math.max(pdfium.FPDF_GetPageHeightF(page), 1);
  const scale = Math.min(widest / across, (widest * 2) / down);
  const width = Math.max(1, Math.round(across * scale));
  const height = Math.max(1, Math.round(down * scale));
  const bitmap = pdfium.FPDFBitmap_CreateEx(width, height, isGray ? grays : colors, 0, 0);
  if (bitmap === 0) throw new RangeError("no memory left for a picture");
  pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
  pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, withAnnotations | redFirst);
  const form = pdfium.FPDF_GetFormType(pdf.document) > 0 ? pdf.form : 0;
  if (form !== 0) pdfium.FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, redFirst);
  const stride = pdfium.FPDFBitmap_GetStride(bitmap);
  const pixels = new Uint8Array(pdfium.memory.buffer, pdfium.FPDFBitmap_GetBuffer(bitmap), stride * height);
  const png = encodePng({ pixels, width, height, stride, isGray });
  pdfium.FPDFBitmap_Destroy(bitmap);
  return png;
}

interface Pixels {
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly stride: number;
  readonly isGray: boolean;
}

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

function encodePng({ pixels, width, height, stride, isGray }: Pixels): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, isGray ? 0 : 2, 0, 0, 0], 8);
  const channels = isGray ? 1 : 3;
  const step = isGray ? 1 : 4;
  // Each line is written as its difference from the line above, which gives mostly zeros.
  const lines = Buffer.alloc((width * channels + 1) * height);
  let to = 0;
  for (let line = 0; line < height; line += 1) {
    lines[to++] = filterUp;
    for (let x = 0, from = line * stride; x < width; x += 1, from += step)
      for (let channel = 0; channel < channels; channel += 1) {
        const above = line === 0 ? 0 : pixels[from + channel - stride]!;
        lines[to++] = pixels[from + channel]! - above;
      }
  }
  const data = deflateSync(lines);
  return Buffer.concat([
    Buffer.from(signature),
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const filterUp = 2;

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
}

/** Draws a page; undefined for one that is unreadable, or would take minutes to draw. */
function pictureOf(pdf: Pdf, number: number): ToolImage | undefined {
  return withPage(pdf, number, undefined, (page) =>
    pixelsOf(pdf, page) > mostPixels ? undefined : drawPage(pdf, page),
  );
}

/** The limit is about the size of an A1 page at 600 dots per inch. */
const mostPixels = 300_000_000;

function pixelsOf(pdf: Pdf, page: Handle): number {
  let pixels = 0;
  for (const [object, type] of objectsOf(pdf, page)) {
    if (type !== pictureObject) continue;
    const [width = 0, height = 0] =
      pdf.numbers(2, "u32", (at) => pdf.pdfium.FPDFImageObj_GetImagePixelSize(object, at, at + 4)) ?? [];
    pixels += width * height;
  }
  return pixels;
}
