import { ToolError } from "../../../contract/error.ts";
import { counted } from "../../../lib/text/format-quantity.ts";
import { gatherParts } from "../../anchors.ts";
import { type DocumentReader, damaged } from "../../reader.ts";
import { type DrawnPages, drawPages } from "./draw-pages.ts";
import { openPdf, type Pdf } from "./open-pdf.ts";
import type { Handle } from "./pdfium-functions.ts";
import { type Page, readPage } from "./read-page.ts";

const mostPictures = 4;

/** Reads pages as parts. Also returns pages without text as pictures, unless `images` is false. */
export const readPdf: DocumentReader = async (source, wanted, context) => {
  try {
    const pdf = await openPdf(source.bytes, source.name);
    const pages = new Map<number, Page>();
    const order = { one: "page", total: pdf.pageCount, name: source.name };
    const { parts, next } = await gatherParts(wanted, order, (number) => {
      context.signal.throwIfAborted();
      if (number % 20 === 0) context.progress(`page ${number} of ${pdf.pageCount}`);
      const page = readPage(pdf, number);
      pages.set(number, page);
      return { anchor: `page ${number}`, text: page.text };
    });
    // The last page is not in `parts` when it did not fit.
    const shown = [...pages].slice(0, parts.length);
    const scanned = numbersOf(shown, ({ state }) => state === "picture");
    const drawn = wanted.images === true ? numbersOf(shown, ({ state }) => state !== "unreadable") : scanned;
    const properties = readProperties(pdf);
    const whole = wanted.part === undefined ? notesOnWhole(pdf) : [];
    const pictures = drawPages(pdf, wanted.images === false ? [] : drawn.slice(0, mostPictures));
    return {
      format: "pdf",
      description: "PDF document",
      properties,
      consistsOf: { one: "page", total: pdf.pageCount },
      parts,
      next,
      notes: [...whole, ...notesOnPages(shown, pictures)],
      images: pictures.images,
    };
  } catch (error) {
    throw error instanceof ToolError || context.signal.aborted ? error : pdfiumFailure(source.name, error);
  }
};

function notesOnPages(
  pages: readonly (readonly [number, Page])[],
  { drawn, missing }: DrawnPages,
): readonly string[] {
  const guessed = numbersOf(pages, ({ isGuessed }) => isGuessed);
  const unreadable = numbersOf(pages, ({ state }) => state === "unreadable");
  const scanned = numbersOf(pages, ({ state }) => state === "picture");
  const notes: readonly (readonly [readonly number[], string, string])[] = [
    [unreadable, "cannot be read", "cannot be read"],
    [scanned, "is a picture without text", "are pictures without text"],
    [
      guessed,
      "has a font that does not define its letters: its words may be wrong",
      "have fonts that do not define their letters: their words may be wrong",
    ],
    [drawn, "is also shown as a picture", "are also shown as pictures"],
    [missing, "is too large to be drawn", "are too large to be drawn"],
  ];
  return notes
    .filter(([numbers]) => numbers.length > 0)
    .map(([numbers, is, are]) => `${pageList(numbers)} ${numbers.length === 1 ? is : are}`);
}

function notesOnWhole(pdf: Pdf): readonly string[] {
  const { pdfium, document } = pdf;
  const notes: (string | undefined)[] = [];
  if (!pdfium.FPDF_DocumentHasValidCrossReferenceTable(document))
    notes.push("the file is damaged: its pages were found by searching, some may be missing");
  if (pdfium.FPDF_GetSecurityHandlerRevision(document) >= 0)
    notes.push("encrypted with a password for changes only: reading needs none");
  const xfa = 2;
  if (pdfium.FPDF_GetFormType(document) >= xfa) notes.push("has an XFA form, which is not shown");
  const signatures = pdfium.FPDF_GetSignatureCount(document);
  if (signatures > 0) notes.push(`has ${counted(signatures, "signature")}, not verified`);
  const attachments = Math.min(pdfium.FPDFDoc_GetAttachmentCount(document), 20);
  if (attachments > 0) notes.push(`has attachments: ${attachmentNames(pdf, attachments).join(", ")}`);
  notes.push(readOutline(pdf));
  return notes.filter((note) => note !== undefined);
}

function attachmentNames(pdf: Pdf, count: number): readonly string[] {
  const { pdfium, document } = pdf;
  return Array.from({ length: count }, (_, index) => {
    const attachment = pdfium.FPDFDoc_GetAttachment(document, index);
    return pdf
      .text((buffer, bytes) => pdfium.FPDFAttachment_GetName(attachment, buffer, bytes))
      .slice(0, 100);
  });
}

function numbersOf(
  pages: readonly (readonly [number, Page])[],
  isSuch: (page: Page) => boolean,
): readonly number[] {
  return pages.filter(([, page]) => isSuch(page)).map(([number]) => number);
}

