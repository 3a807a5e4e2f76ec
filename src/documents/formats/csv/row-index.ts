import type { Dialect } from "./dialect.ts";

/** Where the rows of a file are. Found by one walk over its bytes: only what is shown is ever decoded. */
export interface RowIndex {
  readonly count: number;
  /** Where a row begins, counted from 0; the end of the last one for `count`. */
  start(row: number): number;
  /** Rows that have another number of cells than the first, counted from 0. */
  readonly ragged: readonly number[];
  readonly raggedCount: number;
  /** The row in which a quote begins that never ends: from there on quotes are signs like any other. */
  readonly unclosed: number | undefined;
}

/** Of every so many rows the place is kept, the others are found from it. */
const stride = 256;
const mostRagged = 20;

export function indexRows(bytes: Uint8Array, dialect: Dialect, from: number): RowIndex {
  const places: number[] = [];
  const ragged: number[] = [];
  let count = 0;
  let raggedCount = 0;
  let width = 0;
  const unclosed = walkRows(bytes, dialect, { from, quotesEnd: bytes.length }, (start, cells) => {
    if (count % stride === 0) places.push(start);
    if (count === 0) width = cells;
    else if (cells !== width && raggedCount++ < mostRagged) ragged.push(count);
    count += 1;
    return true;
  });
  const quotesEnd = unclosed ?? bytes.length;
  let last = { row: -1, start: -1 };
  return {
    count,
    ragged,
    raggedCount,
    unclosed: unclosed === undefined ? undefined : rowAt(unclosed),
    start,
  };

  function start(row: number): number {
    if (row >= count) return bytes.length;
    const near = Math.floor(row / stride);
    let at =
      last.row >= near * stride && last.row <= row ? last : { row: near * stride, start: places[near]! };
    if (at.row < row) {
      let number = at.row - 1;
      let found = at.start;
      walkRows(bytes, dialect, { from: at.start, quotesEnd }, (place) => {
        number += 1;
        found = place;
        return number < row;
      });
      at = { row, start: found };
    }
    last = at;
    return at.start;
  }

  function rowAt(place: number): number {
    let row = places.findLastIndex((start) => start <= place) * stride;
    while (row + 1 < count && start(row + 1) <= place) row += 1;
    return row;
  }
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

interface Walk {
  readonly from: number;
  /** Quotes from here on are signs like any other. */
  readonly quotesEnd: number;
}

/**
 * Tells `each` row that has something in it, where it begins and how many cells it has, until that says false. Answers
 * where a quote stands that never ends, which then counts as the last.
 */
function walkRows(
  bytes: Uint8Array,
  dialect: Dialect,
  { from, quotesEnd }: Walk,
  each: (start: number, cells: number) => boolean,
): number | undefined {
  const delimiter = dialect.delimiter.charCodeAt(0);
  const quote = dialect.quote.charCodeAt(0);
  const { length } = bytes;
  let unclosed: number | undefined;
  let start = from;
  let cells = 1;
  let beginsCell = true;
  for (let at = from; at <= length; at += 1) {
    const byte = at === length ? lineFeed : bytes[at]!;
    if (byte === quote && beginsCell && at < quotesEnd && unclosed === undefined) {
      const close = endOfQuoted(bytes, at, quote);
      if (close < 0) unclosed = at;
      else at = close;
      beginsCell = false;
    } else if (byte === delimiter) {
      cells += 1;
      beginsCell = true;
    } else if (byte === lineFeed || byte === carriageReturn) {
      if (at > start && !each(start, cells)) return unclosed;
      start = at + 1;
      cells = 1;
      beginsCell = true;
    } else beginsCell = false;
  }
  return unclosed;
}

/** Where the quote stands that ends the one at `at`; -1 if none does. */
function endOfQuoted(bytes: Uint8Array, at: number, quote: number): number {
  const { length } = bytes;
  for (let close = at + 1; close < length; close += 1)
    if (bytes[close] === quote) {
      if (bytes[close + 1] !== quote) return close;
      close += 1;
    }
  return -1;
}
