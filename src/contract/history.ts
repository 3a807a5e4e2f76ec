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

/** What earlier calls changed in the workspace, and the way back. */
export interface History {
  /** What the calls changed altogether, file by file. */
  changes(selection: Selection, options?: { readonly paths?: readonly string[] }): Promise<ChangedFiles>;
  /**
   * Takes back what the calls changed, all of it or nothing: a file that somebody has changed since is not touched, and
   * the error shows what. Throws `not-found` where nothing is to be undone.
   */
  undo(selection: Selection, options?: UndoOptions): Promise<Undone>;
  /** Gives this moment a name to come back to; a name of its own if none is given. */
  setCheckpoint(name?: string): Promise<Checkpoint>;
  /** Oldest first. */
  checkpoints(): Promise<readonly Checkpoint[]>;
}

/** Which calls are meant. */
export type Selection =
  /** Ids of calls or transactions. */
  | { readonly kind: "calls"; readonly ids: readonly string[] }
  /** All from the one to the other, both included. */
  | { readonly kind: "range"; readonly first: string; readonly last: string }
  /** The latest that changed something and were not undone. */
  | { readonly kind: "last"; readonly count: number }
  /** All since a moment, in milliseconds since 1970. */
  | { readonly kind: "since"; readonly time: number }
  /** All after a checkpoint, or of this session. */
  | { readonly kind: "checkpoint"; readonly name: string }
  | { readonly kind: "session" }
  /** The latest undo that was not undone itself: to undo it is to redo. */
  | { readonly kind: "undo" };

export interface UndoOptions {
  /** Only these, or what is in them, relative to the workspace. */
  readonly paths?: readonly string[];
  /** Only this hunk, as `changes` numbers them; of a single file. */
  readonly hunk?: number;
  /** Takes the changes out of files that were changed since, where these do not touch each other. */
  readonly merge?: boolean;
  /** Leaves files alone that were changed since, and undoes the rest. */
  readonly skipChanged?: boolean;
  /** Only says what would be done. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

export interface ChangedFiles {
  readonly calls: readonly string[];
  readonly files: readonly ChangedFile[];
}

export interface ChangedFile {
  readonly path: string;
  readonly before: EntryState;
  readonly after: EntryState;
  /** Where it was before, when it was moved with all in it. */
  readonly movedFrom?: string;
  /** A unified diff with its hunks numbered, or a line that says what else has changed; "" for what an undo has done. */
  readonly diff: string;
}

export interface Undone {
  readonly calls: readonly string[];
  /** What became of each path: `before` is what the undo found, `after` what it left; empty when nothing was to do. */
  readonly files: readonly ChangedFile[];
  /** The paths that were left alone; the notes say why. */
  readonly leftAlone: readonly string[];
  /** What else is worth knowing, in sentences: what was left alone, and why; that it had been undone before. */
  readonly notes: readonly string[];
}

export interface Checkpoint {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** How many calls changed something since then. */
  readonly callsSince: number;
}

/** Groups the changes of many calls, to commit or roll back together. One can be open in a session. */
export interface Transactions {
  /** Every later call that changes something belongs to it. Throws `already-exists` when one is open. */
  begin(name?: string): Promise<Transaction>;
  /** The open one. Throws `not-found` when there is none. */
  current(): Promise<Transaction>;
  /** Keeps its changes; undo reverts them together. Throws `not-found` when none is open. */
  commit(): Promise<Transaction>;
  /**
   * Reverts its changes, except files that were changed by others since: it stays open for those. `aside`: as a call of its
   * own, when the calls to revert include the current one.
   */
  rollback(options?: { readonly aside?: boolean }): Promise<RolledBack>;
}

export interface Transaction {
  readonly id: string;
  readonly name: string | undefined;
  /** The calls that belong to it, oldest first. */
  readonly calls: readonly string[];
}

export interface RolledBack extends Transaction {
  /** What was restored or removed. */
  readonly paths: readonly string[];
  /** What was left alone because others changed it since. When there is any, the transaction is still open. */
  readonly left: readonly string[];
  /** Sentences about what was left alone or not restored, and why. */
  readonly notes: readonly string[];
}

/** How much of what one call replaces or deletes is stored for undo. */
export interface UndoLimits {
  /** Of all contents of one call together. */
  readonly maxBytes: number;
  /** Files and directories of one deletion. */
  readonly maxEntries: number;
}

export const undoLimits: UndoLimits = { maxBytes: 256 * 1024 * 1024, maxEntries: 20_000 };
