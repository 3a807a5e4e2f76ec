import { join } from "node:path";
import { namesIn } from "../system/directories.ts";

/**
 * Returns the folders for records of running commands and for what was held back, in the state directory of a sandbox.
 * All levels share them.
 */
export function recordFolders(
  directory: string,
): Record<"held" | "quarantine" | "tripwire" | "repositories", string> {
  return {
    held: join(directory, "held"),
    quarantine: join(directory, "quarantine"),
    tripwire: join(directory, "tripwire"),
    repositories: join(directory, "repositories"),
  };
}

/**
 * Undoes what commands left behind when their Toolcrib process was killed: new and changed protected files, and
 * repositories that run programs, whatever sandbox is in use now. Returns remarks.
 */
export async function restoreAbandoned({
  workspace,
  directory,
}: Record<"workspace" | "directory", string>): Promise<readonly string[]> {
  const { held, tripwire, repositories } = recordFolders(directory);
  const remarks: string[] = [];
  // Modules are loaded on first use, because most processes end properly.
  if (namesIn(held).length > 0) {
    const { openHoldBack } = await import("../engine/sandbox/hold-back.ts");
    remarks.push(...openHoldBack({ workspace, directory }).settleAbandoned());
  }
  if (namesIn(join(tripwire, "runs")).length > 0) {
    const { Tripwire } = await import("./landlock/tripwire/tripwire.ts");
    remarks.push(...new Tripwire({ workspace, directory }).settleAbandoned());
  }
  if (namesIn(repositories).length > 0) {
    const { RepositoryWatch } = await import("./repository-watch.ts");
    remarks.push(...(await new RepositoryWatch({ workspace, folder: repositories }).settleAbandoned()));
  }
  return remarks;
}
