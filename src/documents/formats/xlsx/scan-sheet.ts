import type { Budget } from "../../budget.ts";
import { damaged } from "../../reader.ts";
import { isEndOfName, prefixOf } from "./shared-strings.ts";

export interface RawCell {
  column: number;
  /** The type: "s" for a shared text, "b", "e", "str", "inlineStr" or "d"; empty for a number. */
  type: string;
  /** The index of the cell's style; 0 without a style. */
  style: number;
  /** The text between `<v>` and `</v>`, with entities. */
  value: string;
  /** The text between `<is>` and `</is>`. */
  inline: string | undefined;
  formula: RawFormula | undefined;
}

export interface RawFormula {
  /** The formula with entities; empty when it is in another cell. */
  readonly text: string;
  /** The type: "shared", "array" or "dataTable"; empty for a plain formula. */
  readonly type: string;
  readonly shared: string;
}

export interface Scanning {
  readonly first: number;
  readonly last: number;
  readonly budget: Budget;
  /** The name of the document, for messages. */
  readonly name: string;
}

/** Yields the rows of a sheet with the results of `read`. It is three times as fast as XmlReader. */
export function* scanRows<Made>(
  xml: string,
  { first, last, budget, name }: Scanning,
  read: (cell: RawCell, row: number) => Made | undefined,
): Generator<{ readonly number: number; readonly cells: Made[] }> {
  const tags = tagsOf(prefixOf(xml, "worksheet"));
  let at = xml.indexOf(tags.data);
  if (at < 0) return;
  let number = 0;
  for (;;) {
    at = xml.indexOf("<", at + 1);
    if (at < 0 || xml.startsWith(tags.dataEnd, at)) return;
    if (!startsTag(xml, tags.row, at)) continue;
    const open = xml.indexOf(">", at);
    if (open < 0) return;
    const before = number;
    number = rowNumber(xml, at + tags.row.length, open) || number + 1;
    // The format requires rows and cells in order, and every program writes them in order.
    if (number <= before) throw damaged(name, `row ${number} of a sheet comes after row ${before}`);
    if (number > last) return;
    at = open;
    if (xml.charCodeAt(open - 1) === slash) continue;
    if (number < first) {
      at = upTo(xml, tags.rowEnd, open);
      continue;
    }
    const row = number;
    const cells: Made[] = [];
    at = scanCells(xml, open, tags, (cell, before) => {
      if (cell.column <= before) throw damaged(name, `the cells of row ${row} are not in order`);
      const made = read(cell, row);
      if (made !== undefined) cells.push(made);
    });
    budget.walk(cells.length + 1);
    yield { number, cells };
  }
}

/** Returns the number in the tag of a row; 0 without a number. */
function rowNumber(xml: string, start: number, open: number): number {
  // Nearly every row has `r` first, and there may be a million rows, so this case avoids a regular expression.
  if (!xml.startsWith(' r="', start)) return Number(attribute(xml.slice(start, open), "r")) || 0;
  let number = 0;
  for (let at = start + 4; at < open; at += 1) {
    const digit = xml.charCodeAt(at) - 0x30;
    if (!(digit >= 0 && digit <= 9)) break;
    number = number * 10 + digit;
  }
  return number;
}

interface Tags {
  /** The length of the prefix of names. */
  readonly prefix: number;
  readonly data: string;
  readonly dataEnd: string;
  readonly row: string;
  readonly rowEnd: string;
  readonly formula: string;
  readonly inline: string;
  readonly inlineEnd: string;
}

function tagsOf(prefix: string): Tags {
  return {
    prefix: prefix.length,
    data: `<${prefix}sheetData`,
    dataEnd: `</${prefix}sheetData`,
    row: `<${prefix}row`,
    rowEnd: `</${prefix}row`,
    formula: `<${prefix}f`,
    inline: `<${prefix}is`,
    inlineEnd: `</${prefix}is>`,
  };
}

