/** SHA-256 of PDFium as @hyzyla/pdfium 2.1.13 brings it. */
export const pdfiumHash = "71aec412a303a0405baee21c3d6d3f30ad2033dc02444130fe476be3976e2d09";
