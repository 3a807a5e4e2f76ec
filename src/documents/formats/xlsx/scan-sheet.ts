import type { Budget } from "../../budget.ts";
import { isEndOfName, prefixOf } from "./shared-strings.ts";

/** A cell as the file has it. */
export interface RawCell {
  column: number;
  /** "s" for a shared text, "b", "e", "str", "inlineStr", "d"; empty for a number. */
  type: string;
  /** The number of its style; 0 without one. */
  style: number;
  /** Between `<v>` and `</v>`, entities as they are. */
  value: string;
  /** Between `<is>` and `</is>`. */
  inline: string | undefined;
  formula: RawFormula | undefined;
}

export interface RawFormula {
  /** Entities as they are; empty where it is another cell's. */
  readonly text: string;
  /** "shared", "array", "dataTable"; empty for a plain one. */
  readonly type: string;
  readonly shared: string;
}

export interface Scanning {
  readonly first: number;
  readonly last: number;
  readonly budget: Budget;
}

/**
 * The rows of a sheet, one when it is asked for, with what `read` makes of each cell that is not empty. Not by
 * XmlReader: most of what there is to read in a workbook are cells, and what is known of them makes this three times as
 * fast.
 */
export function* scanRows<Made>(
  xml: string,
  { first, last, budget }: Scanning,
  read: (cell: RawCell, row: number) => Made | undefined,
): Generator<{ readonly number: number; readonly cells: Made[] }> {
  const tags = tagsOf(prefixOf(xml, "worksheet"));
  let at = xml.indexOf(tags.data);
  if (at < 0) return;
  let number = 0;
  for (;;) {
    at = nextTag(xml, at + 1, tags.row, tags.dataEnd);
    const open = at < 0 ? -1 : xml.indexOf(">", at);
    if (open < 0) return;
    number = Number(attribute(xml.slice(at, open), "r")) || number + 1;
    if (number > last) return;
    if (xml.charCodeAt(open - 1) === slash) {
      at = open;
      continue;
    }
    const end = upTo(xml, tags.rowEnd, open);
    if (number >= first) {
      const row = number;
      const cells: Made[] = [];
      budget.walk(scanCells(xml, open, end, tags, take) + 1);
      yield { number, cells };

      function take(cell: RawCell): void {
        const made = read(cell, row);
        if (made !== undefined) cells.push(made);
      }
    }
    at = end;
  }
}

interface Tags {
  readonly data: string;
  readonly dataEnd: string;
  readonly row: string;
  readonly rowEnd: string;
  readonly cell: string;
  readonly cellEnd: string;
  readonly value: string;
  readonly formula: string;
  readonly formulaEnd: string;
  readonly inline: string;
  readonly inlineEnd: string;
}

function tagsOf(prefix: string): Tags {
  const begin = (name: string) => `<${prefix}${name}`;
  const end = (name: string) => `</${prefix}${name}>`;
  return {
    data: begin("sheetData"),
    dataEnd: `</${prefix}sheetData`,
    row: begin("row"),
    rowEnd: end("row"),
    cell: begin("c"),
    cellEnd: end("c"),
    value: begin("v"),
    formula: begin("f"),
    formulaEnd: end("f"),
    inline: begin("is"),
    inlineEnd: end("is"),
  };
}

/** Where the next tag of this name begins, unless the other comes first. */
function nextTag(xml: string, from: number, name: string, before: string): number {
  for (let at = xml.indexOf("<", from); at >= 0; at = xml.indexOf("<", at + 1)) {
    if (startsTag(xml, name, at)) return at;
    if (xml.startsWith(before, at)) return -1;
  }
  return -1;
}

