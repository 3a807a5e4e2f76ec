import type { Budget } from "../../budget.ts";
import { append, type Block, cellText } from "../../shared/blocks.ts";

/** Paragraph properties. They apply until `\pard` or the end of the group. */
export interface ParagraphKind {
  readonly style?: number;
  readonly outline?: number;
  readonly level: number;
  readonly isInTable: boolean;
}

export const plainParagraph: ParagraphKind = { level: 0, isInTable: false };

/** Collects the blocks of the document, a footnote, a header or a text box. */
export class Sheet {
  line = "";
  /** The number of paragraphs that have ended. */
  ended = 0;
  marker = "";
  readonly boxes: Block[] = [];
  readonly cited: Block[] = [];
  readonly #blocks: Block[] = [];
  readonly #budget: Budget;
  readonly #headingOf: (kind: ParagraphKind) => number | undefined;
  #rows: string[][] = [];
  #row: string[] = [];
  #cell: Block[] = [];

  constructor(budget: Budget, headingOf: (kind: ParagraphKind) => number | undefined) {
    this.#budget = budget;
    this.#headingOf = headingOf;
  }

  endParagraph(kind: ParagraphKind): void {
    const text = this.line;
    const marker = showMarker(this.marker);
    const isEmpty = text.trim() === "";
    this.line = "";
    this.marker = "";
    this.ended += 1;
    if (!kind.isInTable && !isEmpty) this.#endTable();
    const into = kind.isInTable ? this.#cell : this.#blocks;
    const level = this.#headingOf(kind);
    if (!isEmpty && level !== undefined)
      into.push({ kind: "heading", level, text: marker.length > 1 ? `${marker} ${text}` : text });
    else if (!isEmpty && marker === "") into.push({ kind: "paragraph", text });
    else if (!isEmpty) into.push({ kind: "item", level: kind.level, marker, text });
    append(into, this.boxes.splice(0));
    append(this.#blocks, this.cited.splice(0));
  }

  endCell(kind: ParagraphKind): void {
    this.endParagraph({ ...kind, isInTable: true });
    this.#row.push(cellText(this.#cell.splice(0)));
  }

  endRow(): void {
    if (this.#row.length > 0) this.#rows.push(this.#row);
    this.#row = [];
  }

  end(kind: ParagraphKind): readonly Block[] {
    this.endParagraph(kind);
    this.#endTable();
    return this.#blocks;
  }

  #endTable(): void {
    // The last row may be incomplete.
    if (this.#cell.length > 0) this.#row.push(cellText(this.#cell.splice(0)));
    this.endRow();
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length === 0) return;
    this.#budget.walk(rows.length * rows.reduce((most, { length }) => Math.max(most, length), 0));
    this.#blocks.push({ kind: "table", rows });
  }
}

/** Shows a number as in the document, and a bullet of any shape as "-". */
function showMarker(written: string): string {
  const marker = written.trim();
  if (marker === "") return "";
  return marker === "o" || !/[\p{L}\p{N}]/u.test(marker) ? "-" : marker;
}
