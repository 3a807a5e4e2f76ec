import { statSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../system/attempt.ts";
import { namesIfReadable } from "../../system/directories.ts";
import type { Run } from "../fleet.ts";
import { RunFolder } from "./run-folder.ts";
import type { WorkContext } from "./work-run.ts";
import { RunContainer } from "./workspace.ts";

/**
 * Removes the folders and containers that runs have left on this machine: they were cancelled without a worker, or another
 * machine has them, because this one was away. Kept workspaces and artifacts that could not be stored stay.
 */
export async function removeLeftovers(
  { store, workFolder, environment, engine }: WorkContext,
  machine: string,
  isActive: (run: string) => boolean,
): Promise<void> {
  const root = join(workFolder, "runs");
  for (const fleet of namesIfReadable(root))
    for (const id of namesIfReadable(join(root, fleet))) {
      if (isActive(id) || !isOld(join(root, fleet, id, "progress.json"))) continue;
      const run = await store.run(id);
      if (run === undefined || !isLeft(run, machine)) continue;
      if (run.spec.target.startsWith("image:")) await new RunContainer(environment, engine, id).remove();
      await new RunFolder(workFolder, run).remove().catch(() => {});
    }
}

/** A run of another database may have the same id, so a folder is left alone for a day. */
function isOld(progress: string): boolean {
  const changedAt = attempt(() => statSync(progress).mtimeMs);
  return changedAt !== undefined && changedAt < Date.now() - 24 * 60 * 60 * 1000;
}

function isLeft({ state, machine, result }: Run, own: string): boolean {
  if (state === "ended") return result === null || result.artifacts !== null;
  return machine !== null && machine !== own;
}
