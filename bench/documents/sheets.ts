import { readFileSync, writeFileSync } from "node:fs";
import { Budget } from "../../src/documents/budget.ts";
import { openZip } from "../../src/documents/zip/open-zip.ts";
import { makeZip } from "../../test/support/documents/make-zip.ts";
import { Random } from "../data/random.ts";
import type { DocumentCases } from "../groups/documents.ts";
import type { Contender } from "../harness.ts";
import { coldContender, documentPath, readContender } from "./read-contender.ts";

const rows = 10_000;
const columns = 20;
/** Both have about four million characters. */
const everything = 20_000_000;

export const sheets: DocumentCases = {
  prepare: () => {
    writeFileSync(documentPath("cells.xlsx"), workbook());
    const lines = Array.from(
      { length: 100_000 },
      (_, row) => `${row},"name, of ${row}",${row * 1.5},"says ""yes"""`,
    );
    writeFileSync(documentPath("cells.csv"), `id,name,price,word\n${lines.join("\n")}\n`);
  },
  cases: [
    {
      name: "read cells.xlsx: 200 000 cells",
      about:
        "Unpacked and its cells found by one regular expression, without styles, dates, formulas or addresses, against document.read of all of it. A new host runs from source and takes off its types first; a build has none.",
      rounds: 10,
      // V8 optimizes hot code while the first dozen documents is read.
      warmUpRounds: 4,
      lapsPerRound: 3,
      goals: [{ measure: "cpuMs", timesReference: 2 }],
      contenders: {
        "unzip and scan": () => scan(),
        toolcrib: () => readContender("cells.xlsx", { maxChars: everything }),
        "toolcrib, with a new host": () => coldContender("cells.xlsx"),
      },
    },
    {
      name: "read the first 200 rows of cells.xlsx",
      about: "The same, though only as many are wanted: texts that no row refers to are not looked at.",
      rounds: 10,
      lapsPerRound: 5,
      goals: [{ measure: "cpuMs", timesReference: 1 }],
      contenders: {
        "unzip and scan": () => scan(),
        toolcrib: () => readContender("cells.xlsx", { part: "Data!A1:T200" }),
      },
    },
    {
      name: "read rows 90 000 to 90 100 of a CSV file of 100 000",
      about: "Read and split by one regular expression, against document.read of the rows.",
      rounds: 10,
      lapsPerRound: 5,
      goals: [{ measure: "cpuMs", timesReference: 1 }],
      contenders: {
        "split by expression": () => split(),
        toolcrib: () => readContender("cells.csv", { part: "rows 90000-90100" }),
      },
    },
  ],
};

function scan(): Contender {
  return {
    run: () => {
      const zip = openZip(readFileSync(documentPath("cells.xlsx")), "cells.xlsx", new Budget("cells.xlsx"));
      const texts = [...zip.text("xl/sharedStrings.xml")!.matchAll(/<t>([^<]*)<\/t>/g)].map(
        ([, text]) => text,
      );
      let prose = "";
      for (const [, attributes, value] of zip
        .text("xl/worksheets/sheet1.xml")!
        .matchAll(/<c ([^>]*)>(?:<v>([^<]*)<\/v>)?/g))
        prose += `${attributes!.includes('t="s"') ? texts[Number(value)] : value}\t`;
      return prose.match(/\w+/g)!.length;
    },
  };
}

function split(): Contender {
  return {
    run: () => {
      const found = readFileSync(documentPath("cells.csv"), "utf8").matchAll(
        /("(?:[^"]|"")*"|[^,\n]*)([,\n])/g,
      );
      const all: string[][] = [[]];
      for (const [, cell, end] of found) {
        all.at(-1)!.push(cell!);
        if (end === "\n") all.push([]);
      }
      return all.slice(90_000, 90_101).flat().join(" ").match(/\w+/g)!.length;
    },
  };
}

/** As LibreOffice writes it: each text once, and cells refer to it by number. */
function workbook(): Buffer {
  const random = new Random(3);
  const namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const texts: string[] = [];
  const cell = (row: number, column: number) => {
    const place = `r="${String.fromCharCode(65 + column)}${row}" s="0"`;
    if (column % 2 === 1) return `<c ${place}><v>${random.fraction() * 1000}</v></c>`;
    const known = column % 4 === 0 ? random.below(texts.length + 1) : texts.length;
    if (known === texts.length) texts.push(`text of ${row} ${row % 10 === 0 ? "&amp;" : "and"} ${column}`);
    return `<c ${place} t="s"><v>${known}</v></c>`;
  };
  const line = (_: unknown, index: number) =>
    `<row r="${index + 1}">${Array.from({ length: columns }, (_, column) => cell(index + 1, column)).join("")}</row>`;
  const cells = Array.from({ length: rows }, line).join("");
  const target = (id: number, type: string, part: string) =>
    `<Relationship Id="rId${id}" Type="${relations}/${type}" Target="${part}"/>`;
  return makeZip([
    { name: "[Content_Types].xml", content: "<Types/>" },
    {
      name: "xl/workbook.xml",
      content: `<workbook xmlns="${namespace}" xmlns:r="${relations}"><sheets><sheet name="Data" r:id="rId1"/></sheets></workbook>`,
    },
    {
      name: "xl/_rels/workbook.xml.rels",
      content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${target(1, "worksheet", "worksheets/sheet1.xml")}${target(2, "sharedStrings", "sharedStrings.xml")}</Relationships>`,
    },
    {
      name: "xl/worksheets/sheet1.xml",
      content: `<worksheet xmlns="${namespace}"><sheetData>${cells}</sheetData></worksheet>`,
    },
    {
      name: "xl/sharedStrings.xml",
      content: `<sst xmlns="${namespace}">${texts.map((text) => `<si><t>${text}</t></si>`).join("")}</sst>`,
    },
  ]);
}
