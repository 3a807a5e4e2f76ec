import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { AttachRequest, LeftOnTarget, SessionRecord } from "../environment/remote/attach-protocol.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";
import { attempt, attemptQuietly } from "../system/attempt.ts";
import { namesIfReadable } from "../system/directories.ts";
import { runningProcess } from "../system/process-identity.ts";
import { recordName, sessionFolder } from "./target-folder.ts";

/** A record as its server writes it. */
export interface StoredRecord extends SessionRecord {
  /** Identifies the process, because its id may be used again. */
  readonly owner: string;
}

/** Lists the running servers and all stored files. */
export function leftHere(folder: string): LeftOnTarget {
  const sessions = runningSessions(folder).map(({ owner: _, ...record }) => record);
  return { folder, sessions, files: fileFolders.flatMap((name) => filesIn(folder, name)) };
}

const fileFolders = ["servers", "ripgrep", "node"];

function filesIn(folder: string, name: string): LeftOnTarget["files"] {
  return namesIfReadable(join(folder, name)).flatMap((entry) => {
    const stats = attempt(() => statSync(join(folder, name, entry)));
    return stats?.isFile() ? [{ name: `${name}/${entry}`, bytes: stats.size }] : [];
  });
}

function runningSessions(folder: string): readonly StoredRecord[] {
  return namesIfReadable(join(folder, "sessions")).flatMap((session) => {
    const record = recordOf(folder, session);
    return record !== undefined && isRunning(record) ? [record] : [];
  });
}

function recordOf(folder: string, session: string): StoredRecord | undefined {
  const text = attempt(() => readFileSync(join(sessionFolder(folder, session), recordName), "utf8"));
  const record = text === undefined ? undefined : tryParseJson(text);
  const isWhole = isRecord(record) && typeof record.owner === "string";
  // The name of the folder is what counts: the record may be damaged.
  return isWhole ? ({ ...record, session } as unknown as StoredRecord) : undefined;
}

function isRunning({ owner, pid }: StoredRecord): boolean {
  return runningProcess(owner) === pid;
}

/** Ends servers and everything that they run. Returns when they have ended. */
export async function stopHere(
  folder: string,
  { sessions, sparesAttached = false }: Omit<StopRequest, "kind">,
): Promise<void> {
  const stopped = runningSessions(folder).filter(
    ({ session, isAttached }) =>
      (sessions === undefined || sessions.includes(session)) && !(sparesAttached && isAttached),
  );
  for (const { pid } of stopped) attemptQuietly(() => process.kill(pid, "SIGTERM"));
  await endOf(stopped, stopMs);
  for (const one of stopped) if (isRunning(one)) attemptQuietly(() => process.kill(one.pid, "SIGKILL"));
  await endOf(stopped, killMs);
  for (const one of stopped) removeSession(folder, one.session);
}

type StopRequest = Extract<AttachRequest, { kind: "stop" }>;

async function endOf(sessions: readonly StoredRecord[], maxMs: number): Promise<void> {
  const deadline = performance.now() + maxMs;
  while (sessions.some(isRunning) && performance.now() < deadline) await wait(20);
}

const stopMs = 10_000;
// A process that survives SIGKILL hangs in the kernel.
const killMs = 2000;

/** Removes all stored files. Running servers stay; they need none of them. */
export function cleanHere(folder: string): void {
  for (const name of fileFolders) rmSync(join(folder, name), { recursive: true, force: true });
  removeDeadSessions(folder);
}

/** Removes the folders of servers that were killed. */
export function removeDeadSessions(folder: string): void {
  for (const session of namesIfReadable(join(folder, "sessions"))) {
    const record = recordOf(folder, session);
    const isLeft = record === undefined ? isOld(sessionFolder(folder, session)) : !isRunning(record);
    if (isLeft) removeSession(folder, session);
  }
}

/** A server that starts has a folder before it has a record. */
function isOld(folder: string): boolean {
  const changedMs = attempt(() => statSync(folder).mtimeMs) ?? 0;
  return Date.now() - changedMs > startMs;
}

const startMs = 60_000;

function removeSession(folder: string, session: string): void {
  attemptQuietly(() => rmSync(sessionFolder(folder, session), { recursive: true, force: true }));
}