/** Formats page numbers: "page 3", "pages 3-5, 9". */
function pageList(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const list = ranges.slice(0, 20).map(([first, last]) => (first === last ? first : `${first}-${last}`));
  const more = ranges.length > 20 ? ", and more" : "";
  return `page${numbers.length === 1 ? "" : "s"} ${list.join(", ")}${more}`;
}

/** Explains why PDFium failed. Only the text of WebAssembly's error shows whether it ran out of memory. */
function pdfiumFailure(name: string, error: unknown): ToolError {
  if (error instanceof RangeError || /memory|unreachable|abort/i.test(String(error)))
    return new ToolError("too-large", `${name} takes too much memory to read`, {
      hint: "Ask for other pages, or use another program (shell.run) if you trust the file.",
      forUser: { hint: "Add --part for other pages, or open it in another program if you trust the file." },
      cause: error,
    });
  return damaged(name, "PDFium cannot read it");
}

function readProperties(pdf: Pdf): Readonly<Record<string, string>> {
  const { pdfium, document } = pdf;
  const properties: Record<string, string> = {};
  for (const [name, key] of Object.entries(keys)) {
    const value = pdf
      .text((buffer, bytes) => pdfium.FPDF_GetMetaText(document, pdf.name(key), buffer, bytes))
      .replaceAll(/\s+/g, " ")
      .trim()
      .slice(0, 500);
    if (value !== "") properties[name] = key.endsWith("Date") ? isoTime(value) : value;
  }
  const size = pdf.numbers(2, "f32", (at) => pdfium.FPDF_GetPageSizeByIndexF(document, 0, at));
  if (size) properties["page size"] = pageSize(size[0]!, size[1]!);
  return properties;
}

const keys = {
  title: "Title",
  author: "Author",
  subject: "Subject",
  keywords: "Keywords",
  created: "CreationDate",
  modified: "ModDate",
  software: "Creator",
  producer: "Producer",
};

/** Converts "D:20261115173538+01'00'" to ISO 8601. Other text stays unchanged. */
function isoTime(text: string): string {
  const match = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?/.exec(text);
  if (!match) return text;
  const [, year, month, day, hour, minute = "00", second = "00", isUtc, sign, zoneHour, zoneMinute = "00"] =
    match;
  const date = [year, month, day].filter((part) => part !== undefined).join("-");
  if (hour === undefined || day === undefined) return date;
  const zone = isUtc ?? (sign === undefined ? "" : `${sign}${zoneHour}:${zoneMinute}`);
  return `${date}T${hour}:${minute}:${second}${zone}`;
}

/** Formats a page size, which is given in points of 1/72 inch. */
function pageSize(width: number, height: number): string {
  const [across, down] = [width, height].map((points) => Math.round((points / 72) * 25.4));
  const sides = [across!, down!].sort((one, other) => one - other);
  const name = knownSizes[sides.join("x")];
  return `${across} × ${down} mm${name === undefined ? "" : ` (${name})`}`;
}

const knownSizes: Readonly<Record<string, string>> = {
  "297x420": "A3",
  "210x297": "A4",
  "148x210": "A5",
  "216x279": "Letter",
  "216x356": "Legal",
};

const mostEntries = 60;
const mostLevels = 8;

/** Returns the bookmarks as a note: "Outline: Cover (page 1); > A section (page 3)". */
function readOutline(pdf: Pdf): string | undefined {
  const entries: string[] = [];
  const seen = new Set<Handle>();
  let isCut = false;
  walk(0, 0);
  if (entries.length === 0) return undefined;
  return `Outline: ${entries.join("; ")}${isCut ? "; and more" : ""}`;

  /**
   * Adds the bookmarks below `parent`. Stops at a visited one, because those of a hostile document can form circles.
   */
  function walk(parent: Handle, level: number): void {
    let bookmark = pdf.pdfium.FPDFBookmark_GetFirstChild(pdf.document, parent);
    for (; bookmark !== 0; bookmark = pdf.pdfium.FPDFBookmark_GetNextSibling(pdf.document, bookmark)) {
      if (seen.has(bookmark)) return;
      if (entries.length === mostEntries || level === mostLevels) {
        isCut = true;
        return;
      }
      seen.add(bookmark);
      entries.push(describe(pdf, bookmark, level));
      walk(bookmark, level + 1);
    }
  }
}

function describe(pdf: Pdf, bookmark: Handle, level: number): string {
  const { pdfium, document } = pdf;
  const title = pdf.text((buffer, bytes) => pdfium.FPDFBookmark_GetTitle(bookmark, buffer, bytes));
  const shown = title.replaceAll(/\s+/g, " ").trim().slice(0, 120);
  let target = pdfium.FPDFBookmark_GetDest(document, bookmark);
  const action = target === 0 ? pdfium.FPDFBookmark_GetAction(bookmark) : 0;
  if (action !== 0) target = pdfium.FPDFAction_GetDest(document, action);
  const page = target === 0 ? -1 : pdfium.FPDFDest_GetDestPageIndex(document, target);
  return `${"> ".repeat(level)}${shown}${page < 0 ? "" : ` (page ${page + 1})`}`;
}
