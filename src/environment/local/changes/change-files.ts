import type { ChangeOptions, ChangeReceipt, Effect, FileChange } from "../../../contract/environment.ts";
import { throwIfAborted } from "../../../lib/abort.ts";
import { asToolError } from "../../../system/failures.ts";
import type { Pinning } from "../../../system/pinning/pinning.ts";
import { refuseOverlaps } from "../../overlaps.ts";
import type { NamedPath } from "../files/read-file.ts";
import { type ChangeRecords, ChangeSet } from "./change-set.ts";
import { ChangedFile } from "./changed-file.ts";
import { findTarget, refuseSharedFiles, refuseUnlikely, type Target } from "./target.ts";

/** See Environment.change. `nameOf` judges a path as it was given. */
export async function changeFiles(
  changes: readonly FileChange[],
  options: ChangeOptions & {
    readonly pinning: Pinning;
    readonly nameOf: (path: string) => NamedPath;
    readonly records: ChangeRecords | undefined;
    readonly tidied: Set<string>;
  },
): Promise<readonly ChangeReceipt[]> {
  const { pinning, nameOf, durable = true, signal, records, tidied } = options;
  throwIfAborted(signal);
  const files: ChangedFile[] = [];
  try {
    for (const change of changes) files.push(new ChangedFile(pinning, find(pinning, change, nameOf)));
    const targets = files.map(({ target }) => target);
    refuseOverlaps(targets);
    refuseSharedFiles(targets);
    refuseUnlikely(targets);
    const receipts = () => files.map((file) => file.receipt());
    const announce = () => options.announce?.([...madeFor(files), ...files.map(effectOf)]);
    await new ChangeSet(files, { durable, signal, records, tidied, announce }).make(pinning.root);
    return receipts();
  } finally {
    for (const file of files) file.close();
  }
}

function effectOf(file: ChangedFile): Effect {
  return { ...file.receipt(), ...(file.step ? { afterHash: file.step.after } : {}) };
}

/** Each after the one it is in. */
function madeFor(files: readonly ChangedFile[]): readonly ChangeReceipt[] {
  const made = files.flatMap((file) => file.madeParents());
  return made.sort((left, right) => (left.realPath < right.realPath ? -1 : 1));
}

function find(pinning: Pinning, change: FileChange, nameOf: (path: string) => NamedPath): Target {
  try {
    return findTarget(pinning, change, nameOf);
  } catch (error) {
    throw asToolError(error, change.path);
  }
}
