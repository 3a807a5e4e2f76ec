import type { XmlReader } from "../../xml/xml-reader.ts";
import { link } from "../office/link.ts";
import { readSpaces } from "../opendocument/read-spaces.ts";
import { showNumber } from "../sheets/show-number.ts";

export interface OpenDocumentCell {
  /** Value and formula; empty for an empty cell. */
  readonly text: string;
  readonly comment: string | undefined;
  /** How many columns and rows it covers, if more than one: "3x1". */
  readonly covers: { readonly columns: number; readonly rows: number } | undefined;
}

/** The cell that began last in the reader. */
export function readCell(reader: XmlReader): OpenDocumentCell {
  const type = reader.attribute("office:value-type");
  const value = reader.attribute(valueAttributes[type ?? ""] ?? "office:value") ?? "";
  const formula = reader.attribute("table:formula");
  const columns = countIn(reader, "table:number-columns-spanned");
  const rows = countIn(reader, "table:number-rows-spanned");
  const { text, comment } = readContent(reader);
  const shown = showValue(type, value, text);
  const computed = formula === undefined ? "" : `=${plainFormula(formula)}`;
  return {
    text: computed === "" ? shown : shown === "" ? computed : `${shown} (${computed})`,
    comment,
    covers: columns > 1 || rows > 1 ? { columns, rows } : undefined,
  };
}

/** How often something is repeated, or how much it covers. Files may say a million for nothing, or what is no number. */
export function countIn(reader: XmlReader, attribute: string): number {
  const count = Number(reader.attribute(attribute) ?? "1");
  return Number.isSafeInteger(count) && count > 0 ? count : 1;
}

const valueAttributes: Readonly<Record<string, string>> = {
  date: "office:date-value",
  time: "office:time-value",
  boolean: "office:boolean-value",
  string: "office:string-value",
};

function showValue(type: string | undefined, value: string, text: string): string {
  // What went wrong is only said in words.
  if (type === undefined || type === "string" || value === "" || /^(?:#|Err:)/.test(text))
    return text || value;
  if (type === "boolean") return value.toUpperCase();
  if (type === "percentage") return showNumber(value, "percent", false);
  if (type === "float" || type === "currency") return showNumber(value, "plain", false);
  if (type === "time") return showTime(value);
  // In some places a link is what a date is shown as.
  return value;
}

/** "PT14H30M00S" as "14:30:00". */
function showTime(value: string): string {
  const match = /^(-?)P(?:(\d+)D)?T(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S$/.exec(value);
  if (!match) return value;
  const [, sign, days = "0", hours, minutes, seconds] = match;
  const all = String(Number(days) * 24 + Number(hours)).padStart(2, "0");
  return `${sign}${all}:${minutes!.padStart(2, "0")}:${seconds!.padStart(2, "0")}`;
}

/** "of:=SUM([.B2:.B4];[Other.C1])" as spreadsheets show it: "SUM(B2:B4;Other!C1)". */
export function plainFormula(formula: string): string {
  return formula
    .replace(/^(?:\w+:)?=/, "")
    .replaceAll(/"[^"]*"|\[([^\]]*)\]/g, (whole, reference: string | undefined) =>
      reference === undefined ? whole : plainReference(reference),
    );
}

function plainReference(reference: string): string {
  return reference
    .split(/:(?=(?:[^']*'[^']*')*[^']*$)/)
    .map((end) => {
      const dot = end.lastIndexOf(".");
      const sheet = end.slice(0, Math.max(dot, 0)).replace(/^\$/, "");
      const cell = end.slice(dot + 1);
      return sheet === "" ? cell : `${sheet}!${cell}`;
    })
    .join(":");
}

function readContent(reader: XmlReader): { readonly text: string; readonly comment: string | undefined } {
  const { depth } = reader;
  const paragraphs: string[] = [];
  let comment: string | undefined;
  while (reader.child(depth)) {
    if (reader.is("office:annotation")) comment = readComment(reader);
    else if (reader.is("text:p")) paragraphs.push(readParagraph(reader));
  }
  return { text: paragraphs.join("\n").trim(), comment };
}

function readComment(reader: XmlReader): string {
  const { depth } = reader;
  let author = "";
  const paragraphs: string[] = [];
  while (reader.child(depth)) {
    if (reader.is("dc:creator")) author = reader.content().trim();
    else if (reader.is("text:p")) paragraphs.push(readParagraph(reader));
  }
  const text = paragraphs.join(" ").replaceAll(/\s+/g, " ").trim();
  return author === "" ? text : `${author}: ${text}`;
}

function readParagraph(reader: XmlReader): string {
  const { depth } = reader;
  let text = "";
  for (;;) {
    const node = reader.node(depth);
    if (node === undefined) return text;
    if (node === "text") text += reader.text.replaceAll(/\s+/g, " ");
    else if (reader.is("text:s")) text += readSpaces(reader);
    else if (reader.is("text:tab")) text += "\t";
    else if (reader.is("text:line-break")) text += "\n";
    else if (reader.is("text:a")) {
      const target = reader.attribute("xlink:href");
      text += link(readParagraph(reader), target);
    } else text += readParagraph(reader);
  }
}
