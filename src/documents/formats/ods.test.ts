import { expect, it } from "vitest";
import { makeZip } from "../../../test/support/documents/make-zip.ts";
import { failureOf, readBytes } from "../../../test/support/documents/read-bytes.ts";
import { plainFormula } from "./ods.ts";

const names = ["office", "table", "text"]
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(" ");

function readTable(rows: string, wanted: { part?: string; maxChars?: number } = {}) {
  const content = `<office:document-content ${names}><office:body><office:spreadsheet><table:table table:name="T">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`;
  const bytes = makeZip([
    { name: "mimetype", content: "application/vnd.oasis.opendocument.spreadsheet" },
    { name: "content.xml", content },
  ]);
  return readBytes("x.ods", bytes, wanted);
}

const cell = (text: string, more = "") =>
  `<table:table-cell office:value-type="string" ${more}><text:p>${text}</text:p></table:table-cell>`;

it("repeats repeated cells only as far as requested", async () => {
  const rows = `<table:table-row table:number-rows-repeated="5"><table:table-cell table:number-columns-repeated="3"/></table:table-row>
    <table:table-row-group><table:table-row table:number-rows-repeated="1000000">${cell("a", 'table:number-columns-repeated="2"')}</table:table-row></table:table-row-group>`;
  const { parts, next } = await readTable(rows, { maxChars: 75 });
  expect({ parts, next }).toEqual({
    parts: [
      {
        anchor: "T!A6:B8",
        title: undefined,
        text: "| | A | B |\n|---|---|---|\n| 6 | a | a |\n| 7 | a | a |\n| 8 | a | a |",
      },
    ],
    next: "T!A9:",
  });
  const last = await readTable(rows, { part: "T!B1000005:B2000000" });
  expect(last.parts[0]!.text).toBe("| | B |\n|---|---|\n| 1000005 | a |");
});

it("does not repeat a long text without limit", async () => {
  const row = `<table:table-row>${cell("long ".repeat(100_000), 'table:number-columns-repeated="999999999"')}</table:table-row>`;
  expect(await failureOf(readTable(row))).toEqual([
    "too-large",
    expect.stringContaining("x.ods is too large to read: it unpacks to more than"),
  ]);
});

it("notes cells beyond the last spreadsheet column as left out", async () => {
  const far = (repeated: number) =>
    `<table:table-row>${cell("a")}<table:table-cell table:number-columns-repeated="${repeated}"/>${cell("far")}</table:table-row>`;
  const answers = await Promise.all([readTable(far(16_382)), readTable(far(16_383))]);
  const part = await readTable(far(16_383), { part: "T!A1:D4" });
  expect([...answers, part].map(({ parts, notes }) => [parts[0]!.anchor, notes])).toEqual([
    ["T!A1:XFD1", []],
    ["T!A1:A1", ["T has cells past column XFD, which are not shown"]],
    ["T!A1:A1", []],
  ]);
});

it("notes remarks only for the rows it shows", async () => {
  const remarked = (text: string, more = "") =>
    `<table:table-row><table:table-cell office:value-type="string" ${more}><office:annotation><text:p>on ${text}</text:p></office:annotation><text:p>${text}</text:p></table:table-cell></table:table-row>`;
  const rows = remarked("a") + remarked("b", 'table:number-rows-spanned="2"') + remarked("c".repeat(60));
  const first = await readTable(rows, { maxChars: 100 });
  const second = await readTable(rows, { part: first.next! });
  expect([first.parts[0]!.text, first.next, second.parts[0]!.text]).toEqual([
    "| | A |\n|---|---|\n| 1 | a |\n| 2 | b |\nMerged: A2:A3\nComments:\n- A1: on a\n- A2: on b",
    "T!A3:",
    `| | A |\n|---|---|\n| 3 | ${"c".repeat(60)} |\nComments:\n- A3: on ${"c".repeat(60)}`,
  ]);
});

it("ignores impossible cell spans", async () => {
  const row = `<table:table-row>${cell("a", 'table:number-columns-spanned="1e999" table:number-rows-spanned="-4"')}</table:table-row>`;
  expect((await readTable(row)).parts[0]!.text).toBe("| | A |\n|---|---|\n| 1 | a |");
});

it("shows formulas in spreadsheet notation", () => {
  const formulas = {
    "of:=SUM([.B2:.B4])": "SUM(B2:B4)",
    "of:=[$Other.C1]*2": "Other!C1*2",
    "of:=['My sheet'.$A$1:.B2]&\"[x]\"": "'My sheet'!$A$1:B2&\"[x]\"",
    "msoxl:=A1+1": "A1+1",
  };
  expect(
    Object.fromEntries(Object.keys(formulas).map((formula) => [formula, plainFormula(formula)])),
  ).toEqual(formulas);
});
