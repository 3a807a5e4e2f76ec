import { posix } from "node:path";
import { ToolError } from "../../contract/error.ts";
import type { EntryState, Selection, UndoOptions } from "../../contract/history.ts";
import { byteLines, fromByteLines } from "../../edit/merge.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { isSameContent, liesIn } from "../entry-states.ts";
import type { Journal, RecordedChange } from "../journal.ts";
import { WholeTransactions } from "../transactions/transaction-records.ts";
import type { Contents } from "./contents.ts";
import { lossesOf } from "./losses.ts";
import { isAccepted, type Net, netChanges, type Phase } from "./net-changes.ts";
import { type Present, planUndo } from "./plan-undo.ts";
import { LaterCalls, selectChanges, type UndoScope } from "./select-calls.ts";
import { readStates, type Settled, settleConflicts } from "./settle-conflicts.ts";
import { type ShowContext, showChange } from "./show-change.ts";
import type { UndoRecords } from "./undo-records.ts";

interface UndoContext extends ShowContext {
  readonly journal: Journal;
  readonly undos: UndoRecords;
  readonly scope: UndoScope;
}

/** An undo that is planned but not applied. */
export interface PreparedUndo extends Settled {
  readonly calls: readonly string[];
  readonly total: number;
  /** Whether there is nothing to do: every path has its earlier state, or is refused. */
  readonly isEmpty: boolean;
}

