import { expect, it } from "vitest";
import { makeZip } from "../../../../test/support/documents/make-zip.ts";
import { failureOf, readBytes } from "../../../../test/support/documents/read-bytes.ts";

const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

interface Made {
  readonly cells: string;
  readonly strings?: string;
  readonly styles?: string;
  readonly workbook?: string;
  /** The prefix of element names: "x:". */
  readonly prefix?: string;
}

/** A workbook of one sheet. */
function makeXlsx({ cells, strings = "", styles = "", workbook = "", prefix = "" }: Made): Buffer {
  const declared = `xmlns${prefix === "" ? "" : `:${prefix.slice(0, -1)}`}="${main}" xmlns:r="${relations}"`;
  const element = (name: string, content: string) =>
    `<${prefix}${name} ${declared}>${content}</${prefix}${name}>`;
  const targets = [
    ["rId1", "worksheet", "worksheets/sheet1.xml"],
    ["rId2", "sharedStrings", "sharedStrings.xml"],
    ["rId3", "styles", "styles.xml"],
  ].map(([id, type, target]) => `<Relationship Id="${id}" Type="${relations}/${type}" Target="${target}"/>`);
  return Buffer.from(
    makeZip([
      { name: "[Content_Types].xml", content: "<Types/>" },
      {
        name: "xl/workbook.xml",
        content: element(
          "workbook",
          `${workbook}<${prefix}sheets><${prefix}sheet name="S" r:id="rId1"/></${prefix}sheets>`,
        ),
      },
      {
        name: "xl/_rels/workbook.xml.rels",
        content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.join("")}</Relationships>`,
      },
      {
        name: "xl/worksheets/sheet1.xml",
        content: element("worksheet", `<${prefix}sheetData>${cells}</${prefix}sheetData>`),
      },
      { name: "xl/sharedStrings.xml", content: element("sst", strings) },
      { name: "xl/styles.xml", content: element("styleSheet", styles) },
    ]),
  );
}

async function textOf(made: Made): Promise<string> {
  return (await readBytes("x.xlsx", makeXlsx(made))).parts.map(({ text }) => text).join("\n");
}

it("keeps cells apart from the empty cells before them", async () => {
  const strings = "<si><t>word</t></si>";
  const cells =
    '<row r="1"><c r="A1" s="1"/><c r="B1" t="s"><v>0</v></c><c r="C1" /><c r="D1"><v>4</v></c><c/><c><v>6</v></c></row>' +
    '<row r="2"/><row r="3"><c r="B3"/></row><row r="4"><c r="A4"><v>7</v></c></row>';
  expect(await textOf({ cells, strings })).toBe(`| | A | B | D | F |
|---|---|---|---|---|
| 1 | | word | 4 | 6 |
| 4 | 7 | | | |`);
});

it("shows a shared formula as each cell has it", async () => {
  const cells = `<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" ref="B1:B3" si="0">A1*$C$1+SUM(A1:A2)&amp;"A1"</f><v>2</v></c></row>
    <row r="2"><c r="B2"><f t="shared" si="0"/><v>4</v></c></row>
    <row r="3"><c r="B3"><f t="array" ref="B3">A1:A3*2</f><v>6</v></c></row>`;
  expect(await textOf({ cells })).toBe(`| | A | B |
|---|---|---|
| 1 | 1 | 2 (=A1*$C$1+SUM(A1:A2)&"A1") |
| 2 | | 4 (=A2*$C$1+SUM(A2:A3)&"A1") |
| 3 | | 6 (={A1:A3*2}) |`);
});

it("reads texts in every notation", async () => {
  const strings =
    '<si><t>plain</t></si><si><r><t>rich </t></r><r><rPr/><t xml:space="preserve">&lt;text&gt; &#x41;</t></r><rPh><t>spoken</t></rPh></si><si><t/></si>';
  const cells = `<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c><c t="s"><v>99</v></c>
    <c t="inlineStr"><is><t>in</t><r><t>line</t></r></is></c><c t="str"><f>A1</f><v>a_x000D_b</v></c></row>`;
  expect(await textOf({ cells, strings })).toBe(`| | A | B | D | E | F |
|---|---|---|---|---|---|
| 1 | plain | rich <text> A | [text 99 is missing] | inline | a<br>b (=A1) |`);
});

it("reads dates counted from 1904, and other namespace prefixes", async () => {
  const styles =
    '<x:numFmts><x:numFmt numFmtId="200" formatCode="[$-407]d/ mmm yyyy;@"/></x:numFmts><x:cellXfs><x:xf numFmtId="0"/><x:xf numFmtId="200"/></x:cellXfs>';
  const cells =
    '<x:row r="4"><x:c r="C4" s="1"><x:v>1</x:v></x:c><x:c r="D4" t="b"><x:v>0</x:v></x:c></x:row>';
  expect(await textOf({ cells, styles, prefix: "x:", workbook: '<x:workbookPr date1904="1"/>' })).toBe(
    "| | C | D |\n|---|---|---|\n| 4 | 1904-01-02 | FALSE |",
  );
});

it("loses no cell of a malformed file", async () => {
  const cells = `<row r="2"><c r="A2"><v>a</v></c><c r="B2"><v>b</v></c><extLst><ext/></extLst></row>
    <row><c><v>next</v></c><other/><c r="ZZZZZZZZ1"><v>far</v></c></row><row r="9"><c r="A9"><v>open`;
  expect(await textOf({ cells })).toContain("| 2 | a | b |");
  expect(await textOf({ cells })).toContain("| 3 | next |");
  expect(await textOf({ cells })).toContain("| 9 | open |");
});

it("refuses rows and cells that are out of order, which no program writes", async () => {
  const rows = '<row r="4"><c r="A4"><v>4</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>';
  const cells = '<row r="4"><c r="B4"><v>4</v></c><c r="A4"><v>2</v></c></row>';
  expect(await failureOf(textOf({ cells: rows }))).toEqual([
    "unsupported",
    "x.xlsx is damaged: row 2 of a sheet comes after row 4",
  ]);
  expect(await failureOf(textOf({ cells }))).toEqual([
    "unsupported",
    "x.xlsx is damaged: the cells of row 4 are not in order",
  ]);
});

it("does not write a long text into a thousand cells", async () => {
  const strings = `<si><t>${"long ".repeat(1_000_000)}</t></si>`;
  const cells = `<row>${'<c t="s"><v>0</v></c>'.repeat(1000)}</row>`;
  expect(await failureOf(textOf({ cells, strings }))).toEqual([
    "too-large",
    expect.stringContaining("x.xlsx is too large to read: it unpacks to more than"),
  ]);
});

it("reports a missing sheet", async () => {
  const bytes = makeZip([
    { name: "[Content_Types].xml", content: "<Types/>" },
    {
      name: "xl/workbook.xml",
      content: `<workbook xmlns="${main}"><sheets><sheet name="S"/></sheets></workbook>`,
    },
  ]);
  expect(await failureOf(readBytes("x.xlsx", bytes))).toEqual([
    "unsupported",
    "x.xlsx is damaged: the sheet S is missing",
  ]);
});
