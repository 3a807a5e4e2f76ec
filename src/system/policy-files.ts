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
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ToolError } from "../contract/error.ts";
import { newIdentifier } from "../lib/identifier.ts";
import { writeFully } from "./content.ts";
import { makePrivateDirectory, workspaceDirectory } from "./directories.ts";
import { errnoOf } from "./failures.ts";

/** Where a person's rules stand: all below the config directory, none in the workspace. */
export interface PolicyFiles {
  /** For every workspace, written by the person. */
  readonly user: string;
  /** For this workspace, written by the answer "always". */
  readonly granted: string;
  /** Which content of the project's rules the person trusts. */
  readonly trust: string;
  /** MCP servers for every workspace, written by the person. */
  readonly servers: string;
  /** Which content of the project's list of MCP servers the person trusts. */
  readonly serversTrust: string;
}

export function policyFiles(config: string, workspace: string): PolicyFiles {
  const directory = workspaceDirectory(config, workspace);
  return {
    user: join(config, "rules"),
    granted: join(directory, "rules"),
    trust: join(directory, "trust.json"),
    servers: join(config, "mcp.json"),
    serversTrust: join(directory, "mcp-trust.json"),
  };
}

/** The whole of a text file of ours, or undefined when there is none. What cannot be read is never taken for empty. */
export function readPolicyFile(path: string): string | undefined {
  let handle: number | undefined;
  try {
    // A FIFO must not make us wait.
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw new Error("it is no regular file");
    return decodeRules(readFileSync(handle));
  } catch (error) {
    const errno = errnoOf(error);
    // A link that leads nowhere just now is no sign that the person wants no rules, nor a file in the place of their folder.
    if (errno === "ENOENT" && !mayExist(path)) return undefined;
    if (errno === "ENOTDIR" && !stands(dirname(path))) return undefined;
    throw unreadable(path, error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Whether something of this name may be there. Quick, and no word on where it leads. */
export function mayExist(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

function stands(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** The text of a rule file. Throws where it is too large or not UTF-8. */
export function decodeRules(bytes: Uint8Array): string {
  if (bytes.length > maxRuleBytes)
    throw new Error(`it has ${bytes.length} bytes, at most ${maxRuleBytes} are read`);
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

export const maxRuleBytes: number = 1024 * 1024;

/** Adds lines at the end of a file of ours. Two processes may do so at once: neither loses what the other added. */
export async function appendToPolicyFile(path: string, lines: readonly string[]): Promise<void> {
  const lock = await takeLock(path);
  try {
    const before = readPolicyFile(path) ?? "";
    const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
    writePolicyFile(path, `${start}${lines.join("\n")}\n`);
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Replaces a file of ours, for nobody else to read: after a crash the old or the new content is there. */
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

/** Says whether there was one. */
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

/** Nobody writes a few lines for as long as this: whoever held the lock is gone. */
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
  return new ToolError("unavailable", `The rules in ${path} cannot be read: ${(cause as Error).message}`, {
    hint: "Nothing is done without them: make the file readable, or move it away.",
    cause,
  });
}

function unwritable(path: string, cause: unknown): ToolError {
  return new ToolError("unavailable", `${path} cannot be written: ${(cause as Error).message}`, {
    hint: "Free disk space, mend its permissions, or set TOOLCRIB_HOME to a folder that can be written.",
    cause,
  });
}