/** Plans an undo. `without` are calls that the selection "last" skips. */
export async function prepareUndo(
  selection: Selection,
  options: UndoOptions,
  context: UndoContext,
  without: ReadonlySet<string>,
): Promise<PreparedUndo> {
  const { journal, environment, undos, scope } = context;
  const together = new WholeTransactions(journal);
  const wholes = options.hunk === undefined ? together : together.apart;
  const selected = selectChanges(selection, { journal, undos, wholes, scope: scope, without });
  if (selected.length === 0) throw await nothingToUndo(selection, context);
  const changes = withinPaths(selected, options.paths, environment.workspace);
  const calls = callsOf(changes);
  refuseRunning(calls, journal, scope);
  const { merge = false } = options;
  const phases = await phasesOf(changes, options.hunk, context);
  const present = await readStates(phases, context, options.signal);
  const settled = await settleConflicts(planUndo(merge ? carryBack(phases, present) : phases, present), {
    ...context,
    merge,
    later: new LaterCalls({ ...context, changes }),
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
  context: UndoContext,
): Promise<readonly Phase[]> {
  const { journal, contents, undos } = context;
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
    throw new ToolError("invalid-input", "A hunk can be undone only in a single file", {
      hint: "Give the path of its file.",
    });
  await readStates(phases, context, undefined);
  return [{ nets: [await onlyHunk(net, hunk, contents)], move: undefined }];
}

async function nothingToUndo(selection: Selection, context: UndoContext): Promise<ToolError> {
  const { kind } = selection;
  const message =
    kind === "undo" ? "There is no undo to redo" : "There is nothing to undo: no files were changed";
  const calls = kind === "calls" ? selection.ids : [];
  const other = await lossesOf(calls, context);
  if (other.length > 0)
    return new ToolError("not-found", message, { hint: `Not covered by undo: ${other.join("; ")}.` });
  return new ToolError("not-found", message, {
    hint: "Use a call id from the result of an earlier call.",
    forUser: { hint: "To list the calls, run: toolcrib log" },
  });
}

/** Refuses to undo running calls of other sessions. Calls of this session run one after the other. */
function refuseRunning(calls: readonly string[], journal: Journal, { session }: UndoScope): void {
  const isOther = (callId: string) => journal.find(callId)?.session !== session;
  const running = journal
    .running()
    .find(({ callId, isAlive }) => isAlive && calls.includes(callId) && isOther(callId));
  if (running === undefined) return;
  throw new ToolError("unavailable", `Nothing was undone: ${running.callId} is still running`, {
    hint: "Wait until it has ended, or stop it, then try again.",
  });
}

/** Treats a file that was moved and then changed by something else as moved with its current content. */
function carryBack(phases: readonly Phase[], present: Present): readonly Phase[] {
  return phases.map(({ nets, move }) => {
    const carried = new Map(nets.flatMap((net) => carry(net, nets, present)));
    return { nets: nets.map((net) => carried.get(net) ?? net), move };
  });
}

/** Returns the replacements for the net changes of the file's old and new path. */
function carry(net: Net, nets: readonly Net[], present: Present): readonly (readonly [Net, Net])[] {
  const [arrival, ...older] = net.pieces;
  const origin = nets.find(({ path }) => path === arrival?.movedFrom);
  const [departure, ...earlier] = origin?.pieces ?? [];
  if (!arrival || !origin || !departure || older.length > 0 || earlier.length > 0) return [];
  const now = net.currentName === undefined ? undefined : present.state(net.currentName);
  const isChanged = now && "kind" in now && now.kind === "file" && !isAccepted(now, arrival);
  if (!isChanged || !isSameContent(arrival.after, departure.before)) return [];
  return [
    [net, { ...net, pieces: [{ ...arrival, after: now, accepted: [now] }] }],
    [origin, { ...origin, pieces: [{ ...departure, before: now }] }],
  ];
}

/** Returns the net change of one file, reduced to one hunk. */
async function onlyHunk(net: Net, number: number, contents: Contents): Promise<Net> {
  const [piece, ...older] = net.pieces;
  if (piece === undefined || older.length > 0)
    throw notByHunk(net.path, "it was also changed between the calls");
  const { before, after } = piece;
  if (before.kind !== "file" || after.kind !== "file")
    throw notByHunk(net.path, "it was created, removed or replaced as a whole");
  const [old, recent] = await Promise.all([contents.peek(before), contents.peek(after)]);
  if (!(old instanceof Uint8Array && recent instanceof Uint8Array))
    throw notByHunk(net.path, "its content is no longer stored or is too large");
  const [oldLines, recentLines] = [byteLines(old), byteLines(recent)];
  if (!oldLines || !recentLines) throw notByHunk(net.path, "it is not text");
  const hunk = pickHunk(await showChange(net.path, before, after, contents), number, net.path);
  const lines = [
    ...recentLines.slice(0, hunk.newStart),
    ...oldLines.slice(hunk.oldStart, hunk.oldStart + hunk.oldCount),
    ...recentLines.slice(hunk.newStart + hunk.newCount),
  ];
  const wanted: EntryState = contents.add(fromByteLines(lines), after.mode);
  return { ...net, pieces: [{ ...piece, before: wanted }] };
}

/** Uses the headers of the shown diff, so that the hunk numbers are the same. Lines are counted from 0. */
function pickHunk(diff: string, number: number, path: string) {
  const headers = [...diff.matchAll(/^@@ -(\d+),(\d+) \+(\d+),(\d+) @@/gm)];
  const header = headers[number - 1];
  if (header === undefined) {
    const message = `${path} has ${counted(headers.length, "hunk")}, no hunk ${number}`;
    throw new ToolError("invalid-input", message, {
      hint: "List the numbered hunks with journal.diff.",
      forUser: { hint: "To list the numbered hunks, run: toolcrib diff" },
    });
  }
  const [oldFirst = 0, oldCount = 0, newFirst = 0, newCount = 0] = header.slice(1).map(Number);
  // A hunk without lines on one side gives the line before it.
  const start = (first: number, count: number) => (count === 0 ? first : first - 1);
  return { oldStart: start(oldFirst, oldCount), oldCount, newStart: start(newFirst, newCount), newCount };
}

function notByHunk(path: string, why: string): ToolError {
  return new ToolError("unsupported", `${path} cannot be undone by hunks: ${why}`, {
    hint: "Undo the whole file.",
  });
}

/** Returns the changes at or below some paths, as the caller spelled them; all changes when undefined. */
export function withinPaths(
  changes: readonly RecordedChange[],
  paths: readonly string[] | undefined,
  workspace: string,
): readonly RecordedChange[] {
  if (paths === undefined) return changes;
  const folders = paths.map((path) => posix.relative(workspace, posix.resolve(workspace, path)));
  const isIn = ({ path, moved }: RecordedChange, among: readonly string[]) =>
    liesIn(path, among) || (moved !== undefined && liesIn(moved, among));
  const missing = folders.find((folder) => !changes.some((change) => isIn(change, [folder])));
  if (missing === undefined) return changes.filter((change) => isIn(change, folders));
  const names = [...new Set(changes.map((change) => change.path))];
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  throw new ToolError("not-found", `${missing} was not changed by these calls`, {
    hint: `Use a path that they changed: ${names.slice(0, 10).join(", ")}${more}.`,
  });
}
