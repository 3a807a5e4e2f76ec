import type { SandboxLevel } from "./call.ts";
import type { Confinement } from "./confinement.ts";
import type { EffectWatch, WatchWanted } from "./effects.ts";
import type { EntryState } from "./history.ts";
import type { RunningCommand } from "./process.ts";
import type { Snapshot } from "./snapshot.ts";
import type { WebAnswer, WebRequest } from "./web.ts";
import type { ListedTree, ListWanted, SearchFound, SearchWanted } from "./whole-operations.ts";

/**
 * The files, processes and network of a workspace. Tools reach all three only through it, so it is the boundary:
 * every path must lead into the workspace or an extra root, also while another process swaps directories for links.
 * Paths are relative to the workspace or absolute inside it; `out_…` handles name stored outputs, read only. All
 * methods throw ToolError: `invalid-input` (NUL byte, empty), `outside-workspace`, `not-found`, `unsupported`
 * (directory, FIFO, device or socket where a file is needed), `denied` (permissions), `unavailable` (full disk).
 */
export interface Environment {
  /** Absolute real path of the workspace. */
  readonly workspace: string;
  /**
   * Names the machine or service of an environment that is passed to `openToolcrib`: history and approvals belong to this
   * name and the path. Default: each such object has its own, which a later process does not find again.
   */
  readonly name?: string | undefined;
  /** The user's home directory there, for `~` in rules. Default: that of this machine. */
  readonly home?: string | undefined;
  /** Real paths of Toolcrib's own directories there, which no tool may use. Default: those of this machine. */
  readonly ownDirectories?: readonly string[] | undefined;
  /** Facts about another machine. */
  readonly machine?: MachineFacts | undefined;

  /** Returns the absolute real path of `path`. A path that does not exist is named below its real parent. */
  realPath(path: string): Promise<string>;

  /**
   * Returns the real path of an entry outside the workspace, if commands in the sandbox can read it without a rule: system
   * directories and toolchains. A link in the workspace may lead there, such as the `python` of a virtual environment.
   */
  pathOutsideSeenByCommands?(path: string): Promise<string | undefined>;

  /** Returns facts about an entry. Follows links by default. */
  info(path: string, options?: { readonly followLinks?: boolean | undefined }): Promise<FileInfo>;

  /** Reads a whole regular file. Throws `too-large` above `maxBytes`, and `stale` when the file keeps changing. */
  readFile(
    path: string,
    options: Reaching & {
      readonly maxBytes: number;
      readonly signal?: AbortSignal | undefined;
      /** The content may be read into this buffer, which saves memory and time. Then it is valid until the buffer is used again. */
      readonly into?: Uint8Array | undefined;
    },
  ): Promise<FileContent>;

  /** Reads a range of a regular file of any size; shorter than `length` at the end of the file. */
  readBytes(
    path: string,
    range: Reaching & { readonly offset: number; readonly length: number },
  ): Promise<Uint8Array>;

  /** Reads a range of lines of a file of any size, in constant memory. */
  readLines(path: string, range: LineRange, signal?: AbortSignal): Promise<LineSlice>;

  /**
   * Replaces the whole file, or creates it with its parents. After a crash or on a full disk the file has the old or
   * the new content, never a mixture. Keeps mode and owner; follows a link and replaces its target. A cancelled write
   * leaves the old content.
   */
  writeFile(path: string, content: Uint8Array, options?: WriteOptions): Promise<WriteReceipt>;

  /**
   * Deletes a file or a link itself, never a link's target. Deletes a directory only with `recursive`. When a
   * recursive deletion is cancelled or fails, the error says that a part is deleted.
   */
  delete(path: string, options?: DeleteOptions): Promise<void>;

  /** Moves an entry and creates the parents of `to`. Throws `already-exists` unless `replace` is set. */
  move(from: string, to: string, options?: MoveOptions): Promise<void>;

  /**
   * Changes several files, all or none. Throws `stale` unless each file has the content that its change expects.
   * After an error every file has its old content and no directory was created, except files that other processes
   * have written meanwhile, which the error names. Follows links; with `after` "nothing" the entry itself is deleted,
   * also a link. Throws `invalid-input` when a real path occurs twice or is the parent of another, and `denied` for a
   * file that the user may not write; such a file may be deleted. Readers see each file whole, but may see some files
   * changed and others not yet. Cancelling has no effect once the first file is changed. After a crash, the next
   * environment that is opened on the workspace completes or rolls back the change and reports it in `recovered`. The
   * inverse of a change set is a change set: exchange `before` and `after`, and use the modes of the receipts.
   */
  change(changes: readonly FileChange[], options?: ChangeOptions): Promise<readonly ChangeReceipt[]>;

