import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ToolError } from "../contract/error.ts";
import { newIdentifier } from "../lib/identifier.ts";
import { writeFully } from "./content.ts";
import { makePrivateDirectory, workspaceDirectory } from "./directories.ts";
import { errnoOf } from "./file-errors.ts";
import { storageHints } from "./storage-hint.ts";

/** The files with the user's rules. All are below the config directory, none in the workspace. */
export interface PolicyFiles {
  /** Rules for every workspace, written by the user. */
  readonly user: string;
  /** Rules for this workspace, written by the answer "always". */
  readonly granted: string;
  /** Records which content of the project's rules the user trusts. */
  readonly trust: string;
  /** MCP servers for every workspace, written by the user. */
  readonly servers: string;
  /** Records which content of the project's MCP server list the user trusts. */
  readonly serversTrust: string;
  /** Records which content of the project's `config.toml` the user trusts. */
  readonly configTrust: string;
}

export function policyFiles(config: string, workspace: string): PolicyFiles {
  const directory = workspaceDirectory(config, workspace);
  return {
    user: `${config}/rules`,
    granted: `${directory}/rules`,
    trust: `${directory}/trust.json`,
    servers: `${config}/mcp.json`,
    serversTrust: `${directory}/mcp-trust.json`,
    configTrust: `${directory}/config-trust.json`,
  };
}

/** Reads the whole file; undefined when it does not exist. An unreadable file is never treated as empty. */
export function readPolicyFile(path: string): string | undefined {
  let handle: number | undefined;
  try {
    // With O_NONBLOCK, opening a FIFO does not block.
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw new Error("it is not a regular file");
    return decodeRules(readFileSync(handle));
  } catch (error) {
    const errno = errnoOf(error);
    // A dangling link, or a file instead of the folder, does not mean that there are no rules.
    if (errno === "ENOENT" && !mayExist(path)) return undefined;
    if (errno === "ENOTDIR" && !mayExist(dirname(path), { ifUnknown: false })) return undefined;
    throw unreadable(path, error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Whether an entry of this name may exist. Links are not followed. */
export function mayExist(path: string, { ifUnknown = true } = {}): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return ifUnknown;
  }
}

/** Decodes a rule file. Throws when it is too large or not UTF-8. */
export function decodeRules(bytes: Uint8Array): string {
  if (bytes.length > maxRuleBytes)
    throw new Error(`it has ${bytes.length} bytes; the limit is ${maxRuleBytes}`);
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

export const maxRuleBytes: number = 1024 * 1024;

export function appendToPolicyFile(path: string, lines: readonly string[]): Promise<void> {
  return changePolicyFile(path, (before) => {
    const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
    return `${start}${lines.join("\n")}\n`;
  });
}

/** Changes a file under a lock, so that concurrent processes do not lose each other's lines. */
export async function changePolicyFile(path: string, change: (before: string) => string): Promise<void> {
  const lock = await takeLock(path);
  try {
    writePolicyFile(path, change(readPolicyFile(path) ?? ""));
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Replaces a private file. After a crash it has either the old or the new content. */
export function writePolicyFile(path: string, text: string): void {
  makePrivateDirectory(dirname(path));
  const temporary = `${path}.${newIdentifier("new")}`;
  try {
    const handle = openSync(temporary, "wx", 0o600);
    try {
      writeFully(handle, Buffer.from(text));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw unwritable(path, cause);
  }
}

/** Returns whether the file existed. */
export function removePolicyFile(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch (cause) {
    if (errnoOf(cause) === "ENOENT") return false;
    throw unwritable(path, cause);
  }
}

const lockTries = 200;
const lockPauseMs = 25;

/** Writing a few lines never takes this long, so a process that holds the lock longer has ended. */
const abandonedMs = 3_000;

async function takeLock(path: string): Promise<string> {
  makePrivateDirectory(dirname(path));
  const lock = `${path}.lock`;
  for (let tries = 1; ; tries += 1) {
    try {
      closeSync(openSync(lock, "wx", 0o600));
      return lock;
    } catch (cause) {
      if (errnoOf(cause) !== "EEXIST" || tries === lockTries) throw unwritable(path, cause);
    }
    const stats = statSync(lock, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > abandonedMs) rmSync(lock, { force: true });
    else await wait(lockPauseMs);
  }
}

function unreadable(path: string, cause: unknown): ToolError {
  return new ToolError("unavailable", `${path} cannot be read: ${(cause as Error).message}`, {
    hint: "Make the file readable, or remove it.",
    cause,
  });
}

function unwritable(path: string, cause: unknown): ToolError {
  return new ToolError("unavailable", `${path} cannot be written: ${(cause as Error).message}`, {
    hint: storageHints(dirname(path), cause).forUser,
    cause,
  });
}

/** Detects changed files with at most one stat each. */
export class FileStamps {
  readonly #paths: readonly string[];
  #marks: readonly string[] = [];
  /** Fewer marks, of which at least one changes when a mark of a file does. */
  #watched: ReadonlyMap<string, string> = new Map();

  /** Missing files are watched too, because they may be created. */
  constructor(paths: readonly string[]) {
    this.#paths = paths;
    this.note();
  }

  /** Whether no file has changed since `note`. */
  get areSame(): boolean {
    if (this.#isWatchedSame) return true;
    // Perhaps only a folder was created, for example by a sandbox, which needs folders to mount on.
    const watched = new Map(this.#paths.map(watchedFor));
    const areSame = this.#paths.every((path, index) => markOf(path) === this.#marks[index]);
    if (areSame) this.#watched = watched;
    return areSame;
  }

  get #isWatchedSame(): boolean {
    for (const [path, mark] of this.#watched) if (markOf(path) !== mark) return false;
    return true;
  }

  note(): void {
    this.#watched = new Map(this.#paths.map(watchedFor));
    this.#marks = this.#paths.map(markOf);
  }
}

/** Returns a file and its mark; for a missing file, the topmost folder that is missing: while it is, so are its files. */
function watchedFor(path: string): readonly [path: string, mark: string] {
  const mark = markOf(path);
  if (mark !== missing) return [path, mark];
  const above = watchedFor(dirname(path));
  return above[1] === missing ? above : [path, missing];
}

const missing = "";

function markOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return missing;
    const { ino, size, mtimeMs, ctimeMs, mode } = stats;
    return `${ino} ${size} ${mtimeMs} ${ctimeMs} ${mode}`;
  } catch (error) {
    return errnoOf(error) ?? "?";
  }
}
