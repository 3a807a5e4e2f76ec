import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, zstdCompressSync } from "node:zlib";
import { pdfiumHash, pdfiumSource } from "../src/documents/formats/pdf/start-pdfium.ts";
import parts from "./pdfium-licences.json" with { type: "json" };

/** PDFium and the libraries that are compiled into it. */
export interface PdfiumPart {
  readonly name: string;
  /** By SPDX. */
  readonly licence: string;
  readonly text: string;
}

export const pdfiumParts: readonly PdfiumPart[] = parts;

/** Copies PDFium into a build, compressed. It must match its pinned hash, because it runs like our own code. */
export function packPdfium(directory: string): void {
  const source = pdfiumSource();
  const bytes = readFileSync(source);
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== pdfiumHash)
    throw new Error(`${fileURLToPath(source)} has the SHA-256 ${found}, not ${pdfiumHash}`);
  mkdirSync(directory, { recursive: true });
  const options = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };
  writeFileSync(join(directory, "pdfium.wasm.zst"), zstdCompressSync(bytes, options));
  writeFileSync(join(directory, "NOTICE.md"), notice());
}

function notice(): string {
  const folder = join(import.meta.dirname, "../node_modules/@hyzyla/pdfium");
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return `# What others wrote

This folder holds PDFium, compiled to WebAssembly and compressed with zstd.

## @hyzyla/pdfium ${version}, which compiled it

${readFileSync(join(folder, "LICENSE.md"), "utf8").trim()}

${pdfiumParts.map(({ name, licence, text }) => `## ${name} (${licence})\n\n${text}\n`).join("\n")}`;
}
