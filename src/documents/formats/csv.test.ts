import { expect, it } from "vitest";
import { failureOf, readBytes } from "../../../test/support/documents/read-bytes.ts";
import { readSample, secondReading } from "../../../test/support/documents/samples.ts";

const table = `| Harbour | Depth | Since | Remark |
|---|---|---|---|
| Nord, old | 4.5 | 1902-03-01 | called "the hole" |
| Süd | 12 | | two<br>lines \\| and a bar |
| Ost | -1.25 | 2001-10-31 | |`;

it.each([
  { name: "harbours.csv", format: "csv", sign: "comma", encoding: "utf-8", more: [] },
  { name: "harbours.tsv", format: "tsv", sign: "tab", encoding: "utf-16le", more: [] },
  {
    name: "harbours-excel.csv",
    format: "csv",
    sign: "semicolon",
    encoding: "windows-1252",
    more: ["| short |", "| long | 1 | 2 | 3 | 4 |"],
  },
])("detects the format of $name and reads all of it", async ({ name, format, sign, encoding, more }) => {
  const total = 3 + more.length;
  const content = await readSample(name);
  expect(content).toEqual({
    format,
    description: `${sign}-separated values`,
    properties: { columns: "4", "column names": "yes", encoding },
    consistsOf: { one: "row", total },
    parts: [{ anchor: `rows 1-${total}`, text: [table, ...more].join("\n") }],
    next: undefined,
    notes: more.length === 0 ? [] : ["2 rows have a different number of cells than the first: 4, 5"],
    images: [],
  });
  const cells = content.parts[0]!.text.split("\n")
    .filter((_, line) => line !== 1)
    .flatMap((line) => line.slice(1, -1).split(/(?<!\\)\|/))
    .map((cell) => cell.trim().replace("<br>", "\n").replace("\\|", "|"));
  expect(`${cells.join("\n")}\n`).toBe(secondReading(name, "python"));
});

it("reads the requested rows under their column names", async () => {
  const text = `id,name\n${Array.from({ length: 1000 }, (_, row) => `${row + 1},name ${row + 1}`).join("\n")}\n`;
  const { parts, next } = await readBytes("x.csv", text, { part: "rows 998-" });
  expect({ parts, next }).toEqual({
    parts: [
      {
        anchor: "rows 998-1000",
        text: "| id | name |\n|---|---|\n| 998 | name 998 |\n| 999 | name 999 |\n| 1000 | name 1000 |",
      },
    ],
    next: undefined,
  });
  expect((await readBytes("x.csv", text, { maxChars: 60 })).next).toBe("rows 3-");
  expect(await failureOf(readBytes("x.csv", text, { part: "row 1001" }))).toEqual([
    "not-found",
    'x.csv has no part "row 1001": it has 1000 rows',
  ]);
});

it.each([
  { text: "1,2\n3,4\n", head: "| column 1 | column 2 |", total: 2 },
  { text: "a;b\n1,5;2\n", head: "| a | b |", total: 1 },
  { text: "a|b\n1|2\n", head: "| a | b |", total: 1 },
  { text: "one\r1\r2\r", head: "| one |", total: 2 },
])("detects delimiter, quotes, line ends and column names of $text", async ({ text, head, total }) => {
  const content = await readBytes("x.csv", text);
  expect([content.parts[0]!.text.split("\n")[0], content.consistsOf?.total]).toEqual([head, total]);
});

it("treats an unclosed quote as a normal character", async () => {
  const { parts, notes } = await readBytes("x.csv", 'a,b\n1,"x, y"\n2,"open\n3,z\n');
  expect([parts[0]!.text, notes]).toEqual([
    '| a | b |\n|---|---|\n| 1 | x, y |\n| 2 | "open |\n| 3 | z |',
    ["a quote in row 2 is never closed: from there on quotes are shown as they are"],
  ]);
});

it("returns a row that is too long in pieces, and then the next", async () => {
  const long = "x".repeat(500);
  const text = `a,b\n1,${long}\n2,end\n`;
  let shown = "";
  let part: string | undefined;
  do {
    const { parts, next } = await readBytes("x.csv", text, { part, maxChars: 200 });
    shown += parts[0]!.text;
    part = next;
  } while (part !== undefined);
  expect(shown).toBe(`| a | b |\n|---|---|\n| 1 | ${long} || a | b |\n|---|---|\n| 2 | end |`);
});

it("reads empty files", async () => {
  for (const text of ["", "\n\n"])
    expect((await readBytes("x.csv", text)).parts).toEqual([{ anchor: "", text: "(empty)" }]);
});
