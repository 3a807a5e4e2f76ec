import { languages } from "../code/languages/languages.ts";
import { Reader } from "../code/worker/reader.ts";
import { openDocuments } from "../documents/open-documents.ts";

/** Starts the code worker and parses a file with it. Returns the number of languages. */
export async function tryParser(signal: AbortSignal): Promise<number> {
  const reader = new Reader();
  try {
    await reader.outline({ path: "trial.json", text: "{}" }, { signal });
    return languages.length;
  } finally {
    await reader.close();
  }
}

/** Starts the document worker and reads a PDF with it, which needs PDFium. Returns the description of the document. */
export async function tryDocuments(signal: AbortSignal): Promise<string> {
  const documents = openDocuments("a test of the reader");
  try {
    const source = { name: "trial.pdf", bytes: Buffer.from(onePagePdf, "latin1") };
    const reading = { signal, progress: () => {} };
    return (await documents.read(source, { maxChars: 1000 }, reading)).description;
  } finally {
    await documents.close();
  }
}

/** A PDF with one empty page. */
const onePagePdf = `%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9]>> endobj
trailer <</Root 1 0 R>>
%%EOF`;
