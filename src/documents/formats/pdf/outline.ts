import type { Handle } from "./functions.ts";
import type { Pdf } from "./open-pdf.ts";

const mostEntries = 60;
const mostLevels = 8;

/** The bookmarks of a document, as a note: "Outline: 1 Cover; 2 Chapter 1 > 3 A section". Undefined where it has none. */
export function readOutline(pdf: Pdf): string | undefined {
  const entries: string[] = [];
  const seen = new Set<Handle>();
  let isCut = false;
  walk(0, 0);
  if (entries.length === 0) return undefined;
  return `Outline: ${entries.join("; ")}${isCut ? "; and more" : ""}`;

  /** One that leads back to another is left out: bookmarks of a hostile document go round in circles. */
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
