/** What a path held at one moment. */
export type EntryState =
  | { readonly kind: "nothing" }
  /** `hash`: SHA-256 of the content in lower-case hex. `mode`: permission bits. */
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
}
