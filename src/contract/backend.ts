import type { FileKind } from "./environment.ts";

/**
 * A workspace somewhere else, in as few methods as possible: `environmentOf` makes a whole Environment of it. Every
 * method can cross a network. Paths are absolute, normalized and inside the workspace. An
 * error with the code of a system error (`ENOENT`, `EACCES`, `ENOSPC`) has the same meaning as in Node.js.
 */
export interface Backend {
  /** Names the machine, container or service, such as `e2b:i7x2`. History and approvals belong to this name. */
  readonly name: string;
  /** The absolute path of the workspace there. No part of it is a link. */
  readonly workspace: string;
  /** Returns facts about the entry itself, without following a link; undefined when there is none. */
  stat(path: string): Promise<BackendEntry | undefined>;
  /** Lists a directory. */
  list(path: string): Promise<readonly BackendEntry[]>;
  /** Reads a file, or a range of it, which may end after the end of the file. */
  readFile(path: string, range?: BackendRange): Promise<Uint8Array>;
  /** Creates or replaces a file in an existing directory. Readers should see the old or the new content, never a mixture. */
  writeFile(path: string, content: Uint8Array, options: { readonly mode: number }): Promise<void>;
  /** Creates a directory in an existing one. */
  makeDirectory(path: string, options: { readonly mode: number }): Promise<void>;
  /** Deletes a file, a link itself, or an empty directory. */
  remove(path: string): Promise<void>;
  /** Renames an entry, and replaces a file at `to`. The directory of `to` exists. */
  move(from: string, to: string): Promise<void>;
  /** Changes permission bits. Without it, they cannot be changed. */
  setMode?(path: string, mode: number): Promise<void>;
  /** Creates a symbolic link. Without it, undo cannot restore deleted links. */
  makeLink?(path: string, target: string): Promise<void>;
  /** Runs a command line with `sh`. Without it, there are no commands, git and background processes. */
  exec?(command: string, options: BackendExecOptions): Promise<BackendExit>;
  /** Ends running commands. Called when the instance closes. */
  close?(): Promise<void>;
}

export interface BackendEntry {
  /** The last part of the path. */
  readonly name: string;
  readonly kind: FileKind;
  /** The size of a file. */
  readonly bytes: number;
  /** Default: 0, which means unknown. */
  readonly modifiedMs?: number | undefined;
  /** Permission bits. Default: 0o644, and 0o755 for a directory. */
  readonly mode?: number | undefined;
  /** The target of a link. */
  readonly target?: string | undefined;
}

export interface BackendRange {
  readonly offset: number;
  readonly length: number;
}

export interface BackendExecOptions {
  readonly cwd: string;
  /** Variables in addition to those of the backend. */
  readonly env: Readonly<Record<string, string>>;
  /** Standard input. Default: none. */
  readonly input?: Uint8Array | undefined;
  /** Takes output as it arrives. Wait for it before you read more, so that a fast command cannot fill the memory. */
  readonly onOutput: (bytes: Uint8Array, stream: "stdout" | "stderr") => Promise<void>;
  /** End the command and everything it started. */
  readonly signal: AbortSignal;
}

export interface BackendExit {
  /** Undefined after a signal. */
  readonly code: number | undefined;
}
