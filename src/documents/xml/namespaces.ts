/**
 * The short names by which readers know namespaces, whatever prefix a file gives them: "w:p", "text:h". Office files come
 * in two flavours, transitional and strict, that differ in nothing but these addresses.
 */
export const namespaces: ReadonlyMap<string, string> = new Map<string, string>([
  ["http://www.w3.org/XML/1998/namespace", "xml"],
  ...office("w", "wordprocessingml/2006/main", "wordprocessingml/main"),
  ...office("p", "presentationml/2006/main", "presentationml/main"),
  ...office("x", "spreadsheetml/2006/main", "spreadsheetml/main"),
  ...office("a", "drawingml/2006/main", "drawingml/main"),
  ...office("c", "drawingml/2006/chart", "drawingml/chart"),
  ["http://schemas.microsoft.com/office/drawing/2014/chartex", "cx"],
  ...office("dgm", "drawingml/2006/diagram", "drawingml/diagram"),
  ...office("pic", "drawingml/2006/picture", "drawingml/picture"),
  ...office("wp", "drawingml/2006/wordprocessingDrawing", "drawingml/wordprocessingDrawing"),
  ...office("xdr", "drawingml/2006/spreadsheetDrawing", "drawingml/spreadsheetDrawing"),
  ...office("m", "officeDocument/2006/math", "officeDocument/math"),
  ...office("r", "officeDocument/2006/relationships", "officeDocument/relationships"),
  ...office("app", "officeDocument/2006/extended-properties", "officeDocument/extendedProperties"),
  ["http://schemas.openxmlformats.org/package/2006/relationships", "rel"],
  ["http://schemas.openxmlformats.org/package/2006/content-types", "ct"],
  ["http://schemas.openxmlformats.org/package/2006/metadata/core-properties", "cp"],
  ["http://schemas.openxmlformats.org/markup-compatibility/2006", "mc"],
  ["http://schemas.microsoft.com/office/word/2010/wordprocessingShape", "wps"],
  ["http://schemas.microsoft.com/office/word/2010/wordprocessingGroup", "wpg"],
  ["http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas", "wpc"],
  ["http://schemas.microsoft.com/office/word/2010/wordml", "w14"],
  ["http://schemas.microsoft.com/office/powerpoint/2018/8/main", "p188"],
  ["urn:schemas-microsoft-com:vml", "v"],
  ["urn:schemas-microsoft-com:office:office", "o"],
  ["http://purl.org/dc/elements/1.1/", "dc"],
  ["http://purl.org/dc/terms/", "dcterms"],
  ...["office", "text", "table", "style", "meta", "presentation", "manifest"].map((name) =>
    openDocument(name),
  ),
  openDocument("drawing", "draw"),
  openDocument("datastyle", "number"),
  openDocument("svg-compatible", "svg"),
  openDocument("xsl-fo-compatible", "fo"),
  ["http://www.w3.org/1999/xlink", "xlink"],
  ["http://www.w3.org/1998/Math/MathML", "math"],
  ["http://www.idpf.org/2007/opf", "opf"],
  ["http://www.idpf.org/2007/ops", "epub"],
  ["http://www.daisy.org/z3986/2005/ncx/", "ncx"],
  ["http://www.w3.org/1999/xhtml", "html"],
  ["http://www.w3.org/2001/04/xmlenc#", "enc"],
  ["urn:oasis:names:tc:opendocument:xmlns:container", "container"],
]);

function office(short: string, transitional: string, strict: string): [string, string][] {
  return [
    [`http://schemas.openxmlformats.org/${transitional}`, short],
    [`http://purl.oclc.org/ooxml/${strict}`, short],
  ];
}

function openDocument(name: string, short: string = name): [string, string] {
  return [`urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`, short];
}
