import { lstatSync } from "node:fs";
import { Breath } from "../../../lib/breath.ts";
import { errnoOf } from "../../../system/failures.ts";
import { withSlash } from "../../../system/workspace-path.ts";

/**
 * See Environment.modifiedTimes. By path: holding each directory would cost three times as much, and all that somebody
 * who swaps a directory for a link could learn is when a file of the same name was changed.
 */
export async function readModifiedTimes(
  workspace: string,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly (number | undefined)[]> {
  const breath = new Breath(signal);
  const prefix = withSlash(workspace);
  const times: (number | undefined)[] = [];
  for (const path of paths) {
    times.push(modifiedTime(prefix + path));
    if (breath.isDue) await breath.take();
  }
  return times;
}

function modifiedTime(path: string): number | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? stats.mtimeMs : undefined;
  } catch (error) {
    if (errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}
