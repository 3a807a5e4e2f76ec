/** How much of what one call replaces or deletes is kept, so that it can be undone. */
export interface UndoLimits {
  /** Contents kept for one call, together. */
  readonly maxBytes: number;
  /** Files and directories that one deletion takes with it. */
  readonly maxEntries: number;
}

export const undoLimits: UndoLimits = { maxBytes: 256 * 1024 * 1024, maxEntries: 20_000 };
