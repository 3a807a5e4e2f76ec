import type { Environment } from "../../contract/environment.ts";
import { describeIgnored } from "../../engine/journal/effects/describe-ignored.ts";
import type { Journal } from "../journal.ts";

/** Returns what an undo of these calls does not restore, each in one phrase. */
export async function lossesOf(
  calls: readonly string[],
  { journal, environment }: { readonly journal: Journal; readonly environment: Environment },
): Promise<readonly string[]> {
  const losses: string[] = [];
  for (const callId of calls) {
    const call = journal.find(callId);
    if (call === undefined) continue;
    losses.push(...call.notCovered);
    const { unseenFolders: folders = [], startedAt: sinceMs } = call;
    if (folders.length === 0) continue;
    const found = await environment.changedSince?.(folders, { sinceMs, maxEntries });
    const changed = folders.filter((folder) => found?.get(folder) !== "unchanged");
    if (changed.length > 0) losses.push(describeIgnored(changed));
  }
  return [...new Set(losses)];
}

/** About two seconds. */
const maxEntries = 500_000;
