import { openDocuments } from "../documents/open-documents.ts";

/** Starts what reads documents, and has it read one, which takes PDFium. Tells what that was. */
export async function tryDocuments(signal: AbortSignal): Promise<string> {
  const documents = openDocuments();
  try {
    const source = { name: "trial.pdf", bytes: Buffer.from(trial, "latin1") };
    const reading = { signal, progress: () => {} };
    return (await documents.read(source, { maxChars: 1000 }, reading)).description;
  } finally {
    await documents.close();
  }
}

/** One empty page. */
const trial = `%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9]>> endobj
trailer <</Root 1 0 R>>
%%EOF`;
