import { deflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { makePdf, stream } from "../../../../test/support/documents/make-pdf.ts";
import { readBytes } from "../../../../test/support/documents/read-bytes.ts";
import { allText } from "../../../../test/support/documents/samples.ts";
import { repairCharacterMaps } from "./repair-character-maps.ts";

/** A page that shows these codes in a font whose characters only the map defines. */
function pdfWith(map: string, codes: string): Buffer {
  return makePdf([
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
    stream(`BT /F 12 Tf 50 100 Td <${codes}> Tj ET`),
    "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>",
    "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 600 >>",
    map,
  ]);
}

const boilerplate =
  "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def /CMapName /Adobe-Identity-UCS def /CMapType 2 def\n1 begincodespacerange <0000> <FFFF> endcodespacerange\n";
const ranges = (...all: string[]) =>
  `${boilerplate}${all.length} beginbfrange\n${all.join("\n")}\nendbfrange\nendcmap`;
const packed = (text: string) => stream(deflateSync(text).toString("latin1"), "/Filter /FlateDecode ");

it("reads characters from ranges that cross a multiple of 256", async () => {
  const codes = "00fe00ff01000101";
  const single = ranges("<00fe> <0101> <0065>");
  const listed = ranges("<0001> <0002> <0041>", "<00fe> <0101> [<0065> <0066> <0067> <00660069>]");
  expect([
    allText(await readBytes("a.pdf", pdfWith(packed(single), codes))),
    allText(await readBytes("b.pdf", pdfWith(stream(single), codes))),
    allText(await readBytes("c.pdf", pdfWith(packed(listed), `00010002${codes}`))),
  ]).toEqual(["efgh", "efgh", "ABefgfi"]);
});

it("leaves everything else unchanged, and never fails", () => {
  const files = [
    pdfWith(packed(ranges("<0001> <0002> <0041>")), "0001"),
    pdfWith(stream(ranges("<0000> <FFFF> <0000>").slice(boilerplate.length)), "0001"),
    pdfWith("<< /Filter /FlateDecode /Length 99999999 >>\nstream\nx", "0001"),
    pdfWith(stream("no zlib", "/Filter /FlateDecode "), "0001"),
    pdfWith(stream(ranges("<00ff> <0100> <0066>"), "/Filter /LZWDecode "), "0001"),
    Buffer.from("/ToUnicode 1 0 R 1 0 obj << >> stream\n"),
    Buffer.from("/ToUnicode"),
  ];
  const after = files.map((file) => {
    const copy = Buffer.from(file);
    repairCharacterMaps(copy);
    return copy.equals(file);
  });
  expect(after).toEqual(files.map(() => true));
});
