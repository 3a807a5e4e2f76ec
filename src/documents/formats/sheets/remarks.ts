import type { Range } from "./cell-address.ts";

/** What is said of cells beside what is in them. */
export interface Remarks {
  readonly merged: readonly Remark[];
  readonly comments: readonly Remark[];
}

export interface Remark {
  readonly range: Range;
  readonly text: string;
}

const most = 50;

/** Those that have to do with a range, as lines. */
export function showRemarks({ merged, comments }: Remarks, range: Range): readonly string[] {
  const inRange = (remarks: readonly Remark[]) => {
    const found = remarks.filter((remark) => overlap(remark.range, range)).map(({ text }) => text);
    return found.length > most ? [...found.slice(0, most), `and ${found.length - most} more`] : found;
  };
  const cells = inRange(merged);
  const notes = inRange(comments);
  return [
    ...(cells.length > 0 ? [`Merged: ${cells.join(", ")}`] : []),
    ...(notes.length > 0 ? ["Comments:", ...notes.map((note) => `- ${note}`)] : []),
  ];
}

function overlap(one: Range, other: Range): boolean {
  return (
    one.firstRow <= other.lastRow &&
    one.lastRow >= other.firstRow &&
    one.firstColumn <= other.lastColumn &&
    one.lastColumn >= other.firstColumn
  );
}
