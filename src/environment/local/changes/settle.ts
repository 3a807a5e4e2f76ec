import type { PinnedDirectory } from "../../../system/pinning/pinning.ts";
import { syncDirectory } from "./change-record.ts";
import { type FileStep, takeStepBack, tidyStep } from "./file-step.ts";

/** A step and the held directory its file is in. */
export interface HeldStep {
  readonly step: FileStep;
  readonly directory: PinnedDirectory;
}

/** Undoes what was done, last first; gives the files that somebody has changed since, which are left alone. */
export function takeBack(steps: readonly HeldStep[]): readonly FileStep[] {
  const leftAlone: FileStep[] = [];
  for (const { step, directory } of steps.toReversed()) {
    if (!takeStepBack(directory, step)) leftAlone.unshift(step);
  }
  return leftAlone;
}

export function tidy(steps: readonly HeldStep[]): void {
  for (const { step, directory } of steps) tidyStep(directory, step);
}

/** Waits until the names in these directories are on the disk. */
export function syncDirectories(directories: Iterable<PinnedDirectory>): void {
  const paths = new Map<string, string>();
  for (const directory of directories) paths.set(directory.realPath, directory.at("."));
  for (const path of paths.values()) syncDirectory(path);
}
