/** How the cells of a file are told apart. All signs are ASCII. */
export interface Dialect {
  readonly delimiter: string;
  readonly quote: string;
  /** Its first line names the delimiter, as Excel writes it, and is no row: `sep=;`. */
  readonly namesDelimiter: boolean;
}

const delimiters = [",", "\t", ";", "|"] as const;

/**
 * By the beginning of a file: the delimiter with which most of its rows have the same number of cells, and more than
 * one. `usual` where nothing tells.
 */
export function detectDialect(sample: string, usual: string): Dialect {
  const named = /^sep=(.)\r?\n/i.exec(sample);
  if (named) return { delimiter: named[1]!, quote: '"', namesDelimiter: true };
  const quote = usesApostrophes(sample) ? "'" : '"';
  const ordered = [usual, ...delimiters.filter((delimiter) => delimiter !== usual)];
  const scores = ordered.map((delimiter) => score(sample, { delimiter, quote, namesDelimiter: false }));
  const best = scores.indexOf(Math.max(...scores));
  return { delimiter: scores[best]! > 0 ? ordered[best]! : usual, quote, namesDelimiter: false };
}

function usesApostrophes(sample: string): boolean {
  return !sample.includes('"') && /(?:^|[,;\t|\n])'[^'\n]*'(?=[,;\t|\r\n]|$)/.test(sample);
}

/** How many of the rows agree, with a little more for more cells. */
function score(sample: string, dialect: Dialect): number {
  const rows = splitRows(sample, dialect).slice(0, 200);
  // The last may be cut off.
  if (rows.length > 1) rows.pop();
  const widths = new Map<number, number>();
  for (const { length } of rows) widths.set(length, (widths.get(length) ?? 0) + 1);
  let best = 0;
  for (const [width, count] of widths)
    if (width > 1) best = Math.max(best, count / rows.length + Math.min(width, 50) / 1000);
  return best;
}

/** Rows of cells; lines with nothing in them are none. */
export function splitRows(text: string, { delimiter, quote }: Dialect): string[][] {
  const rows: string[][] = [];
  let at = 0;
  while (at < text.length) {
    const row: string[] = [];
    const start = at;
    for (;;) {
      const cell = readCell(text, at, delimiter, quote);
      row.push(cell.text);
      at = cell.end + 1;
      if (text[cell.end] !== delimiter) {
        if (cell.end > start) rows.push(row);
        break;
      }
    }
  }
  return rows;
}

/** The cell that begins at `start`; `end` is where its delimiter or its line end stands. */
function readCell(
  text: string,
  start: number,
  delimiter: string,
  quote: string,
): { readonly text: string; readonly end: number } {
  let at = start;
  let quoted = "";
  if (text[at] === quote) {
    for (;;) {
      const close = text.indexOf(quote, at + 1);
      // Without its end it is a sign like any other.
      if (close < 0)
        return { text: text.slice(start, endOf(text, start, delimiter)), end: endOf(text, start, delimiter) };
      quoted += text.slice(at + 1, close);
      at = close + 1;
      if (text[at] !== quote) break;
      quoted += quote;
    }
  }
  const end = endOf(text, at, delimiter);
  return { text: quoted + text.slice(at, end), end };
}

function endOf(text: string, from: number, delimiter: string): number {
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === delimiter || sign === "\n" || sign === "\r") return at;
  }
  return text.length;
}

/** The first row says what the columns are: words, each of its own, where below there are also numbers or nothing. */
export function hasHeader(rows: readonly (readonly string[])[]): boolean {
  const [first, ...others] = rows;
  if (!first || others.length === 0) return false;
  const names = first.map((cell) => cell.trim());
  if (names.some((name) => name === "" || isValue(name)) || new Set(names).size < names.length) return false;
  const hasValues = names.some((_, column) => others.some((row) => isValue(row[column]?.trim() ?? "")));
  // Where all is words, a name is short and none of those below it.
  return (
    hasValues ||
    names.every(
      (name, column) =>
        name.length <= 40 && !/[.!?]\s/.test(name) && others.every((row) => row[column]?.trim() !== name),
    )
  );
}

/** A number, a date, an address: nothing that a column would be called. */
function isValue(text: string): boolean {
  return /^[-+(]?[\p{Sc}]?\s?\d[\d.,:/' -]*(?:[eE][-+]?\d+)?\s?[%\p{Sc})]?$|^\d{4}-\d\d-\d\d|^(?:true|false|null|n\/a)$|^https?:|@.+\./iu.test(
    text,
  );
}
