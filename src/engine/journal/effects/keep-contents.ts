import type { ToolCall } from "../../../contract/call.ts";
import type { EffectWatch } from "../../../contract/effects.ts";
import type { Environment } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import type { Blobs } from "../../../journal/blobs.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { diskBytes } from "../../../lib/bytes/disk-bytes.ts";
import { monotonicMs } from "../../../lib/clock.ts";
import { KeepInOrder } from "./keep-in-order.ts";
import { namedBy } from "./named-by.ts";

/** The limits of the copies that are made before a command runs, so that it can be undone. */
export interface KeepLimits {
  readonly maxFileBytes: number;
  /**
   * Before one command: copies of files that it names, or that changed since the last command. In one workspace: the size
   * on the disk of the copies of all other files.
   */
  readonly maxBytes: number;
  /** The time for the copies before one command. Later commands continue. */
  readonly maxMs: number;
}

export const usualKeepLimits: KeepLimits = {
  maxFileBytes: 64 * 1024 * 1024,
  maxBytes: 512 * 1024 * 1024,
  maxMs: 10_000,
};

export interface KeptContents {
  /** The SHA-256 of the copies, by path. */
  readonly hashes: ReadonlyMap<string, string>;
  /** Why files are not copied, by path. */
  readonly reasons: ReadonlyMap<string, string>;
}

/** Why a file is not copied, if a later command may copy it. */
export const notCopied = "not copied before the command";

export interface KeepingParts {
  readonly environment: Environment;
  readonly blobs: Blobs;
  readonly limits: KeepLimits;
}

/** Copies the contents that only the workspace has: named and new files first, then small ones. Throws `unavailable` without space. */
export async function keepContents(
  { toKeep, keptBytes }: Pick<EffectWatch, "toKeep" | "keptBytes">,
  { signal, notify, accesses }: Pick<ToolCall, "signal" | "notify" | "accesses">,
  parts: KeepingParts,
): Promise<KeptContents> {
  const { environment, limits } = parts;
  if (toKeep.length > manyFiles)
    notify({ type: "progress", message: "Copying files once, so that commands can be undone" });
  const isNamed = namedBy(accesses, environment.workspace);
  const files = toKeep
    .map((file) => ({ ...file, isUrgent: file.isNew || isNamed(file.path) }))
    .sort((one, other) => Number(other.isUrgent) - Number(one.isUrgent) || one.bytes - other.bytes);
  const copies = new KeepInOrder(parts, () => files.map(({ path }) => path));
  const hashes = new Map<string, string>();
  const reasons = new Map<string, string>();
  const end = monotonicMs() + limits.maxMs;
  const timeSlice = new TimeSlice(signal);
  let urgentBytes = limits.maxBytes;
  let otherBytes = limits.maxBytes - keptBytes;
  for (const { path, bytes, isUrgent } of files) {
    const onDisk = diskBytes(bytes);
    if (bytes > limits.maxFileBytes) reasons.set(path, "too large to store");
    else if (onDisk > (isUrgent ? urgentBytes : otherBytes) || monotonicMs() > end)
      reasons.set(path, notCopied);
    else {
      if (isUrgent) urgentBytes -= onDisk;
      else otherBytes -= onDisk;
      try {
        hashes.set(path, (await copies.keep(path, signal)).hash);
      } catch (error) {
        reasons.set(path, whyNotRead(error));
      }
      if (timeSlice.isOver) await timeSlice.next();
    }
  }
  return { hashes, reasons };
}

/** The number of files from which copying takes noticeably long. */
const manyFiles = 1000;

/** Returns the reason why a file was not read. Throws errors that are not about this file. */
function whyNotRead(error: unknown): string {
  if (!(error instanceof ToolError) || error.code === "unavailable" || error.code === "cancelled")
    throw error;
  return error.code === "denied" ? "no read permission" : "it could not be read";
}
