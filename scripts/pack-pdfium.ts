import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, zstdCompressSync } from "node:zlib";
import { pdfiumHash, pdfiumSource } from "../src/documents/formats/pdf/start-pdfium.ts";

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

PDFium is Copyright 2014 The PDFium Authors, under the Apache License 2.0 and, in parts, under the BSD licence:
https://pdfium.googlesource.com/pdfium/+/refs/heads/main/LICENSE

## @hyzyla/pdfium ${version}, which compiled it

${readFileSync(join(folder, "LICENSE.md"), "utf8").trim()}
`;
}