  /**
   * Returns the state of `path` itself. Follows no links, so a path behind a link counts as missing. Hashes the content
   * of a file of any size. Throws `unsupported` for a FIFO, device or socket.
   */
  state(path: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<EntryState>;

  /**
   * Creates or deletes a directory or link, or changes permissions, which `change` cannot do. `path` is real and its
   * directory exists. Throws `stale` unless its state is `before`, and for a directory that is not empty.
   */
  changeEntry(path: string, change: EntryChange, options?: Announcing): Promise<void>;

  /** Changes that a crash interrupted, and how they were settled when this environment was opened. */
  readonly recovered?: readonly RecoveredChange[] | undefined;

  /**
   * Returns when these regular files were last changed; undefined for anything else. Paths are relative to the workspace
   * and contain no links. Fast for thousands of paths.
   */
  modifiedTimes(paths: readonly string[], signal?: AbortSignal): Promise<readonly (number | undefined)[]>;

  /**
   * Lists everything below the workspace with its figures. Does not follow links, and skips directories that git ignores
   * and git's own. Missing when an environment cannot do it fast.
   */
  listEntries?(options?: { readonly signal?: AbortSignal | undefined }): Promise<Snapshot>;

  /**
   * Begins to watch what happens to the files of the workspace, with a scan as for `listEntries`, and another one at the
   * end. Throws `too-large` above `maxEntries`. Missing when an environment cannot do it fast.
   */
  watchEffects?(wanted: WatchWanted): Promise<EffectWatch>;

  /** Continues a watch of a process that has ended; undefined when nothing is known about it. */
  resumeEffects?(id: string, wanted: Pick<WatchWanted, "without">): Promise<EffectWatch | undefined>;

  /**
   * Tells in which of these directories, relative to the workspace, an entry has changed since a time. Follows no links.
   * Missing when an environment cannot do it fast.
   */
  changedSince?(
    directories: readonly string[],
    wanted: ChangedSinceWanted,
  ): Promise<ReadonlyMap<string, DirectoryChange>>;

  /** Opens a directory, so that its path cannot be swapped for another later. Must be closed. */
  openDirectory(path: string): Promise<Directory>;

  /**
   * Lists all visible regular files below a directory at once, ordered by path, without links. Environments have it
   * when a round trip per directory would be slow.
   */
  walk?(directory: string, wanted: WalkWanted): Promise<WalkedPaths>;

  /** Runs a whole search, as `search.grep` does. Environments have it when a round trip per file would be slow. */
  search?(wanted: SearchWanted, options: SearchOptions): Promise<SearchFound>;

  /** Lists a whole directory tree, as `file.list` does. Environments have it together with `search`. */
  list?(wanted: ListWanted, signal: AbortSignal): Promise<ListedTree>;

  /**
   * Reads regular files, in the order of `paths`, which are relative to the workspace. Follows no links. Returns at least
   * one result, and no more when they have `maxBytes` together: the caller asks again for the rest. Environments have it
   * when a round trip per file would be slow.
   */
  readFiles?(paths: readonly string[], wanted: FilesWanted): Promise<readonly ReadResult[]>;

  /**
   * Names contents that need not be sent again: `readFile` and `readFiles` take the content of a file from there when it
   * has the same hash. Environments have it when contents are sent over a network.
   */
  useContents?(contents: KnownContents): void;

  /**
   * Returns the ignore files outside the workspace that apply to it: those of the directories above, nearest first, then
   * the user's own. Leaves out `.gitignore` files above the nearest repository. The answer may be a second old.
   */
  ignoreFilesOutside?(): Promise<readonly IgnoreFileOutside[]>;

  /**
   * Returns the entries of the workspace that these rules hide by their names, as sandboxes find them; undefined if they
   * cannot all be found. Remembers directories: `pathsKey` is equal only for rules that decide the same.
   */
  hiddenEntries?(
    rules: Required<Pick<Confinement, "isHidden" | "pathsKey">>,
  ): Promise<readonly HiddenEntry[] | undefined>;

  /** Returns how commands are confined, detected by trying once. Missing when they are not confined. */
  sandbox?(): Promise<SandboxReport>;

  /** False: `start` always fails, so that nothing needs to be confined. Default: true. */
  readonly runsPrograms?: boolean;

  /** Whether `start` can keep a shell open (`shell`), as on another machine. Here, shells are driven by this process. */
  readonly keepsShells?: boolean | undefined;

  /** The default confinement of `start`, when the policy has decided one for the call. */
  readonly confinement?: Confinement | undefined;

  /** Starts a program by name ("rg") or absolute path. Throws `unavailable` when it is missing or its sandbox fails. */
  start(program: string, options: ProcessStartOptions): Promise<RunningProcess>;

  /**
   * Makes one HTTP request. Resolves the host once and connects only to addresses that were checked: public ones, and those
   * that `mayConnect` names. Throws `denied` when it may not connect, `unavailable` when it cannot, `timeout` after
   * 30 s or 15 s of silence, and `invalid-input` for other URLs. Few requests run at once, to bound memory; the
   * timeout starts when a request runs. Missing without a network.
   */
  exchange?(request: WebRequest): Promise<WebAnswer>;

  /** Whether a program that was started here listens on a port of the loopback. Default: unknown. */
  listens?(port: number): Promise<boolean>;

  /** Ends running processes and frees all resources. */
  close(): Promise<void>;
}

export interface ChangedSinceWanted {
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
  /** The most entries to look at in all directories together. */
  readonly maxEntries: number;
  readonly signal?: AbortSignal | undefined;
}

/** "unknown": there are too many entries to look at all of them. */
export type DirectoryChange = "changed" | "unchanged" | "unknown";

export interface SearchOptions {
  /** Files to leave out, relative to the workspace. */
  readonly without?: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

export interface WalkWanted {
  /** Whether names that begin with a dot are visible. */
  readonly hidden: boolean;
  /** Whether files that ignore files name are left out. */
  readonly ignoreFiles: boolean;
  readonly signal: AbortSignal;
}

export interface WalkedPaths {
  /** Relative to the workspace. */
  readonly paths: readonly string[];
  /** Directories that cannot be read, with the reason. */
  readonly failed: readonly { readonly path: string; readonly message: string }[];
}

export interface FilesWanted {
  /** A larger file is "unreadable". */
  readonly maxFileBytes: number;
  readonly maxBytes: number;
  /** The SHA-256 of the known content, by path. A file that still has it is "same". */
  readonly known?: ReadonlyMap<string, string> | undefined;
  readonly signal: AbortSignal;
}

/** The content of a file. "gone": there is no such regular file. "unreadable": it is too large, or may not be read. */
export type ReadResult = Uint8Array | "same" | "gone" | "unreadable";

/** Contents by their SHA-256, such as those that the journal has stored for undo. */
export interface KnownContents {
  has(hash: string): boolean;
  /** Throws `unavailable` when the content is missing or damaged. */
  read(hash: string): Promise<Uint8Array>;
}

export interface IgnoreFileOutside {
  /** "exclude": `.git/info/exclude` of a repository, even if missing; "global": the user's `core.excludesFile`. */
  readonly name: ".rgignore" | ".ignore" | ".gitignore" | "exclude" | "global";
  /** The workspace relative to the directory of the patterns: "", or names separated by "/". */
  readonly workspace: string;
  readonly text: string;
}

export type FileKind = "file" | "directory" | "link" | "other";

export interface FileInfo {
  readonly kind: FileKind;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** Permission bits. */
  readonly mode: number;
}

export interface FileContent {
  readonly bytes: Uint8Array;
  readonly info: FileInfo;
}

/**
 * `first` counts from 1; a negative `first` counts from the end (-50: the last fifty lines). Lines end at "\n". The
 * slice ends before the line that would exceed `maxBytes`; a single longer line is cut.
 */
export interface LineRange extends Reaching {
  readonly first: number;
  readonly count: number;
  readonly maxBytes: number;
}

export interface Reaching {
  /**
   * Called with the real path of the file that is read, before its content is returned. When it throws, so does the
   * read. A check of the path before the read would not notice a link that is swapped in between.
   */
  readonly reached?: ((realPath: string) => void) | undefined;
}

export interface LineSlice {
  /** Raw bytes from the first line, with line ends, without a byte-order mark. */
  readonly bytes: Uint8Array;
  /** Detected from the first bytes. `binary`: contains NUL bytes and is not UTF-16. */
  readonly encoding: TextEncoding | "binary";
  /** Whole lines in `bytes` (1 when a single line was cut). */
  readonly lines: number;
  /** Number of the first line; undefined when counted from the end of a file that was never scanned. */
  readonly firstLine: number | undefined;
  /** Lines in the file; undefined unless this slice or an earlier scan reached the end. */
  readonly totalLines: number | undefined;
  /** Whether nothing follows the slice. */
  readonly reachedEnd: boolean;
  /** Bytes left out of a single line longer than `maxBytes`. */
  readonly cutBytes: number;
  readonly info: FileInfo;
}

export type TextEncoding = "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | "latin1";

export interface WriteOptions extends Announcing {
  /** "refuse": throws `already-exists` instead of replacing. */
  readonly ifExists?: "replace" | "refuse" | undefined;
  /** Whether to wait until the bytes are on the disk. Default: true. */
  readonly durable?: boolean | undefined;
  /** Permission bits of a new file. Default: the usual ones. */
  readonly mode?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Announcing {
  /**
   * Called with the effects just before they happen: first new directories, then the changes in their order. A
   * recursive deletion announces all entries before it deletes the first, in one or more calls; `changeEntry` passes no
   * effects. When it throws, nothing is changed. When it returns a promise, the environment waits for it and compares
   * the entries again: one that has changed in the meantime makes the change fail with `stale`.
   */
  readonly announce?: ((effects: readonly Effect[]) => void | Promise<void>) | undefined;
}

/** A change that is about to happen to one path. */
export interface Effect extends ChangeReceipt {
  /** SHA-256 of the new content, when it is known. */
  readonly afterHash?: string | undefined;
}

export interface DeleteOptions extends Announcing {
  readonly recursive?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface MoveOptions extends Announcing {
  readonly replace?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface WriteReceipt {
  readonly created: boolean;
  readonly info: FileInfo;
}

/** A change of one file. When nothing would change, only `before` is checked. */
export interface FileChange {
  readonly path: string;
  /** Expected SHA-256 of the current content in lower-case hex, or "nothing". */
  readonly before: string;
  readonly after: Uint8Array | "nothing";
  /** The new permission bits. Default: the current ones; for a new file those of `like`. */
  readonly mode?: number | undefined;
  /** For a new file: a path whose mode and owner it copies, as for the target of a move. */
  readonly like?: string | undefined;
  /** "break" (default): other hard links keep the old content. "keep": all change, and readers may see a mixture. */
  readonly hardLinks?: "break" | "keep" | undefined;
}

/** One step of a change. A change of kind takes two steps, by way of "nothing". The content of a file stays. */
export type EntryChange =
  | { readonly before: Nothing; readonly after: DirectoryState | LinkState }
  | { readonly before: LinkState; readonly after: Nothing }
  | { readonly before: DirectoryState; readonly after: DirectoryState | Nothing }
  | { readonly before: FileState; readonly after: FileState };

type Nothing = Extract<EntryState, { readonly kind: "nothing" }>;
type DirectoryState = Extract<EntryState, { readonly kind: "directory" }>;
type FileState = Extract<EntryState, { readonly kind: "file" }>;
type LinkState = Extract<EntryState, { readonly kind: "link" }>;

export interface ChangeOptions extends Announcing {
  /** Whether to wait until the bytes are on the disk. Default: true. */
  readonly durable?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The effect of one change. Receipts have the order of the changes. */
export interface ChangeReceipt {
  /** Absolute real path of what was changed. */
  readonly realPath: string;
  /** Undefined when the path did not exist. */
  readonly before: FileInfo | undefined;
  readonly after: FileInfo | undefined;
}

/** A change set whose process died before it was complete. */
export interface RecoveredChange {
  /** "failed": the change could not be settled, and is retried at the next start. */
  readonly outcome: "completed" | "taken back" | "failed";
  /** The transaction that was rolled back, if it was one. */
  readonly transaction?: string | undefined;
  /** The files of the change set, relative to the workspace. */
  readonly paths: readonly string[];
  /** Files that were not touched, because another program has changed them since. */
  readonly leftAlone: readonly string[];
}

/**
 * An open directory. Names have no separators and are not "..". Never follows links. On another machine it is a lease:
 * it ends with the connection, and when too many are open, the one that was not used for longest is closed.
 */
export interface Directory {
  /** Relative to the workspace, "" for the workspace itself. */
  readonly path: string;
  /** Absolute real path when it was opened. Missing when the environment does not know it. */
  readonly realPath?: string | undefined;
  entries(): Promise<readonly DirectoryEntry[]>;
  openDirectory(name: string): Promise<Directory>;
  info(name: string): Promise<FileInfo>;
  /** Reads a whole regular file; undefined when it is larger than `maxBytes`. */
  readFile(name: string, maxBytes: number): Promise<Uint8Array | undefined>;
  close(): void;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

export interface ProcessStartOptions {
  readonly args: readonly string[];
  /** Relative to the workspace or absolute inside it. Default: the workspace. */
  readonly cwd?: string | undefined;
  /** Variables in addition to those that the confinement allows. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Standard input. Default: none. "open": what `RunningProcess.write` writes. */
  readonly input?: Uint8Array | "open" | undefined;
  /** Whether the program gets its own terminal, when possible. Then all output is in `stdout`. */
  readonly terminal?: boolean | undefined;
  /** Whether it is a bash that stays open for `RunningProcess.runCommand`. Needs `Environment.keepsShells`. */
  readonly shell?: boolean | undefined;
  /** Whether it may listen on ports where the sandbox decides that. */
  readonly reachable?: boolean | undefined;
  /** Default: the narrowest. "ours": a built-in program with fixed arguments, which needs no confinement. */
  readonly confinement?: Confinement | "ours" | undefined;
  /** Whether the program changes no workspace files except git's own, so that no scan for changes is needed. */
  readonly leavesFiles?: boolean | undefined;
  /** A directory for a built-in program. Ignored when nothing is confined. */
  readonly ownDirectory?: OwnDirectory | undefined;
  /** Callers whose programs wait for a free processor take turns. Default: the environment. */
  readonly caller?: object | undefined;
  /** Ends the process and everything it started. */
  readonly signal: AbortSignal;
}

/** A private directory for a program, hidden from everything confined. */
export interface OwnDirectory {
  /** The environment variable with its path. */
  readonly variable: string;
  /** Content by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Absolute link targets by name; they need not exist. */
  readonly links: Readonly<Record<string, string>>;
}

export interface RunningProcess {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Resolves when its whole sandbox has ended. Processes that it leaves running count as ended. */
  readonly exit: Promise<ProcessExit>;
  /** The process id as seen outside the sandbox. */
  readonly pid: number;
  readonly sandbox: SandboxLevel;
  /** Writes to its standard input. Throws `unavailable` when it no longer reads. */
  write(bytes: Uint8Array): Promise<void>;
  /** Closes its standard input. */
  endInput(): void;
  /** Whether it waits for input now; undefined when unknown. */
  waitsForInput(): Promise<boolean | undefined>;
  /**
   * Whether it listens on a port of its loopback and accepts connections; with a URL, whether it answers a GET with a status
   * below 500. A server of another process never counts. Takes at most a few seconds.
   */
  answers(
    port: number,
    options: { readonly url?: URL | undefined; readonly signal: AbortSignal },
  ): Promise<boolean>;
  /** Runs a command in a shell that stays open, one at a time. */
  runCommand?(command: CommandInShell): Promise<Omit<RunningCommand, "attach">>;
  /**
   * Undoes what its sandbox could not prevent so far, as at its end. Returns notes for the user. `isIdle`: its first
   * process runs nothing until `uncovered` is called.
   */
  settle?(isIdle?: boolean): Promise<readonly string[]>;
  /** Returns a new path that its sandbox should hide or protect but does not; undefined if there is none. */
  uncovered?(): Promise<string | undefined>;
  /** Sends SIGTERM to everything it started, and SIGKILL after two seconds. */
  terminate(): void;
  /** Kills the process and everything it started. Does nothing when it has ended. */
  stop(): void;
}

export interface CommandInShell {
  readonly command: string;
  /** An absolute path. Default: the directory of the shell. */
  readonly cwd: string | undefined;
  /** Where the shell must be. When it is elsewhere, the command does not run, and the call throws `stale`. */
  readonly from: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Ends the command. */
  readonly signal: AbortSignal;
}

export interface ProcessExit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** Notes for users and models: limits reached, hosts refused, files restored. */
  readonly remarks: readonly string[];
}

/** The platform of another machine, and the programs that it lacks. */
export interface MachineFacts {
  /** The version of the Node that serves it, such as `v24.1.0`. */
  readonly node: string;
  /** Such as `linux-x64`. */
  readonly platform: string;
  /** Programs that tools use and that are not installed there. */
  readonly missing: readonly ("git" | "bash")[];
}

/** An entry that rules hide from commands, with its absolute path. */
export interface HiddenEntry {
  readonly path: string;
  readonly kind: "file" | "directory";
}

/** How commands are confined, and why not better. */
export interface SandboxReport {
  readonly level: SandboxLevel;
  /** One sentence for each better level that is not available, with the fix. */
  readonly missing: readonly string[];
  /** One sentence for each attack that this level does not prevent. */
  readonly gaps: readonly string[];
}
