import { posix } from "node:path";
import { ToolError } from "../../contract/error.ts";
import type { EntryState, Selection, UndoOptions } from "../../contract/history.ts";
import { byteLines, fromByteLines } from "../../edit/merge.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { isSameContent, liesIn } from "../entry-states.ts";
import type { Journal, RecordedChange } from "../journal.ts";
import { WholeTransactions } from "../transactions/transaction-records.ts";
import type { Contents } from "./contents.ts";
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
  context: UndoContext,
  without: ReadonlySet<string>,
): Promise<PreparedUndo> {
  const { journal, environment, undos, scope: scope } = context;
  const together = new WholeTransactions(journal);
  const wholes = options.hunk === undefined ? together : together.apart;
  const selected = selectChanges(selection, { journal, undos, wholes, scope: scope, without });
  if (selected.length === 0) throw nothingToUndo(selection, journal);
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
    throw new ToolError("invalid-input", "A hunk is one of a single file", {
      hint: "Name the file of which it is, with its path.",
    });
  await readStates(phases, context, undefined);
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
function refuseRunning(calls: readonly string[], journal: Journal, { session }: UndoScope): void {
  const isElsewhere = (callId: string) => journal.find(callId)?.session !== session;
  const running = journal
    .running()
    .find(({ callId, isAlive }) => isAlive && calls.includes(callId) && isElsewhere(callId));
  if (running === undefined) return;
  throw new ToolError("unavailable", `${running.callId} is still running; nothing was undone`, {
    hint: "Wait until it has ended, or end it, and try again.",
  });
}

/** Takes a file that was moved, and then changed by somebody else, for one that was moved as it is now. */
function carryBack(phases: readonly Phase[], present: Present): readonly Phase[] {
  return phases.map(({ nets, move }) => {
    const carried = new Map(nets.flatMap((net) => carry(net, nets, present)));
    return { nets: nets.map((net) => carried.get(net) ?? net), move };
  });
}

/** What is to be taken for what: the name it was moved to, and the one it came from. */
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

/** The net change of one file without all its hunks but one, so that undoing it takes back only that. */
async function onlyHunk(net: Net, number: number, contents: Contents): Promise<Net> {
  const [piece, ...older] = net.pieces;
  if (piece === undefined || older.length > 0)
    throw notByHunk(net.path, "somebody else changed it between the calls");
  const { before, after } = piece;
  if (before.kind !== "file" || after.kind !== "file")
    throw notByHunk(net.path, "it was made, removed or replaced as a whole");
  const [old, recent] = await Promise.all([contents.peek(before), contents.peek(after)]);
  if (!(old instanceof Uint8Array && recent instanceof Uint8Array))
    throw notByHunk(net.path, "what it held is no longer kept, or is too large");
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

interface Hunk {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
}

/** By the very headers that are shown, so that the numbers mean the same. Lines are counted from 0. */
function pickHunk(diff: string, number: number, path: string): Hunk {
  const headers = [...diff.matchAll(/^@@ -(\d+),(\d+) \+(\d+),(\d+) @@/gm)];
  const header = headers[number - 1];
  if (header === undefined)
    throw new ToolError(
      "invalid-input",
      `${path} has ${counted(headers.length, "hunk")}, no hunk ${number}`,
      {
        hint: "See them with their numbers: journal.diff, or toolcrib diff.",
      },
    );
  const [oldFirst, oldCount, newFirst, newCount] = header.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
  ];
  // A hunk without lines on one side names the line before it.
  const start = (first: number, count: number) => (count === 0 ? first : first - 1);
  return { oldStart: start(oldFirst, oldCount), oldCount, newStart: start(newFirst, newCount), newCount };
}

function notByHunk(path: string, why: string): ToolError {
  return new ToolError("unsupported", `${path} cannot be undone by hunks: ${why}`, {
    hint: "Undo the whole file.",
  });
}

/** Only what was changed at some paths, or in them; all without any. Paths are as a caller gives them. */
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
  if (missing !== undefined) throw notChanged(missing, changes);
  return changes.filter((change) => isIn(change, folders));
}

function notChanged(path: string, changes: readonly RecordedChange[]): ToolError {
  const names = [...new Set(changes.map((change) => change.path))];
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  return new ToolError("not-found", `${path} was not changed by these calls`, {
    hint: `They changed: ${names.slice(0, 10).join(", ")}${more}.`,
  });
}
