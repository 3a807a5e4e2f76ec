import type { Range } from "./cell-address.ts";

/** A sheet of a workbook, which is read when it is asked for. */
export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** Rows that have something in the range, in order; nothing is read further than it is taken. */
  rows(range: Range): Iterable<Row>;
  /** What else there is to say of the cells of a range: lines of text. */
  remarks(range: Range): readonly string[];
}

export interface Row {
  /** Counted from 1. */
  readonly number: number;
  /** Those that have something in them. */
  readonly cells: readonly Cell[];
}

export interface Cell {
  /** Counted from 1. */
  readonly column: number;
  readonly text: string;
}
