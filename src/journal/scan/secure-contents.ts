import type { ToolCall } from "../../contract/call.ts";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { Snapshot } from "../../contract/snapshot.ts";
import { TimeSlice } from "../../lib/async/time-slice.ts";
import { monotonicMs } from "../../lib/clock.ts";
import type { Blobs } from "../blobs.ts";
import type { HeldByGit } from "./held-by-git.ts";
import { bytesAt, carryOver, type Holding, isFileAt, type Ledger } from "./ledger.ts";

/** The limits of the copies that are made before a command runs, so that it can be undone. */
export interface ScanLimits {
  readonly maxFileBytes: number;
  readonly maxBytes: number;
  readonly maxMs: number;
  /** The time limit of the snapshot before the copies. */
  readonly maxLookMs: number;
}

export const usualLimits: ScanLimits = {
  maxFileBytes: 64 * 1024 * 1024,
  maxBytes: 512 * 1024 * 1024,
  maxMs: 10_000,
  maxLookMs: 15_000,
};

/** A ledger in which almost every file is stored. */
export interface Secured extends Ledger {
  /** The reasons why files are not stored, by position. */
  readonly uncovered: ReadonlyMap<number, string>;
}

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
  { signal, notify }: Pick<ToolCall, "signal" | "notify">,
  parts: SecuringParts,
): Promise<Secured> {
  const holdings = carryOver(snapshot, earlier);
  parts.git.forgetLost(snapshot, holdings, earlier?.snapshot);
  const uncovered = new Map<number, string>();
  const missing: number[] = [];
  for (let position = 0; position < holdings.length; position += 1) {
    if (holdings[position] !== undefined || !isFileAt(snapshot, position)) continue;
    if (snapshot.leftOut.has(position))
      uncovered.set(position, "ignored, and beyond the budget for ignored files");
    else if (bytesAt(snapshot, position) > parts.limits.maxFileBytes)
      uncovered.set(position, "too large to store");
    else missing.push(position);
  }
  const held = missing.length === 0 ? new Map() : await parts.git.find(snapshot, missing, signal);
  for (const [position, holding] of held) holdings[position] = holding;
  const rest = missing.filter((position) => !held.has(position));
  if (rest.length > manyFiles)
    notify({
      type: "progress",
      message: `Copying ${rest.length} files once, so that commands can be undone`,
    });
  await copy(snapshot, rest, { holdings, uncovered }, parts, signal);
  return { snapshot, holdings, uncovered };
}

/** The number of files from which copying takes noticeably long. */
const manyFiles = 1000;

async function copy(
  snapshot: Snapshot,
  positions: readonly number[],
  to: { readonly holdings: (Holding | undefined)[]; readonly uncovered: Map<number, string> },
  { environment, blobs, limits }: SecuringParts,
  signal: AbortSignal,
): Promise<void> {
  const timeSlice = new TimeSlice(signal);
  const end = monotonicMs() + limits.maxMs;
  let bytesLeft = limits.maxBytes;
  for (const position of positions) {
    const bytes = bytesAt(snapshot, position);
    if (bytes > bytesLeft || monotonicMs() > end) {
      const why = bytes > bytesLeft ? "more than is copied for one command" : "no time was left to copy it";
      to.uncovered.set(position, why);
      continue;
    }
    bytesLeft -= bytes;
    try {
      to.holdings[position] = (await blobs.keepFile(environment, snapshot.paths[position]!, signal)).hash;
    } catch (error) {
      to.uncovered.set(position, whyNotRead(error));
    }
    if (timeSlice.isOver) await timeSlice.next();
  }
}

/** Returns the reason why a file was not read. Throws errors that are not about this file. */
function whyNotRead(error: unknown): string {
  if (!(error instanceof ToolError) || error.code === "unavailable" || error.code === "cancelled")
    throw error;
  return error.code === "denied" ? "no read permission" : "it could not be read";
}
