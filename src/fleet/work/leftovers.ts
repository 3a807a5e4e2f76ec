import { statSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { attempt } from "../../system/attempt.ts";
import { namesIfReadable } from "../../system/directories.ts";
import type { Run } from "../fleet.ts";
import { RunFolder } from "./run-folder.ts";
import { removeTarget } from "./run-target.ts";
import type { WorkContext } from "./work-run.ts";

/**
 * Removes what runs have left: folders and containers of runs that were cancelled without a worker, or that another
 * machine has because this one was away; and mirrors that no run has used for a month. Kept workspaces and artifacts
 * that could not be stored stay.
 */
export async function removeLeftovers(
  context: WorkContext,
  machine: string,
  isActive: (run: string) => boolean,
): Promise<void> {
  const { store, workFolder } = context;
  const root = join(workFolder, "runs");
  const used = new Set<string>();
  for (const fleet of namesIfReadable(root))
    for (const name of namesIfReadable(join(root, fleet))) {
      const path = join(root, fleet, name);
      // The folder of a run of another database has a name that no run of this one gives.
      const run = isOlder(join(path, "progress.json"), day) ? await store.run(idIn(name)) : undefined;
      const folder = run && new RunFolder(workFolder, run);
      if (run && folder?.path === path && !isActive(run.id) && isLeft(run, machine)) {
        await removeTarget(context, run.spec, folder).catch(() => {});
        await folder.remove().catch(() => {});
      } else used.add(await mirrorOf(path));
    }
  const mirrors = join(workFolder, "mirrors");
  for (const name of namesIfReadable(mirrors)) {
    const path = join(mirrors, name);
    // A clone that a killed worker has begun is a draft.
    const isDraft = !name.endsWith(".git");
    if (!used.has(path) && isOlder(path, isDraft ? day : 30 * day))
      await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

const day = 24 * 60 * 60 * 1000;

function isOlder(path: string, ms: number): boolean {
  const changedAt = attempt(() => statSync(path).mtimeMs);
  return changedAt !== undefined && changedAt < Date.now() - ms;
}

function idIn(folderName: string): string {
  return folderName.slice(0, folderName.lastIndexOf("-"));
}

function isLeft({ state, machine, result }: Run, own: string): boolean {
  if (state === "ended") return result === null || result.artifacts !== null;
  return machine !== null && machine !== own;
}

/** Returns the mirror whose objects a run uses. */
async function mirrorOf(runFolder: string): Promise<string> {
  const file = join(runFolder, "patch.git/objects/info/alternates");
  const objects = await readFile(file, "utf8").catch(() => "");
  return objects.trim().replace(/\/objects$/, "");
}
