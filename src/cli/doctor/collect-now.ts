import { counted } from "../../lib/counted.ts";
import { showSize } from "../../lib/show-size.ts";
import type { JournalBudget, WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import { type Finding, note, well } from "./finding.ts";

/** Removes what is over the budget, and says what that was. */
export async function collectNow(
  desk: WorkspaceJournal,
  budget: JournalBudget,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const { blobs, bytes, records, conversations, waitsFor } = await desk.collect(budget, signal);
  const removed =
    blobs + records + conversations === 0
      ? "nothing was to be removed"
      : `removed ${counted(blobs, "content")} (${showSize(bytes)}), ${counted(records, "record")} and ${counted(conversations, "conversation")}`;
  if (waitsFor.length === 0) return [well("collection", removed)];
  const hint = "Try again when it has ended.";
  return [note("collection", `${removed}; the rest waits for ${waitsFor.join(", ")}, which runs`, hint)];
}
