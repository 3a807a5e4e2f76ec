import { rmdirSync } from "node:fs";
import { posix } from "node:path";
import type { RecoveredChange } from "../../../contract/environment.ts";
import { errnoOf, LeadsOutside } from "../../../system/file-errors.ts";
import type { PinnedDirectory, Pinning } from "../../../system/pinning.ts";
import { withSlash } from "../../../system/workspace-path.ts";
import { ChangeRecord, type HeldStep, syncDirectories, tidy, undoSteps } from "./change-record.ts";
import { applyStep, canApply, type FileStep, isApplied, isAsAfter } from "./file-step.ts";

/** Completes or undoes the change sets of processes that died. `folder` contains the records. */
export function recoverChanges(pinning: Pinning, folder: string): readonly RecoveredChange[] {
  const recovered: RecoveredChange[] = [];
  for (const record of ChangeRecord.abandoned(folder, pinning.root)) {
    const wasSettled = record.phase === "settled";
    const change = recover(pinning, record);
    // A settled change is not reported, because its caller may have the result. The record of a move has no paths.
    if (!wasSettled && change.paths.length > 0) recovered.push(change);
  }
  return recovered;
}

/** Recovers one change set. Every step can be repeated, in case this process is killed as well. */
function recover(pinning: Pinning, record: ChangeRecord): RecoveredChange {
  const { steps, directories } = record.intent;
  const held: HeldStep[] = [];
  const lost: FileStep[] = [];
  const settled = (outcome: RecoveredChange["outcome"], leftAlone: readonly FileStep[]) => ({
    outcome,
    paths: steps.map(({ path }) => path),
    leftAlone: leftAlone.map(({ path }) => path),
  });
  try {
    for (const step of steps) {
      const directory = pinExactly(pinning, posix.dirname(step.path));
      if (directory === undefined) lost.push(step);
      else held.push({ step, directory });
    }
    if (record.phase === "committed" && !canComplete(held, lost)) record.mark("returning", { durable: true });
    let leftAlone: readonly FileStep[] = [];
    if (record.phase === "committed") leftAlone = complete(held);
    if (record.phase === "returning")
      leftAlone = [...undoSteps(held), ...lost.filter(({ before }) => before !== "nothing")];
    syncDirectories(held.map(({ directory }) => directory));
    if (record.phase === "committed") record.mark("settled", { durable: true });
    tidy(held);
    if (record.phase !== "settled") removeDirectories(pinning, directories);
    const outcome = record.phase === "settled" ? "completed" : "taken back";
    record.remove();
    return settled(outcome, leftAlone);
  } catch {
    record.leave();
    return settled("failed", []);
  } finally {
    for (const { directory } of held) directory.close();
  }
}

/** Whether each file can be changed or is already changed. A file in a missing directory counts as deleted. */
function canComplete(held: readonly HeldStep[], lost: readonly FileStep[]): boolean {
  return (
    held.every(({ step, directory }) => canApply(directory, step) || isApplied(directory, step)) &&
    lost.every((step) => step.after === "nothing")
  );
}

function complete(held: readonly HeldStep[]): readonly FileStep[] {
  for (const { step, directory } of held) if (canApply(directory, step)) applyStep(directory, step);
  return held.filter(({ step, directory }) => !isAsAfter(directory, step)).map(({ step }) => step);
}

/** Removes directories that were created for files that were not written, unless they are in use. */
function removeDirectories(pinning: Pinning, paths: readonly string[]): void {
  for (const path of paths.toReversed()) {
    const parent = pinExactly(pinning, posix.dirname(path));
    try {
      if (parent !== undefined) rmdirSync(parent.at(posix.basename(path)));
    } catch (error) {
      if (!["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errnoOf(error) ?? "")) throw error;
    } finally {
      parent?.close();
    }
  }
}

/** Pins a directory by its real path; undefined when it is missing or replaced. */
function pinExactly(pinning: Pinning, path: string): PinnedDirectory | undefined {
  const expected = path === "." ? pinning.root : withSlash(pinning.root) + path;
  try {
    const directory = pinning.pin(expected);
    if (directory.realPath === expected) return directory;
    directory.close();
  } catch (error) {
    const isGone = ["ENOENT", "ENOTDIR", "ELOOP"].includes(errnoOf(error) ?? "");
    if (!isGone && !(error instanceof LeadsOutside)) throw error;
  }
  return undefined;
}
