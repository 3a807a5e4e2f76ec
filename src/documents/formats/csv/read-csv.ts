import type { DocumentSource } from "../../../contract/document.ts";
import { counted } from "../../../lib/counted.ts";
import { byteOrderMarkLength, decodeText, detectEncoding, detectionBytes } from "../../../lib/encoding.ts";
import { anchorOf, cutPart, wantedParts } from "../../anchors.ts";
import { markdownRow } from "../../markdown-table.ts";
import type { DocumentReader } from "../../reader.ts";
import { detectDialect, hasHeader, splitRows } from "./dialect.ts";
import { indexRows, type RowIndex } from "./row-index.ts";

/** By rows, which are counted from the first below the names of the columns. */
export const readCsv: DocumentReader = (source, wanted, desk) => {
  const { bytes, decode, encoding } = toBytes(source);
  const sample = decode(bytes.subarray(0, detectionBytes));
  const dialect = detectDialect(sample, isTabbed(source) ? "\t" : ",");
  const from = dialect.namesDelimiter ? bytes.indexOf(0x0a) + 1 : 0;
  const index = indexRows(bytes, dialect, from);
  const read = (row: number): readonly string[] => {
    const isPlain = index.unclosed !== undefined && row >= index.unclosed;
    const text = decode(bytes.subarray(index.start(row), index.start(row + 1)));
    const cells = splitRows(text, isPlain ? { ...dialect, quote: "\0" } : dialect)[0] ?? [];
    desk.budget.walk(cells.length + 1);
    return cells;
  };
  const beginning = Array.from({ length: Math.min(index.count, 100) }, (_, row) => read(row));
  const headRows = hasHeader(beginning) ? 1 : 0;
  const width = beginning[0]?.length ?? 0;
  const head =
    headRows === 1 ? beginning[0]! : Array.from({ length: width }, (_, column) => `column ${column + 1}`);
  const order = { one: "row", total: index.count - headRows, name: source.name };
  const content = {
    format: isTabbed(source) ? "tsv" : "csv",
    description: `${delimiterNames[dialect.delimiter] ?? dialect.delimiter}-separated values`,
    properties: { columns: String(width), "column names": headRows === 1 ? "yes" : "no", encoding },
    consistsOf: { one: "row", total: order.total },
    images: [],
    notes: notesOn(index, headRows),
  };
  if (order.total === 0 && wanted.part === undefined) {
    const text = headRows === 0 && index.count === 0 ? "(empty)" : table(head, []);
    return { ...content, parts: [{ anchor: "", text }], next: undefined };
  }
  const { first, last, from: character } = wantedParts(wanted.part, order);
  const lines: string[] = [];
  let length = table(head, []).length;
  let row = first;
  for (; row <= last; row += 1) {
    const line = markdownRow(read(row - 1 + headRows));
    length += line.length + 1;
    if (row > first && length > wanted.maxChars) break;
    lines.push(line);
    if (lines.length % 10_000 === 0) desk.progress(`row ${row} of ${order.total}`);
  }
  const shown = anchorOf({ first, last: row - 1, from: 1 }, { one: "row", total: Number.NaN });
  const { part, next } = cutPart({ anchor: shown, text: table(head, lines) }, character, wanted.maxChars);
  const rest = next === undefined ? { first: row, last, from: 1 } : { first, last, from: next };
  return {
    ...content,
    parts: [part],
    next: rest.first <= last ? anchorOf(rest, order) : undefined,
  };
};

const delimiterNames: Readonly<Record<string, string>> = {
  ",": "comma",
  ";": "semicolon",
  "\t": "tab",
  "|": "bar",
};

function table(head: readonly string[], lines: readonly string[]): string {
  return [markdownRow(head), `|${"---|".repeat(head.length)}`, ...lines].join("\n");
}

function isTabbed({ name, mediaType }: DocumentSource): boolean {
  return /\.(?:tsv|tab)$/i.test(name) || /tab-separated/i.test(mediaType ?? "");
}

interface Decoding {
  readonly bytes: Uint8Array;
  readonly encoding: string;
  readonly decode: (bytes: Uint8Array) => string;
}

/** As bytes in which all signs of a dialect are single ones. */
function toBytes({ bytes, mediaType }: DocumentSource): Decoding {
  const head = bytes.subarray(0, detectionBytes);
  const detected = detectEncoding(head, { complete: head.length === bytes.length });
  const encoding = detected === "binary" ? "latin1" : detected;
  const plain = bytes.subarray(byteOrderMarkLength(head));
  if (encoding === "utf-16le" || encoding === "utf-16be") {
    const text = decodeText(plain, encoding).text;
    return { bytes: Buffer.from(text), encoding, decode: decoderOf("utf-8") };
  }
  const declared = /charset\s*=\s*"?([\w-]+)/i.exec(mediaType ?? "")?.[1]?.toLowerCase();
  const isUtf8 = encoding === "utf-8" || encoding === "utf-8-bom";
  // What is not UTF-8 is what Windows writes, if nobody says otherwise.
  const label = isUtf8
    ? "utf-8"
    : declared !== undefined && isSingleByte(declared)
      ? declared
      : "windows-1252";
  return { bytes: plain, encoding: label, decode: decoderOf(label) };
}

function isSingleByte(label: string): boolean {
  return /^(?:iso-8859-\d+|windows-\d+|koi8-[ru]|macintosh)$/.test(label);
}

function decoderOf(label: string): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  return (bytes) => decoder.decode(bytes);
}

function notesOn({ ragged, raggedCount, unclosed }: RowIndex, headRows: number): readonly string[] {
  const notes: string[] = [];
  const number = (row: number) => row + 1 - headRows;
  if (raggedCount > 0) {
    const list = ragged.map(number).join(", ");
    const more = raggedCount > ragged.length ? ", and more" : "";
    const rows = counted(raggedCount, "row has", "rows have");
    notes.push(`${rows} another number of cells than the first: ${list}${more}`);
  }
  if (unclosed !== undefined)
    notes.push(
      `a quote in row ${number(unclosed)} is never closed: from there on quotes are shown as they are`,
    );
  return notes;
}
