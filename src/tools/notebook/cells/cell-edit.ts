export const cellTypes = ["code", "markdown", "raw"] as const;

export type CellType = (typeof cellTypes)[number];

/** What is to be done to the cells of a notebook. A cell is named by its number from 1, or by its id. */
export type CellEdit =
  | Replacement
  | {
      readonly operation: "insert_before" | "insert_after";
      /** The first, if not said. */
      readonly cell: string | number | undefined;
      readonly source: string;
      /** That of the cell beside it, if not said. */
      readonly type: CellType | undefined;
    }
  | { readonly operation: "append"; readonly source: string; readonly type: CellType | undefined }
  | { readonly operation: "delete"; readonly cell: string | number };

export interface Replacement {
  readonly operation: "replace";
  readonly cell: string | number;
  /** As they are, if not said. */
  readonly source: string | undefined;
  readonly type: CellType | undefined;
  readonly keepOutputs: boolean;
}

/** The change of the text that does it; every other character stays. */
export interface CellChange {
  /** None over another; offsets count UTF-16 units. */
  readonly splices: readonly TextSplice[];
  /** The cell that was changed or added, as it is now; undefined when it is gone. */
  readonly cell: CellName | undefined;
  /** How many cells there are now. */
  readonly total: number;
  readonly notes: readonly string[];
}

export interface CellName {
  /** Counted from 1. */
  readonly number: number;
  readonly id: string | undefined;
  readonly type: string;
}

export interface TextSplice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}