/** Tells how many it came by. */
function scanCells(
  xml: string,
  start: number,
  end: number,
  tags: Tags,
  take: (cell: RawCell) => void,
): number {
  // One for all of them: there may be millions.
  const cell: RawCell = { column: 0, type: "", style: 0, value: "", inline: undefined, formula: undefined };
  let count = 0;
  let at = xml.indexOf(tags.cell, start);
  while (at >= 0 && at < end) {
    if (!isEndOfName(xml.charCodeAt(at + tags.cell.length))) {
      at = xml.indexOf(tags.cell, at + 1);
      continue;
    }
    count += 1;
    cell.column += 1;
    cell.type = "";
    cell.style = 0;
    const open = readAttributes(xml, at + tags.cell.length, cell);
    if (open < 0) break;
    let close = open;
    if (xml.charCodeAt(open - 1) !== slash) {
      const found = xml.indexOf(tags.cellEnd, open);
      close = found < 0 || found > end ? end : found;
      cell.value = "";
      cell.inline = undefined;
      cell.formula = undefined;
      readContent(xml, open, close, tags, cell);
      take(cell);
    }
    at = xml.indexOf(tags.cell, close);
  }
  return count;
}

/** Those of a cell, from behind its name; tells where its tag ends. */
function readAttributes(xml: string, start: number, cell: RawCell): number {
  let at = start;
  for (;;) {
    let code = xml.charCodeAt(at);
    while (code <= blank) code = xml.charCodeAt(++at);
    if (code === greater || Number.isNaN(code)) return code === greater ? at : -1;
    const name = at;
    const equals = xml.indexOf("=", at);
    const tagEnd = xml.indexOf(">", at);
    if (equals < 0 || tagEnd < equals) return tagEnd;
    at = equals + 1;
    while (xml.charCodeAt(at) <= blank) at += 1;
    const mark = xml.charCodeAt(at);
    const end =
      mark === quote ? xml.indexOf('"', at + 1) : mark === apostrophe ? xml.indexOf("'", at + 1) : -1;
    if (end < 0) return tagEnd;
    if (isEndOfName(xml.charCodeAt(name + 1)) || name + 1 === equals) {
      if (code === letterR) cell.column = columnAt(xml, at + 1) || cell.column;
      else if (code === letterS) cell.style = Number(xml.slice(at + 1, end)) || 0;
      else if (code === letterT) cell.type = xml.slice(at + 1, end);
    }
    at = end + 1;
  }
}

function readContent(xml: string, start: number, end: number, tags: Tags, cell: RawCell): void {
  for (let at = xml.indexOf("<", start); at >= 0 && at < end; at = xml.indexOf("<", at + 1)) {
    if (startsTag(xml, tags.value, at)) {
      const open = xml.indexOf(">", at);
      if (xml.charCodeAt(open - 1) === slash) continue;
      at = upTo(xml, "<", open);
      cell.value = xml.slice(open + 1, at);
    } else if (startsTag(xml, tags.formula, at)) {
      const open = xml.indexOf(">", at);
      const tag = xml.slice(at, open);
      const isEmpty = xml.charCodeAt(open - 1) === slash;
      at = isEmpty ? open : Math.min(end, upTo(xml, tags.formulaEnd, open));
      const text = isEmpty ? "" : xml.slice(open + 1, at);
      cell.formula = { text, type: attribute(tag, "t"), shared: attribute(tag, "si") };
    } else if (startsTag(xml, tags.inline, at)) {
      const close = Math.min(end, upTo(xml, tags.inlineEnd, at));
      cell.inline = xml.slice(at, close);
      at = close;
    }
  }
}

function startsTag(xml: string, tag: string, at: number): boolean {
  return xml.startsWith(tag, at) && isEndOfName(xml.charCodeAt(at + tag.length));
}

function upTo(xml: string, tag: string, from: number): number {
  const at = xml.indexOf(tag, from);
  return at < 0 ? xml.length : at;
}

const blank = 0x20;
const slash = 0x2f;
const greater = 0x3e;
const quote = 0x22;
const apostrophe = 0x27;
const letterR = 0x72;
const letterS = 0x73;
const letterT = 0x74;

/** The value of an attribute of a tag, given without its end; empty where it has none. */
function attribute(tag: string, name: string): string {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  return match?.[1] ?? match?.[2] ?? "";
}

/** Of an address, "BC23" for example, that begins there; 0 for what is none. */
function columnAt(xml: string, start: number): number {
  let column = 0;
  for (let at = start; ; at += 1) {
    const letter = xml.charCodeAt(at) & ~0x20;
    if (!(letter >= 65 && letter <= 90) || column > 1_000_000) return column;
    column = column * 26 + letter - 64;
  }
}
