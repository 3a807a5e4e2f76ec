import type { Journal } from "../journal.ts";
import type { Needs } from "./needs.ts";

/** Removes the records from before `oldest`, and leaves one that says so with the hash of the last of them. */
export function pruneRecords(
  journal: Journal,
  { oldest, needs }: { readonly oldest: number; readonly needs: Needs },
): number {
  const [first] = journal.page(0, 1);
  if (first === undefined || first.at >= oldest) return 0;
  return journal.alone(({ database, records }) => {
    const { kept } = database.prepare("SELECT min(sequence) AS kept FROM records WHERE at >= ?").get(oldest)!;
    const before = Math.min(needs.firstRecord, Number(kept ?? records.last().sequence));
    const last = database
      .prepare("SELECT sequence, hash FROM records WHERE sequence < ? ORDER BY sequence DESC LIMIT 1")
      .get(before);
    if (last === undefined) return 0;
    const ofPruned = "call IN (SELECT call FROM records WHERE sequence < ?)";
    database.prepare(`DELETE FROM running WHERE ${ofPruned}`).run(before);
    const { changes } = database.prepare("DELETE FROM records WHERE sequence < ?").run(before);
    const body = JSON.stringify({ upTo: last.sequence, hash: last.hash });
    records.append([{ at: Date.now(), kind: "pruned", session: journal.session, call: "", body }]);
    return Number(changes);
  });
}
