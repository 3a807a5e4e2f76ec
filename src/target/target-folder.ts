import { createHash } from "node:crypto";
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { attemptQuietly } from "../system/attempt.ts";
import { makePrivateDirectory } from "../system/directories.ts";
import { requirePrivate } from "../system/private-socket.ts";

/**
 * Returns the folder for everything that Toolcrib leaves on a target: `wanted`, else one in the temporary directory, as on
 * machines whose home is read-only. Only this user can enter it.
 */
export function targetFolder(wanted: string): string {
  const choices = [wanted, join(tmpdir(), `toolcrib-${process.getuid?.() ?? 0}`)];
  const found = choices.find((folder) => attemptQuietly(() => useFolder(folder)) !== undefined);
  // The error of the first says what is wrong.
  return found ?? useFolder(wanted);
}

function useFolder(folder: string): string {
  makePrivateDirectory(folder);
  requirePrivate(folder);
  return folder;
}

/** The folder of a session: its socket, its record, and the errors of its server. */
export function sessionFolder(folder: string, session: string): string {
  return join(folder, "sessions", session);
}

export const socketName = "server.sock";
export const recordName = "record.json";
export const errorLogName = "errors.txt";

/** Returns the content of a file if it has this hash: an interrupted upload or another program may have changed it. */
export function storedFile(path: string, sha256: string): Buffer | undefined {
  const content = attemptQuietly(() => readFileSync(path));
  return content !== undefined && hashOf(content) === sha256 ? content : undefined;
}

/** Stores a file whole or not at all. */
export function storeFile(path: string, content: Uint8Array, mode: number): void {
  makePrivateDirectory(dirname(path));
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, content, { mode });
  chmodSync(draft, mode);
  renameSync(draft, path);
}

export function hashOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
