/** The WebAssembly of PDFium: as its package has it beside source, compressed in a build. */
export function pdfiumSource(module: string = import.meta.url): URL {
  return module.endsWith(".ts")
    ? new URL("../../../../node_modules/@hyzyla/pdfium/dist/pdfium.wasm", module)
    : new URL("../pdfium/pdfium.wasm.zst", module);
}
