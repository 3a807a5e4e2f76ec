import { join } from "node:path";
import { namesIn } from "../system/directories.ts";

/** Returns the folders for records of running commands and for stored scans, in the state directory of a sandbox. All levels share them. */
export function recordFolders(
  directory: string,
): Record<"placeholders" | "tripwire" | "repositories" | "scans", string> {
  return {
    placeholders: join(directory, "stubs"),
    tripwire: join(directory, "tripwire"),
    repositories: join(directory, "repositories"),
    scans: join(directory, "scans"),
  };
}

/**
 * Undoes what commands left behind when their Toolcrib process was killed: placeholders, changed protected files, and
 * repositories that run programs, whatever sandbox is in use now. Returns remarks.
 */
export async function restoreAbandoned({
  workspace,
  directory,
}: Record<"workspace" | "directory", string>): Promise<readonly string[]> {
  const { placeholders, tripwire, repositories } = recordFolders(directory);
  const remarks: string[] = [];
  // Modules are loaded on first use, because most processes end properly.
  if (namesIn(placeholders).length > 0) {
    const { Placeholders } = await import("./bubblewrap/placeholders.ts");
    await new Placeholders(placeholders).removeAbandoned();
  }
  if (namesIn(join(tripwire, "runs")).length > 0) {
    const { Tripwire } = await import("./landlock/tripwire/tripwire.ts");
    remarks.push(...new Tripwire({ workspace, directory: tripwire }).settleAbandoned());
  }
  if (namesIn(repositories).length > 0) {
    const { RepositoryWatch } = await import("./repository-watch.ts");
    remarks.push(...(await new RepositoryWatch({ workspace, folder: repositories }).settleAbandoned()));
  }
  return remarks;
}
