import type { ToolCall } from "../../contract/call.ts";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { isSettled, type Snapshot } from "../../contract/snapshot.ts";
import { TimeSlice } from "../../lib/async/time-slice.ts";
import { monotonicMs } from "../../lib/clock.ts";
import type { Blobs } from "../blobs.ts";
import type { HeldByGit } from "./held-by-git.ts";
import type { Holdings } from "./holdings.ts";
import { KeepInOrder } from "./keep-in-order.ts";
import { bytesAt, carryOver, isFileAt, type Ledger } from "./ledger.ts";
import { byLikelihood, namedBy } from "./likely-targets.ts";

/** The limits of the copies that are made before a command runs, so that it can be undone. */
export interface ScanLimits {
  readonly maxFileBytes: number;
  /** Before one command: copies of files that it names, or that changed since the last command. */
  readonly maxBytes: number;
  readonly maxMs: number;
  /** Copies of all other files: their size on the disk in one workspace, their number and time before one command. */
  readonly maxBacklogBytes: number;
  readonly maxBacklogFiles: number;
  readonly maxBacklogMs: number;
  /** The processor time and the time of the snapshot before the copies. */
  readonly maxLookCpuMs: number;
  readonly maxLookMs: number;
  /** After a snapshot that took longer, none is tried for this time. */
  readonly lookPauseMs: number;
  /** After a command: entries of ignored folders, to see whether it has changed them. */
  readonly maxUnseenEntries: number;
}

export const usualLimits: ScanLimits = {
  maxFileBytes: 64 * 1024 * 1024,
  maxBytes: 512 * 1024 * 1024,
  maxMs: 10_000,
  maxBacklogBytes: 512 * 1024 * 1024,
  maxBacklogFiles: 25_000,
  maxBacklogMs: 5_000,
  maxLookCpuMs: 15_000,
  maxLookMs: 60_000,
  lookPauseMs: 600_000,
  maxUnseenEntries: 2_000,
};

/** A ledger in which almost every file is stored. */
export interface Secured extends Ledger {
  /** The reasons why files are not stored, by position. */
  readonly uncovered: ReadonlyMap<number, string>;
  /** Files without a reason there that are not stored either. Default: none. */
  readonly backlog?: Backlog | undefined;
}

export interface Backlog {
  readonly files: number;
  /** Whether later commands copy more of them. */
  readonly isCopiedLater: boolean;
}

export const notCopied = "not copied before the command";

export interface SecuringParts {
  readonly environment: Environment;
  readonly blobs: Blobs;
  readonly git: HeldByGit;
  readonly limits: ScanLimits;
}

/** Makes every content recoverable: from an earlier ledger, git, or a copy. Throws `unavailable` without space. */
export async function secureContents(
  snapshot: Snapshot,
  earlier: Ledger | undefined,
  { signal, notify, accesses }: SecuredCall,
  parts: SecuringParts,
): Promise<Secured> {
  const holdings = carryOver(snapshot, earlier);
  parts.git.forgetLost(snapshot, holdings, earlier?.snapshot);
  const uncovered = new Map<number, string>();
  const missing: number[] = [];
  for (const position of holdings.positionsWithout()) {
    if (!isFileAt(snapshot, position)) continue;
    if (snapshot.leftOut.has(position))
      uncovered.set(position, "ignored, and beyond the budget for ignored files");
    else if (bytesAt(snapshot, position) > parts.limits.maxFileBytes)
      uncovered.set(position, "too large to store");
    else missing.push(position);
  }
  await parts.git.find(snapshot, missing, holdings, signal);
  const rest = missing.filter((position) => !holdings.has(position));
  if (rest.length > manyFiles)
    notify({ type: "progress", message: "Copying files once, so that commands can be undone" });
  const to = { holdings, uncovered };
  const isUrgent = urgency(snapshot, earlier?.snapshot, namedBy(accesses, parts.environment.workspace));
  await copyUrgent(snapshot, rest.filter(isUrgent), to, parts, signal);
  const others = rest.filter((position) => !isUrgent(position));
  const backlog = await copyBacklog(snapshot, others, to, parts, signal);
  return { snapshot, holdings, uncovered, backlog };
}

export type SecuredCall = Pick<ToolCall, "signal" | "notify" | "accesses">;

/** The number of files from which copying takes noticeably long. */
const manyFiles = 1000;

