import { expect, it } from "vitest";
import { failureOf } from "../../../test/support/documents/read-bytes.ts";
import { readSample, secondReading } from "../../../test/support/documents/samples.ts";

const budget = (values: Readonly<Record<string, string>>) => `| | A | B | C | D | E |
|---|---|---|---|---|---|
| 1 | Item | Price | Count | Total | When |
| 2 | Tea \\| green | 3.5 | 10 | ${values["D2"]} | 2026-11-14 |
| 3 | Coffee<br>strong | 4.25 | 20 | ${values["D3"]} | 2026-11-15T12:00:00 |
| 4 | Milk & <sugar> | 0.99 | 3 | ${values["D4"]} | 2026-11-16 |
| 5 | Sum | | | ${values["D5"]} | |
| 6 | | 25% | ${values["C6"]} | 14:30:00 | 30:05:00 |
| 7 | [the shop](https://example.org/tea?a=1&b=2) | | | | |
| 8 | ${values["A8"]} | | | | |
| 9 | Größe, 日本, 😀 | | | | |
Merged: A9:C9
Comments:
- A2: ${values["comment"]}`;

const computed = {
  D2: "35 (=B2*C2)",
  D3: "85 (=B3*C3)",
  D4: "2.97 (=B4*C4)",
  D5: "122.97 (=SUM(D2:D4))",
  A8: "#DIV/0! (=1/0)",
  comment: "Buy more",
};

const others = [
  {
    anchor: "'My ''far'' sheet'!A1:XFD1048576",
    title: "My 'far' sheet (hidden)",
    text: "| | A | XFD |\n|---|---|---|\n| 1 | 1234567890123 | |\n| 1048576 | | far away |",
  },
  { anchor: "Empty", title: undefined, text: "(empty)" },
];

const notes = ["Sheets: Budget, 'My ''far'' sheet' (hidden), Empty", "Names: Total = Budget!$D$5"];

it.each([
  { name: "ledger-office.xlsx", format: "xlsx", values: { ...computed, C6: "TRUE (=TRUE())" } },
  { name: "ledger-office.ods", format: "ods", values: { ...computed, C6: "1 (=TRUE())" } },
  {
    name: "ledger.xlsx",
    format: "xlsx",
    values: {
      D2: "=B2*C2",
      D3: "=B3*C3",
      D4: "=B4*C4",
      D5: "=SUM(D2:D4)",
      A8: "=1/0",
      C6: "TRUE",
      comment: "Ada: Buy more",
    },
  },
])(
  "reads every cell of $name, with values, formulas, dates and remarks",
  async ({ name, format, values }) => {
    const { properties, description, ...content } = await readSample(name);
    expect(content).toEqual({
      format,
      consistsOf: { one: "sheet", total: 3 },
      parts: [{ anchor: "Budget!A1:E9", title: undefined, text: budget(values) }, ...others],
      next: undefined,
      notes,
      images: [],
    });
    expect([properties["title"], properties["author"]]).toEqual(["The tea ledger", "Ada Writer"]);
  },
);

it("has every cell that openpyxl has, in the same position", async () => {
  const { parts } = await readSample("ledger-office.xlsx");
  const ours = parts.flatMap(({ anchor, text }) => cellsOf(anchor, text));
  const theirs = secondReading("ledger-office.xlsx", "openpyxl").trim().split("\n");
  expect(ours.map(({ address }) => address)).toEqual(
    theirs.map((line) => line.split("\t").slice(0, 2).join("\t")),
  );
  const words = (text: string) => text.match(/[\p{L}\p{N}.]+/gu) ?? [];
  const shownOtherwise = new Set(["E2", "E3", "E4", "B6", "C6", "E6", "A7"]);
  for (const [index, { address, text }] of ours.entries()) {
    if (shownOtherwise.has(address.split("\t")[1]!)) continue;
    expect(words(text).slice(0, 9)).toEqual(words(theirs[index]!.split("\t")[2]!));
  }
});

/** Cells of a table with the letters of its columns, formulas left out. */
function cellsOf(anchor: string, text: string): readonly { address: string; text: string }[] {
  const sheet = anchor
    .replace(/!.*/, "")
    .replace(/^'(.*)'$/, "$1")
    .replaceAll("''", "'");
  const [head = "", , ...rows] = text.split("\n").filter((line) => line.startsWith("|"));
  const split = (line: string) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
  const columns = split(head);
  return rows.map(split).flatMap(([number, ...cells]) =>
    cells.flatMap((cell, index) => {
      const shown = cell.replace(/ \(=.*\)$/, "").replaceAll("<br>", " ");
      return cell === "" ? [] : [{ address: `${sheet}\t${columns[index + 1]}${number}`, text: shown }];
    }),
  );
}

it.each(["ledger-office.xlsx", "ledger-office.ods"])("reads the requested part of %s", async (name) => {
  const read = async (part: string) => {
    const { parts, next } = await readSample(name, { part });
    return { parts: parts.map(({ anchor, text }) => [anchor, text]), next };
  };
  const cells = "| | B | C |\n|---|---|---|\n| 2 | 3.5 | 10 |\n| 3 | 4.25 | 20 |";
  const far = "| | XFD |\n|---|---|\n| 1048576 | far away |";
  expect(await read("Budget!B2:C3")).toEqual({ parts: [["Budget!B2:C3", cells]], next: undefined });
  expect(await read("B2:C3")).toEqual({ parts: [["Budget!B2:C3", cells]], next: undefined });
  expect(await read("'My ''far'' sheet'!B2:XFD1048576")).toEqual({
    parts: [["'My ''far'' sheet'!XFD1048576:XFD1048576", far]],
    next: undefined,
  });
  expect(await read("empty")).toEqual({ parts: [["Empty", "(empty)"]], next: undefined });
  expect(await failureOf(readSample(name, { part: "Missing!A1" }))).toEqual([
    "not-found",
    `${name} has no part "Missing!A1": its sheets are Budget, 'My ''far'' sheet', Empty`,
  ]);
});

it.each(["ledger-office.xlsx", "ledger-office.ods"])(
  "returns %s in pieces without losing a row",
  async (name) => {
    const rows: string[] = [];
    let part: string | undefined;
    do {
      const { parts, next } = await readSample(name, { part, maxChars: 160 });
      for (const { text } of parts) rows.push(...text.split("\n").filter((line) => /^\| \d/.test(line)));
      part = next;
    } while (part !== undefined);
    const whole = (await readSample(name)).parts.flatMap(({ text }) =>
      text.split("\n").filter((line) => /^\| \d/.test(line)),
    );
    const compact = (line: string) => line.replaceAll(/[ |]+/g, " ").trim();
    expect(rows.map(compact)).toEqual(whole.map(compact));
  },
);
