/** The state of a path. */
export type EntryState =
  | { readonly kind: "nothing" }
  /** `hash`: SHA-256 of the content in lower-case hex, "" when it was lost unread. `mode`: permission bits. */
  | { readonly kind: "file"; readonly hash: string; readonly bytes: number; readonly mode: number }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "directory"; readonly mode: number };

/** The change of one path by one call. Paths are real, relative to the workspace, with "/" between names. */
export interface Change {
  readonly path: string;
  readonly before: EntryState;
  readonly after: EntryState;
  /** Why the before-image is not stored, so that undo cannot restore it. */
  readonly lost?: string | undefined;
  /** The other path of a move. Moved content is not copied: it is at one of the two paths. */
  readonly moved?: string | undefined;
  /** "keep": the file was changed under all its names. */
  readonly hardLinks?: "keep" | undefined;
}

/** The changes of earlier calls, and undo. */
export interface ChangeHistory {
  /** Returns the combined changes of the calls, file by file. */
  changes(
    selection: Selection,
    options?: { readonly paths?: readonly string[] | undefined },
  ): Promise<ChangedFiles>;
  /**
   * Undoes the changes of the calls, all or none: a file that others have changed since is not touched, and the error
   * shows the difference. Throws `not-found` when there is nothing to undo.
   */
  undo(selection: Selection, options?: UndoOptions): Promise<UndoneChanges>;
  /** Sets a checkpoint. Default name: generated. */
  setCheckpoint(name?: string): Promise<Checkpoint>;
  /** Lists the checkpoints, oldest first. */
  checkpoints(): Promise<readonly Checkpoint[]>;
}

export type Selection =
  /** Ids of calls or transactions. */
  | { readonly kind: "calls"; readonly ids: readonly string[] }
  /** From the first to the last, both inclusive. */
  | { readonly kind: "range"; readonly first: string; readonly last: string }
  /** The latest calls with changes that were not undone. */
  | { readonly kind: "last"; readonly count: number }
  /** Since a time, in milliseconds since 1970. */
  | { readonly kind: "since"; readonly time: number }
  /** Calls after a checkpoint, or of this session. */
  | { readonly kind: "checkpoint"; readonly name: string }
  | { readonly kind: "session" }
  /** The latest undo that was not undone itself; undoing it is a redo. */
  | { readonly kind: "undo" };

export interface UndoOptions {
  /** Only these paths and what is in them, relative to the workspace. */
  readonly paths?: readonly string[] | undefined;
  /** Only this hunk of a single file, numbered as in `changes`. */
  readonly hunk?: number | undefined;
  /** Whether to undo changes in files that were changed since, when the changes do not overlap. */
  readonly merge?: boolean | undefined;
  /** Whether to skip files that were changed since. */
  readonly skipChanged?: boolean | undefined;
  /** Whether to change nothing, and only return what an undo would do. */
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ChangedFiles {
  readonly calls: readonly string[];
  readonly files: readonly ChangedFile[];
}

export interface ChangedFile {
  readonly path: string;
  readonly before: EntryState;
  readonly after: EntryState;
  /** The former path, when the file or directory was moved. */
  readonly movedFrom?: string | undefined;
  /** A unified diff with numbered hunks, or a line about another change; "" for the result of an undo. */
  readonly diff: string;
}

export interface UndoneChanges {
  readonly calls: readonly string[];
  /** Each path with its state before and after the undo; empty when there was nothing to do. */
  readonly files: readonly ChangedFile[];
  /** Skipped paths; the notes say why. */
  readonly leftAlone: readonly string[];
  /** Sentences about skipped files and about what had been undone before. */
  readonly notes: readonly string[];
  /** When the first of the calls began, in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** The commits since then that contain some of these changes, newest first. An undo does not change them. */
  readonly commits?: readonly { readonly hash: string; readonly subject: string }[];
}

export interface Checkpoint {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** How many calls changed something since then. */
  readonly callsSince: number;
}

/** Groups the changes of many calls, to commit or roll back together. A session can have one open transaction. */
export interface Transactions {
  /** Begins a transaction, to which every later call with changes belongs. Throws `already-exists` when one is open. */
  begin(name?: string): Promise<Transaction>;
  /** Returns the open transaction. Throws `not-found` when there is none. */
  current(): Promise<Transaction>;
  /** Keeps the changes of the transaction; undo reverts them together. Throws `not-found` when none is open. */
  commit(): Promise<Transaction>;
  /**
   * Reverts the changes of the transaction, except files that others changed since: it stays open for those. With `aside`,
   * this is a call of its own, because the calls to revert include the current one.
   */
  rollback(options?: { readonly aside?: boolean | undefined }): Promise<RolledBack>;
}

export interface Transaction {
  readonly id: string;
  readonly name: string | undefined;
  /** The calls that belong to it, oldest first. */
  readonly calls: readonly string[];
}

export interface RolledBack extends Transaction {
  /** Paths that were restored or removed. */
  readonly paths: readonly string[];
  /** Paths that others changed since, and that were left alone. When there are any, the transaction is still open. */
  readonly left: readonly string[];
  /** Sentences about what was left alone or not restored, and why. */
  readonly notes: readonly string[];
}

/** How much of what one call replaces or deletes is stored for undo. */
export interface UndoLimits {
  /** Maximum size of all contents of one call together. */
  readonly maxBytes: number;
  /** Maximum number of files and directories in one deletion. */
  readonly maxEntries: number;
}

export const undoLimits: UndoLimits = { maxBytes: 256 * 1024 * 1024, maxEntries: 20_000 };

/** A path that a call would change. "move": its content stays, under another name. */
export interface PlannedChange {
  readonly kind: "write" | "delete" | "move";
  /** The path as passed to the environment. */
  readonly path: string;
  /** A tool stores what it replaces; a scan stores, before a command runs, what the command may replace. */
  readonly by: "tool" | "command";
}