/** Scans the cells of a row, from the end of its tag. Returns the end of the row. */
function scanCells(
  xml: string,
  start: number,
  tags: Tags,
  take: (cell: RawCell, before: number) => void,
): number {
  // One object serves all cells, because there may be millions.
  const cell: RawCell = { column: 0, type: "", style: 0, value: "", inline: undefined, formula: undefined };
  const name = 1 + tags.prefix;
  let at = start;
  for (;;) {
    at = xml.indexOf("<", at + 1);
    if (at < 0) return xml.length;
    if (xml.charCodeAt(at + name) !== letterC || !isEndOfName(xml.charCodeAt(at + name + 1))) {
      if (xml.startsWith(tags.rowEnd, at)) return at;
      continue;
    }
    const before = cell.column;
    cell.column += 1;
    cell.type = "";
    cell.style = 0;
    at = readAttributes(xml, at + name + 1, cell);
    if (at < 0) return xml.length;
    if (xml.charCodeAt(at - 1) === slash) continue;
    cell.value = "";
    cell.inline = undefined;
    cell.formula = undefined;
    at = readContent(xml, at, tags, cell);
    take(cell, before);
  }
}

/** Reads the attributes of a cell, starting after its name. Returns the end of its tag. */
function readAttributes(xml: string, start: number, cell: RawCell): number {
  let at = start;
  for (;;) {
    let code = xml.charCodeAt(at);
    while (code <= blank) code = xml.charCodeAt(++at);
    // The cell is empty: the next "=" belongs to another cell.
    if (code === slash) code = xml.charCodeAt(++at);
    if (code === greater) return at;
    const begin = xml.charCodeAt(at + 1) === equals ? at + 2 : xml.indexOf("=", at) + 1;
    const mark = xml[begin];
    if (begin === 0 || (mark !== '"' && mark !== "'")) return xml.indexOf(">", at);
    const end = xml.indexOf(mark, begin + 1);
    if (end < 0) return -1;
    if (begin === at + 2) {
      if (code === letterR) cell.column = columnAt(xml, begin + 1) || cell.column;
      else if (code === letterS) cell.style = Number(xml.slice(begin + 1, end)) || 0;
      else if (code === letterT) cell.type = xml.slice(begin + 1, end);
    }
    at = end + 1;
  }
}

/** Reads the content of a cell, starting at the end of its tag. Returns the end of the cell. */
function readContent(xml: string, start: number, tags: Tags, cell: RawCell): number {
  const name = 1 + tags.prefix;
  let at = start;
  for (;;) {
    at = xml.indexOf("<", at + 1);
    if (at < 0) return xml.length;
    const code = xml.charCodeAt(at + name);
    if (code === letterV && isEndOfName(xml.charCodeAt(at + name + 1))) {
      const open = xml.indexOf(">", at);
      if (xml.charCodeAt(open - 1) === slash) continue;
      at = upTo(xml, "<", open);
      cell.value = xml.slice(open + 1, at);
    } else if (xml.charCodeAt(at + 1) === slash) {
      if (xml.charCodeAt(at + name + 1) === letterC && isEndOfName(xml.charCodeAt(at + name + 2))) return at;
      // The cell was not closed.
      if (xml.startsWith(tags.rowEnd, at)) return at - 1;
    } else if (startsTag(xml, tags.formula, at)) {
      const open = upTo(xml, ">", at);
      const tag = xml.slice(at, open);
      const isEmpty = xml.charCodeAt(open - 1) === slash;
      at = isEmpty ? open : upTo(xml, "<", open);
      const text = isEmpty ? "" : xml.slice(open + 1, at);
      cell.formula = { text, type: attribute(tag, "t"), shared: attribute(tag, "si") };
    } else if (startsTag(xml, tags.inline, at)) {
      const close = upTo(xml, tags.inlineEnd, at);
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
const equals = 0x3d;
const greater = 0x3e;
const letterC = 0x63;
const letterR = 0x72;
const letterS = 0x73;
const letterT = 0x74;
const letterV = 0x76;

/** Returns the value of an attribute in a tag, which is given without its end; empty when it is missing. */
function attribute(tag: string, name: string): string {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  return match?.[1] ?? match?.[2] ?? "";
}

/** Returns the column of an address like "BC23"; 0 for other text. */
function columnAt(xml: string, start: number): number {
  let column = 0;
  for (let at = start; ; at += 1) {
    const letter = xml.charCodeAt(at) & ~0x20;
    if (!(letter >= 65 && letter <= 90) || column > 1_000_000) return column;
    column = column * 26 + letter - 64;
  }
}
