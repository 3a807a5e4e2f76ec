/** A line to show: one that matches, or a neighbour of one. */
export interface ShownLine {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  readonly matched: boolean;
}

/** What was found in one file. */
export interface FileHits {
  /** Relative to the workspace, or an output handle. */
  readonly path: string;
  /** Matching lines; when all that matters is whether there is one, 1. */
  readonly count: number;
  readonly lines: readonly ShownLine[];
  /** There are further matching lines that were not asked for. */
  readonly hasMore: boolean;
}
