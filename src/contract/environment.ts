import type { SandboxLevel } from "./call.ts";
import type { Confinement } from "./confinement.ts";
import type { EntryState } from "./history.ts";
import type { Snapshot, SnapshotOptions } from "./snapshot.ts";
import type { WebAnswer, WebRequest } from "./web.ts";

/**
 * Where things happen. Every path a tool is given goes through here and nowhere else, so this is the boundary:
 * whatever a path leads to must lie inside the workspace, also while somebody swaps directories for links. In a room that has a
 * `Reach`, files by name may lie in that, too.
 *
 * Paths are relative to the workspace or absolute inside it; `out_…` handles name spilled outputs (read only).
 * All methods throw ToolError: `invalid-input` (NUL byte, empty), `outside-workspace`, `not-found`, `unsupported`
 * (directory, FIFO, device or socket where a file is needed), `denied` (permissions), `unavailable` (full disk).
 */
export interface Environment {
  /** Absolute real path of the workspace. */
  readonly workspace: string;

  /** The absolute real path that `path` leads to; what does not exist yet is named below its real parent. */
  realPath(path: string): Promise<string>;

  /** What stands at `path`, links followed unless told otherwise. */
  info(path: string, options?: { readonly followLinks?: boolean }): Promise<FileInfo>;

