import { ToolError } from "../../contract/error.ts";
import type { Selection } from "../../contract/history.ts";
import type { CallRecord, Journal, RecordedChange } from "../journal.ts";
import { findCheckpoint } from "./checkpoints.ts";
import type { UndoRecords } from "./undo-records.ts";

/** Whose calls may be undone: only a person may take back what others did. */
export interface Reach {
  readonly session: string;
  readonly calls: "session" | "workspace";
}

export interface SelectionDesk {
  readonly journal: Journal;
  readonly undos: UndoRecords;
  readonly reach: Reach;
  /** Calls that are not meant by "the latest". */
  readonly without?: ReadonlySet<string>;
}

/** What the selected calls changed, in the order it was done. */
export function selectChanges(selection: Selection, desk: SelectionDesk): readonly RecordedChange[] {
  const { journal, undos, reach } = desk;
  const own = reach.calls === "session" ? { session: reach.session } : {};
  const changing = { changing: true, ...own };
  switch (selection.kind) {
    case "calls":
      return journal.changesOf(selection.ids.map((id) => findOwn(id, journal, reach).callId));
    case "range": {
      const [first, last] = [selection.first, selection.last]
        .map((id) => findOwn(id, journal, reach).sequence)
        .sort((one, other) => one - other) as [number, number];
      return changesOf(journal.calls({ ...changing, after: first - 1, upTo: last }), journal);
    }
    case "last":
      return changesOf(latest(selection.count, changing, desk), journal);
    case "since":
      return changesOf(journal.calls({ ...changing, since: selection.time }), journal);
    case "session":
      return changesOf(journal.calls({ changing: true, session: reach.session }), journal);
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

function changesOf(calls: readonly CallRecord[], journal: Journal): readonly RecordedChange[] {
  return journal.changesOf(calls.map(({ callId }) => callId));
}

/** The latest calls that are not undone, and no undo themselves. */
function latest(
  count: number,
  filter: Parameters<Journal["calls"]>[0],
  { journal, undos, without }: SelectionDesk,
): readonly CallRecord[] {
  const found: CallRecord[] = [];
  for (let upTo = Number.MAX_SAFE_INTEGER; found.length < count; ) {
    const calls = journal.calls({ ...filter, upTo, limit: count + 8 });
    const oldest = calls.at(-1);
    if (oldest === undefined) break;
    upTo = oldest.sequence - 1;
    found.push(
      ...calls.filter(
        ({ callId }) =>
          !without?.has(callId) && !undos.isUndo(callId) && undos.undoneBy(callId) === undefined,
      ),
    );
  }
  return found.slice(0, count);
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
