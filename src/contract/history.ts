/** What a path held at one moment. */
export type EntryState =
  | { readonly kind: "nothing" }
  /** `hash`: SHA-256 of the content in lower-case hex, "" where the content is lost unread. `mode`: permission bits. */
  | { readonly kind: "file"; readonly hash: string; readonly bytes: number; readonly mode: number }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "directory"; readonly mode: number };

/** What one call did to one path. Paths are real, relative to the workspace, with "/" between names. */
export interface Change {
  readonly path: string;
  readonly before: EntryState;
  readonly after: EntryState;
  /** The before-image is not kept, and why: undo cannot bring it back. */
  readonly lost?: string;
  /**
   * The other path of a move. What was moved is not copied: it lies at the one or the other, a directory with all in it,
   * of which nothing is said.
   */
  readonly moved?: string;
  /** "keep": the file was changed under all its names. */
  readonly hardLinks?: "keep";
}