  /** A whole regular file. `too-large` above `maxBytes`; `stale` when it will not stop changing. */
  readFile(
    path: string,
    options: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<FileContent>;

  /** Bytes from the middle of a regular file of any size; fewer than `length` at its end. */
  readBytes(path: string, range: { readonly offset: number; readonly length: number }): Promise<Uint8Array>;

  /** Some lines of a file of any size, in constant memory. */
  readLines(path: string, range: LineRange, signal?: AbortSignal): Promise<LineSlice>;

  /**
   * Replaces the whole file or creates it with its parents. After a crash or a full disk the old or the new content
   * is there, never a mixture. Mode and owner stay, a link keeps pointing and its target is replaced. A write that is
   * cancelled leaves the old content.
   */
  writeFile(path: string, content: Uint8Array, options?: WriteOptions): Promise<WriteReceipt>;

  /**
   * Removes a file or link itself, never what the link points to; a directory only when told, with all in it. When that
   * is cancelled, or fails, on the way, the error says that a part is deleted.
   */
  delete(path: string, options?: DeleteOptions): Promise<void>;

  /** Moves a file, link or directory; creates parents of `to`; `already-exists` unless told to replace a file. */
  move(from: string, to: string, options?: MoveOptions): Promise<void>;

  /**
   * Changes several files, all or none. Each must hold what its change says stood there before, else `stale`; after an
   * error every file is as it was, and no directory was made, but for files that somebody else has written meanwhile,
   * which the error names. Links are followed; with `after` "nothing" the entry itself goes, also when it is a link. A
   * file may be named once: the same real path twice, or one path as the directory of another, is `invalid-input`. Who
   * may not write a file may not change it (`denied`), but may delete it.
   *
   * Whoever reads meanwhile meets each file whole, but perhaps some already changed and some not yet. Cancelling stops
   * it until the first file is changed, and no longer after that. After a crash the next environment opened on the
   * workspace completes or takes back what was begun, and says so in `recovered`.
   *
   * The inverse of a change set is a change set: `before` and `after` exchanged, and the modes the receipts tell.
   */
  change(changes: readonly FileChange[], options?: ChangeOptions): Promise<readonly ChangeReceipt[]>;

  /**
   * What stands at `path` itself: no link is followed, also not on the way, behind which there is nothing. The content of
   * a file is hashed, of any size. `unsupported` for a FIFO, device or socket.
   */
  state(path: string, options?: { readonly signal?: AbortSignal }): Promise<EntryState>;

  /**
   * Makes or removes a directory or a link, or gives a directory or a file other permissions: what `change` does not
   * know. `path` is real, its directory is there, and what stands at it must be `before`, else `stale`. A directory goes
   * only when nothing is in it, else `stale`.
   */
  changeEntry(path: string, change: EntryChange, options?: Announcing): Promise<void>;

  /** What a crash had left of earlier changes, as it was settled when this environment was opened. */
  readonly recovered?: readonly RecoveredChange[];

  /**
   * When the regular files at these paths, relative to the workspace and free of links, were last changed; undefined
   * for anything else. Quick for thousands.
   */
  modifiedTimes(paths: readonly string[], signal?: AbortSignal): Promise<readonly (number | undefined)[]>;

  /**
   * What stands below the workspace, to find out later what has changed; links are not followed. Directories that ignore
   * files of git name are not entered, nor git's own. Missing where an environment cannot tell quickly.
   */
  snapshot?(options?: SnapshotOptions): Promise<Snapshot>;

  /** A directory held open, so that nothing reached through it can be exchanged on the way. Close it. */
  openDirectory(path: string): Promise<Directory>;

  /**
   * Ignore files outside the workspace that hold in it: of the directories above, nearest first, and the user's own
   * last. `.gitignore` files above the nearest repository are left out. None when the environment knows of none. They
   * hardly ever change: the answer may be a second old.
   */
  ignoreFilesOutside?(): Promise<readonly IgnoreFileOutside[]>;

  /** How commands are confined here; found out by trying, once. Not at all where it is missing. */
  sandbox?(): Promise<SandboxReport>;

  /** What `start` holds programs to whose starter has not said it, where that was decided for a call. */
  readonly confinement?: Confinement;

  /** Starts a program by name ("rg", "git") or absolute path. `unavailable` when it is not there, or its sandbox fails. */
  start(program: string, options: StartOptions): Promise<RunningProcess>;

  /**
   * One exchange by HTTP. The host is judged, resolved once, and only addresses that were judged are connected to, which
   * must be public unless `mayConnect` names them. `denied` where it may not connect, `unavailable` where it cannot,
   * `timeout` after 30 seconds or 15 of silence, `invalid-input` for what is no such URL. Some at once, so that memory is
   * bounded; for the others time begins with their turn. Missing where an environment has no network.
   */
  exchange?(request: WebRequest): Promise<WebAnswer>;

  /** Ends what is still running and frees what is held. */
  close(): Promise<void>;
}

export interface IgnoreFileOutside {
  /** "exclude": a repository's `.git/info/exclude`, also if there is none; "global": the user's `core.excludesFile`. */
  readonly name: ".rgignore" | ".ignore" | ".gitignore" | "exclude" | "global";
  /** The workspace as seen from where the file's patterns are anchored: "" or names with "/" between. */
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
 * `first` counts from 1; a negative `first` counts from the end (-50: the last fifty lines).
 * Lines end at "\n". The slice stops before the line that would pass `maxBytes`; a single longer line is cut.
 */
export interface LineRange {
  readonly first: number;
  readonly count: number;
  readonly maxBytes: number;
}

export interface LineSlice {
  /** Raw bytes from the first wanted line on, line ends included, a byte-order mark left out. */
  readonly bytes: Uint8Array;
  /** Found from the byte-order mark and the first part of the file. `binary`: it has NUL bytes and is no UTF-16. */
  readonly encoding: TextEncoding | "binary";
  /** Whole lines in `bytes` (1 when a single line was cut). */
  readonly lines: number;
  /** Number of the first line given, unknown when counted from the end of a file never scanned. */
  readonly firstLine: number | undefined;
  /** Lines in the file, known only when the slice or an earlier scan reached the end. */
  readonly totalLines: number | undefined;
  /** Nothing follows the slice. */
  readonly reachedEnd: boolean;
  /** Bytes left out of a single line longer than `maxBytes`. */
  readonly cutBytes: number;
  readonly info: FileInfo;
}

export type TextEncoding = "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | "latin1";

export interface WriteOptions extends Announcing {
  /** `refuse`: `already-exists` instead of replacing. */
  readonly ifExists?: "replace" | "refuse";
  /** Wait until the bytes are on the disk; yes if not said. */
  readonly durable?: boolean;
  /** Permission bits for a new file; the usual ones if not said. */
  readonly mode?: number;
  readonly signal?: AbortSignal;
}

/** Part of the options of what changes something. */
export interface Announcing {
  /**
   * Told what is about to change when all is ready for it; directories made for it come first, then the changes in their
   * order; `changeEntry` tells nothing that its caller has not said. A recursive deletion tells one entry after the other.
   * What it throws keeps it from happening.
   */
  readonly announce?: (effects: readonly Effect[]) => void;
}

/** What is about to happen to one path. */
export interface Effect extends ChangeReceipt {
  /** SHA-256 of the new content, where it is known already. */
  readonly afterHash?: string;
}

export interface DeleteOptions extends Announcing {
  readonly recursive?: boolean;
  readonly signal?: AbortSignal;
}

export interface MoveOptions extends Announcing {
  readonly replace?: boolean;
  readonly signal?: AbortSignal;
}

export interface WriteReceipt {
  readonly created: boolean;
  readonly info: FileInfo;
}

/** What one file is to become. When that is what it is already, it is only held to `before`. */
export interface FileChange {
  readonly path: string;
  /** SHA-256 of the content that `path` leads to now, in lower-case hex, or "nothing". */
  readonly before: string;
  readonly after: Uint8Array | "nothing";
  /** Permission bits afterwards; those it has, or for a new file those of `like`, if not said. */
  readonly mode?: number;
  /** For a new file: the path whose mode and owner it takes. A move is `from` to "nothing" and `to` new, like `from`. */
  readonly like?: string;
  /**
   * "break", unless told: this name gets a file of its own, other hard links keep the old content. "keep": all names
   * see the change, wherever they are; then somebody who reads meanwhile may meet a mixture.
   */
  readonly hardLinks?: "break" | "keep";
}

/** One step; from one kind to another it goes by nothing, and the content of a file stays. */
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
  /** Wait until the bytes are on the disk; yes if not said. */
  readonly durable?: boolean;
  readonly signal?: AbortSignal;
}

/** In the order of the changes. */
export interface ChangeReceipt {
  /** Absolute real path of what was changed. */
  readonly realPath: string;
  /** What stood there, and what stands there now: undefined for nothing. */
  readonly before: FileInfo | undefined;
  readonly after: FileInfo | undefined;
}

/** A change set whose process died on the way. */
export interface RecoveredChange {
  /** "failed": it could not be settled now, and is tried again at the next start. */
  readonly outcome: "completed" | "taken back" | "failed";
  /** The transaction that was rolled back, if it was one. */
  readonly transaction?: string;
  /** The files of the change set, relative to the workspace. */
  readonly paths: readonly string[];
  /** Those among them that were left as they are, because somebody has changed them since. */
  readonly leftAlone: readonly string[];
}

/** An open directory. Names are single names: no separators, no "..". Links are never followed. */
export interface Directory {
  /** Path relative to the workspace, "" for the workspace itself, with "/" between names. */
  readonly path: string;
  entries(): Promise<readonly DirectoryEntry[]>;
  openDirectory(name: string): Promise<Directory>;
  info(name: string): Promise<FileInfo>;
  /** The whole of a regular file, or undefined when it is larger than `maxBytes`. */
  readFile(name: string, maxBytes: number): Promise<Uint8Array | undefined>;
  close(): void;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

export interface StartOptions {
  readonly args: readonly string[];
  /** Relative to the workspace or absolute inside it; the workspace if not said. */
  readonly cwd?: string;
  /** Added to the variables that the confinement allows. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it is given to read, nothing if not said. "open": what `RunningProcess.write` gives it. */
  readonly input?: Uint8Array | "open";
  /** Gives it a terminal of its own where that can be had: then all output is in `stdout`. */
  readonly terminal?: boolean;
  /** What it listens on can be reached by `RunningProcess.reach`. */
  readonly reachable?: boolean;
  /**
   * What it may reach; a program is confined as narrowly as can be if not said. "ours": it is a program of ours with words
   * of ours that runs nothing the workspace names, and needs no confinement.
   */
  readonly confinement?: Confinement | "ours";
  /** It leaves the files of the workspace as they are, but for git's own: nobody has to look for what it changes. */
  readonly leavesFiles?: boolean;
  /** For a program of ours. Left out where nothing is confined: then nothing is out of anybody's reach. */
  readonly ownDirectory?: OwnDirectory;
  /** Ends the process and everything it started. */
  readonly signal: AbortSignal;
}

/** A directory that is made for a program, out of reach of whatever runs confined. */
export interface OwnDirectory {
  /** The program finds it by this variable. */
  readonly variable: string;
  /** Content by name. */
  readonly files: Readonly<Record<string, string>>;
  /** What each leads to, absolute, by name; there or not. */
  readonly links: Readonly<Record<string, string>>;
}

export interface RunningProcess {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** When nothing of its sandbox is left. What it leaves running counts as ended. */
  readonly exit: Promise<ProcessExit>;
  /** As people see it in their lists of processes. */
  readonly pid: number;
  readonly sandbox: SandboxLevel;
  /** Gives it something to read; `unavailable` when it no longer reads. */
  write(bytes: Uint8Array): Promise<void>;
  /** It will be given no more. */
  endInput(): void;
  /** Whether something of it waits for input right now; undefined where that cannot be told. */
  waitsForInput(): boolean | undefined;
  /** Where what it listens on at this port of its loopback can be reached from here; undefined while nobody listens. */
  reach(port: number): Promise<{ readonly host: string; readonly port: number } | undefined>;
  /** Puts right what its sandbox could not prevent so far, as is done again at its end. Tells. */
  settle?(): Promise<readonly string[]>;
  /** What has come into being since that its sandbox would hide or protect by now, and does not; undefined if nothing. */
  uncovered?(): Promise<string | undefined>;
  /** Asks everything it has started to end, and ends it after two seconds. */
  terminate(): void;
  /** Ends the process and everything it started; no error if it is gone. */
  stop(): void;
}

export interface ProcessExit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** What a person or model should know about how it ran: limits it met, hosts it was refused, files that were put back. */
  readonly remarks: readonly string[];
}

/** How well commands are confined, and why not better. */
export interface SandboxReport {
  readonly level: SandboxLevel;
  /** One sentence on each better level that cannot be had, with the remedy. */
  readonly missing: readonly string[];
  /** What this level does not hold back, a sentence each. */
  readonly gaps: readonly string[];
}