/** Returns whether a file is copied first: the command names it, or it has changed since the last command. */
function urgency(
  snapshot: Snapshot,
  earlier: Snapshot | undefined,
  isNamed: (path: string) => boolean,
): (position: number) => boolean {
  const then = earlier && { ...snapshot, takenMs: earlier.takenMs };
  const isNew = (position: number) => then !== undefined && !isSettled(then, position);
  return (position) => isNew(position) || isNamed(snapshot.entries.pathAt(position));
}

interface Destination {
  readonly holdings: Holdings;
  readonly uncovered: Map<number, string>;
}

async function copyUrgent(
  snapshot: Snapshot,
  positions: readonly number[],
  to: Destination,
  parts: SecuringParts,
  signal: AbortSignal,
): Promise<void> {
  const end = monotonicMs() + parts.limits.maxMs;
  const timeSlice = new TimeSlice(signal);
  let bytesLeft = parts.limits.maxBytes;
  const sorted = byLikelihood(snapshot, positions);
  const copies = copiesOf(snapshot, sorted, parts);
  for (const position of sorted) {
    const bytes = bytesAt(snapshot, position);
    if (bytes > bytesLeft) to.uncovered.set(position, "more than is copied for one command");
    else if (monotonicMs() > end) to.uncovered.set(position, "no time was left to copy it");
    else {
      bytesLeft -= bytes;
      await copy(snapshot, position, to, copies, signal);
      if (timeSlice.isOver) await timeSlice.next();
    }
  }
}

/** Copies files that most commands do not change, the likely ones first. Later commands continue. */
async function copyBacklog(
  snapshot: Snapshot,
  positions: readonly number[],
  to: Destination,
  parts: SecuringParts,
  signal: AbortSignal,
): Promise<Backlog | undefined> {
  if (positions.length === 0) return undefined;
  const { maxBacklogBytes, maxBacklogFiles, maxBacklogMs } = parts.limits;
  let bytesLeft = maxBacklogBytes - copiedBytes(snapshot, to.holdings);
  if (bytesLeft < blockBytes) return { files: positions.length, isCopiedLater: false };
  const sorted = byLikelihood(snapshot, positions);
  const copies = copiesOf(snapshot, sorted, parts);
  const end = monotonicMs() + maxBacklogMs;
  const timeSlice = new TimeSlice(signal);
  let copied = 0;
  let left = 0;
  let isCopiedLater = false;
  for (const position of sorted) {
    const bytes = diskBytes(bytesAt(snapshot, position));
    const isOver = bytes > bytesLeft;
    isCopiedLater ||= !isOver && (copied >= maxBacklogFiles || monotonicMs() > end);
    if (isOver || isCopiedLater) {
      left += 1;
      continue;
    }
    copied += 1;
    bytesLeft -= bytes;
    await copy(snapshot, position, to, copies, signal);
    if (timeSlice.isOver) await timeSlice.next();
  }
  return left === 0 ? undefined : { files: left, isCopiedLater };
}

/** Returns the size of all copies of the current files. */
function copiedBytes(snapshot: Snapshot, holdings: Holdings): number {
  let bytes = 0;
  for (const position of holdings.positions())
    if (!holdings.isHeldByGit(position)) bytes += diskBytes(bytesAt(snapshot, position));
  return bytes;
}

/** Even a small file takes a block. */
const blockBytes = 4096;

function diskBytes(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / blockBytes)) * blockBytes;
}

function copiesOf({ entries }: Snapshot, positions: readonly number[], parts: SecuringParts): KeepInOrder {
  return new KeepInOrder(parts, () => positions.map((position) => entries.pathAt(position)));
}

async function copy(
  snapshot: Snapshot,
  position: number,
  { holdings, uncovered }: Destination,
  copies: KeepInOrder,
  signal: AbortSignal,
): Promise<void> {
  try {
    const path = snapshot.entries.pathAt(position);
    holdings.set(position, (await copies.keep(path, signal)).hash);
  } catch (error) {
    uncovered.set(position, whyNotRead(error));
  }
}

/** Returns the reason why a file was not read. Throws errors that are not about this file. */
function whyNotRead(error: unknown): string {
  if (!(error instanceof ToolError) || error.code === "unavailable" || error.code === "cancelled")
    throw error;
  return error.code === "denied" ? "no read permission" : "it could not be read";
}
