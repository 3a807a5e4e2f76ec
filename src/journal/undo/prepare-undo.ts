import { ToolError } from "../../contract/error.ts";
import type { Selection, UndoOptions } from "../../contract/history.ts";
import type { Journal, RecordedChange } from "../journal.ts";
import { WholeTransactions } from "../transactions/whole-transactions.ts";
import { carryBack } from "./carry-back.ts";
import { LaterCalls } from "./later-calls.ts";
import { lookAt } from "./look-at.ts";
import { netChanges, type Phase } from "./net-changes.ts";
import { planUndo } from "./plan-undo.ts";
import { type Reach, selectChanges } from "./select-calls.ts";
import { type Settled, settleConflicts } from "./settle-conflicts.ts";
import type { ShowingDesk } from "./show-files.ts";
import { onlyHunk } from "./take-out-hunk.ts";
import type { UndoRecords } from "./undo-records.ts";
import { withinPaths } from "./within-paths.ts";

export interface UndoDesk extends ShowingDesk {
  readonly journal: Journal;
  readonly undos: UndoRecords;
  readonly reach: Reach;
}

/** All that is to be known before anything is undone. */
export interface PreparedUndo extends Settled {
  readonly calls: readonly string[];
  /** How many paths it is about. */
  readonly total: number;
  /** Nothing can be done: all is as it was before, or has to be left alone. */
  readonly isEmpty: boolean;
}

/** `without`: calls that are not meant by "the latest". */
export async function prepareUndo(
  selection: Selection,
  options: UndoOptions,
  desk: UndoDesk,
  without: ReadonlySet<string>,
): Promise<PreparedUndo> {
  const { journal, environment, undos, reach } = desk;
  const together = new WholeTransactions(journal);
  const wholes = options.hunk === undefined ? together : together.apart;
  const selected = selectChanges(selection, { journal, undos, wholes, reach, without });
  if (selected.length === 0) throw nothingToUndo(selection, journal);
  const changes = withinPaths(selected, options.paths, environment.workspace);
  const calls = callsOf(changes);
  refuseRunning(calls, journal, reach);
  const { merge = false } = options;
  const phases = await phasesOf(changes, options.hunk, desk);
  const present = await lookAt(phases, desk, options.signal);
  const settled = await settleConflicts(planUndo(merge ? carryBack(phases, present) : phases, present), {
    ...desk,
    merge,
    later: new LaterCalls({ ...desk, changes }),
  });
  const isTogether = options.hunk === undefined && selection.kind !== "checkpoint";
  return {
    ...settled,
    notes: [...(isTogether ? together.describe(calls) : []), ...settled.notes],
    calls,
    total: phases.reduce((count, { nets, move }) => count + nets.length + (move ? 1 : 0), 0),
    isEmpty: settled.plan.phases.every(({ steps, move }) => steps.length === 0 && !move),
  };
}

export function callsOf(changes: readonly RecordedChange[]): readonly string[] {
  return [...new Set(changes.map(({ callId }) => callId))];
}

async function phasesOf(
  changes: readonly RecordedChange[],
  hunk: number | undefined,
  desk: UndoDesk,
): Promise<readonly Phase[]> {
  const { journal, contents, undos } = desk;
  const calls = new Set(callsOf(changes));
  const unsure = new Set([...calls].filter((callId) => journal.find(callId)?.outcome !== "ok"));
  const phases = netChanges(
    changes,
    ({ callId, path }) => unsure.has(callId) || undos.mayBeUndone(callId, path, calls),
  );
  if (hunk === undefined) return phases;
  const [phase, ...otherPhases] = phases;
  const [net, ...otherNets] = phase?.nets ?? [];
  if (net === undefined || otherNets.length > 0 || otherPhases.length > 0 || phase?.move)
    throw new ToolError("invalid-input", "A hunk is one of a single file", {
      hint: "Name the file of which it is, with its path.",
    });
  await lookAt(phases, desk, undefined);
  return [{ nets: [await onlyHunk(net, hunk, contents)], move: undefined }];
}

/** What a call did beside files has a way back of its own, if it says so. */
function nothingToUndo(selection: Selection, journal: Journal): ToolError {
  const { kind } = selection;
  const message =
    kind === "undo" ? "There is no undo to take back" : "There is nothing to undo: no files were changed";
  const calls = kind === "calls" ? selection.ids : [];
  const other = calls.flatMap((callId) => journal.find(callId)?.notCovered ?? []);
  return new ToolError("not-found", message, {
    hint:
      other.length === 0
        ? "A person sees what was done with: toolcrib log."
        : `Not for undo: ${other.join("; ")}.`,
  });
}

/** Calls of this session take turns, or are on record only when they have ended. */
function refuseRunning(calls: readonly string[], journal: Journal, { session }: Reach): void {
  const isElsewhere = (callId: string) => journal.find(callId)?.session !== session;
  const running = journal
    .running()
    .find(({ callId, isAlive }) => isAlive && calls.includes(callId) && isElsewhere(callId));
  if (running === undefined) return;
  throw new ToolError("unavailable", `${running.callId} is still running; nothing was undone`, {
    hint: "Wait until it has ended, or end it, and try again.",
  });
}
