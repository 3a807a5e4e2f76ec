import { ToolError } from "../../contract/error.ts";
import type { Selection } from "../../contract/history.ts";
import type { CallRecord, Journal, RecordedChange } from "../journal.ts";
import type { WholeTransactions } from "../transactions/whole-transactions.ts";
import { findCheckpoint } from "./checkpoints.ts";
import type { UndoRecords } from "./undo-records.ts";

/** Whose calls may be undone, and where: only a person may take back what others did, or what was done to protected files. */
export interface Reach {
  readonly session: string;
  readonly calls: "session" | "workspace";
  /** Why a path may not be changed, to go on after "it"; undefined for most. */
  readonly refuses?: ((path: string) => string | undefined) | undefined;
}

export interface SelectionDesk {
  readonly journal: Journal;
  readonly undos: UndoRecords;
  readonly reach: Reach;
  /** What is meant together. */
  readonly wholes: Pick<WholeTransactions, "callsOf" | "of">;
  /** Calls that are not meant by "the latest". */
  readonly without?: ReadonlySet<string>;
}

/** What the selected calls changed, in the order it was done. */
export function selectChanges(selection: Selection, desk: SelectionDesk): readonly RecordedChange[] {
  const { journal, undos, reach, wholes } = desk;
  const allOf = (ids: readonly string[]) => [...new Set(ids.flatMap((id) => wholes.callsOf(id)))];
  const changesOf = (calls: readonly CallRecord[]) =>
    journal.changesOf(allOf(calls.map(({ callId }) => callId)));
  const own = reach.calls === "session" ? { session: reach.session } : {};
  const changing = { changing: true, ...own };
  switch (selection.kind) {
    case "calls":
      return journal.changesOf(allOf(selection.ids).map((id) => findOwn(id, journal, reach).callId));
    case "range": {
      const [first, last] = [selection.first, selection.last]
        .map((id) => findOwn(id, journal, reach).sequence)
        .sort((one, other) => one - other) as [number, number];
      return changesOf(journal.calls({ ...changing, after: first - 1, upTo: last }));
    }
    case "last":
      return changesOf(latest(selection.count, changing, desk));
    case "since":
      return changesOf(journal.calls({ ...changing, since: selection.time }));
    case "session":
      return changesOf(journal.calls({ changing: true, session: reach.session }));
    case "checkpoint": {
      const changes = journal.changesAfter(findCheckpoint(journal, selection.name));
      return reach.calls === "workspace"
        ? changes
        : changes.filter(({ callId }) => isOwn(callId, journal, reach));
    }
    case "undo": {
      const latestUndo = undos.latest(
        (callId) => reach.calls === "workspace" || isOwn(callId, journal, reach),
      );
      return latestUndo === undefined ? [] : journal.changesOf([latestUndo]);
    }
  }
}

/** The latest calls that are not undone, and no undo themselves. */
function latest(
  count: number,
  filter: Parameters<Journal["calls"]>[0],
  { journal, undos, without, wholes }: SelectionDesk,
): readonly CallRecord[] {
  // What is undone together counts as one.
  const found = new Map<string, CallRecord>();
  for (let upTo = Number.MAX_SAFE_INTEGER; found.size < count; ) {
    const calls = journal.calls({ ...filter, upTo, limit: count + 8 });
    const oldest = calls.at(-1);
    if (oldest === undefined) break;
    upTo = oldest.sequence - 1;
    for (const call of calls) {
      const { callId } = call;
      if (without?.has(callId) || undos.isUndo(callId) || undos.undoneBy(callId) !== undefined) continue;
      const whole = wholes.of(callId)?.id ?? callId;
      if (!found.has(whole)) found.set(whole, call);
    }
  }
  return [...found.values()].slice(0, count);
}

function findOwn(callId: string, journal: Journal, reach: Reach): CallRecord {
  const found = journal.find(callId);
  if (found === undefined)
    throw new ToolError("not-found", `There is no call "${callId}" in the journal of this workspace`, {
      hint: "Take an id as the result of a call tells it; a person finds all with: toolcrib log.",
    });
  if (reach.calls === "session" && found.session !== reach.session)
    throw new ToolError("denied", `${callId} was made in another session, and only a person may undo that`, {
      hint: `Ask the person to run: toolcrib undo ${callId}`,
    });
  return found;
}

function isOwn(callId: string, journal: Journal, { session }: Reach): boolean {
  return journal.find(callId)?.session === session;
}
