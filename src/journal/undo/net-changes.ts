import type { EntryState } from "../../contract/history.ts";
import { isSameState, liesIn, nothing } from "../entry-states.ts";
import type { RecordedChange } from "../record.ts";

/** What several calls did to one path, in pieces between which somebody else has changed it; the newest first. */
export interface Net {
  readonly path: string;
  /** The name it has now; undefined while something else has taken it. */
  readonly currentName: string | undefined;
  readonly pieces: readonly Piece[];
  readonly hardLinks?: "keep";
}

export interface Piece {
  readonly before: EntryState;
  readonly after: EntryState;
  /** What may stand there if nobody else has changed it: `after`, or what an undo in between has left. */
  readonly accepted: readonly EntryState[];
  /** The last call that is part of it. */
  readonly callId: string;
  /** Why `before` was not kept. */
  readonly lost?: string;
  /** Where it came from, if all that was done was to move it here. */
  readonly movedFrom?: string;
}

/** Something that was moved whole and is to be moved back, with all that is in it by now. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly currentFrom: string | undefined;
  readonly currentTo: string | undefined;
  readonly state: EntryState;
  readonly callId: string;
}

/** To be undone in this order: first the changes, then the move that came before them. */
export interface Phase {
  readonly nets: readonly Net[];
  readonly move: Move | undefined;
}

/** Whether a change that is on record was perhaps never made, or was taken back since. */
export type IsUncertain = (change: RecordedChange) => boolean;

/** What the calls did altogether, newest first. Between two moves of directories the names stay what they are. */
export function netChanges(changes: readonly RecordedChange[], isUncertain: IsUncertain): readonly Phase[] {
  const phases: Phase[] = [];
  const later: Move[] = [];
  let newer: RecordedChange[] = [];
  const close = (move: Move | undefined) => {
    const nets = netsOf(newer, isUncertain, later);
    if (nets.length > 0 || move) phases.push({ nets, move });
    if (move) later.unshift(move);
    newer = [];
  };
  for (const change of changes.toReversed()) {
    if (isWholeMove(change)) {
      close(toMove(change, later));
      // What it replaced comes back when its place is free again.
      if (change.before.kind !== "nothing") newer.unshift(withoutMove(change));
    } else if (!isDeparture(change, later[0])) newer.unshift(change);
  }
  close(undefined);
  return phases;
}

type MovedChange = RecordedChange & { readonly moved: string };

/**
 * The second change of a move that has to be taken back as one: of a directory, of a file too large to be read for it,
 * or to another case of the same name.
 */
function isWholeMove(change: RecordedChange): change is MovedChange {
  const { path, after, moved } = change;
  if (moved === undefined || after.kind === "nothing") return false;
  const isUnread = after.kind === "file" && after.hash === "";
  return after.kind === "directory" || isUnread || path.toLowerCase() === moved.toLowerCase();
}

function withoutMove({ moved: _, ...change }: MovedChange): RecordedChange {
  return { ...change, after: nothing };
}

/** The first change of such a move. */
function isDeparture({ path, moved, callId }: RecordedChange, move: Move | undefined): boolean {
  return moved !== undefined && move?.callId === callId && move.from === path && move.to === moved;
}

function toMove({ path, moved, after, callId }: MovedChange, later: readonly Move[]): Move {
  return {
    from: moved,
    to: path,
    currentFrom: currentName(moved, later),
    currentTo: currentName(path, later),
    state: after,
    callId,
  };
}

/** The name that a path has after later moves; undefined where something was moved to it. */
function currentName(path: string, later: readonly Move[]): string | undefined {
  let name = path;
  for (const { from, to } of later) {
    if (liesIn(name, [from])) name = to + name.slice(from.length);
    else if (liesIn(name, [to])) return undefined;
  }
  return name;
}

function netsOf(
  changes: readonly RecordedChange[],
  isUncertain: IsUncertain,
  later: readonly Move[],
): readonly Net[] {
  const byPath = Map.groupBy(changes, ({ path }) => path);
  return [...byPath].map(([path, its]) => ({
    path,
    currentName: currentName(path, later),
    pieces: piecesOf(its.filter(wasMade), isUncertain),
    ...(its.some(({ hardLinks }) => hardLinks === "keep") ? { hardLinks: "keep" as const } : {}),
  }));
}

/**
 * A call that somebody was quicker than plans again: what it announced before was not made, if it does not lead to what
 * it found then. Either way only what somebody else left is to come back, never what stood there before that.
 */
function wasMade({ callId, after }: RecordedChange, index: number, all: readonly RecordedChange[]): boolean {
  const next = all[index + 1];
  return next?.callId !== callId || isSameState(after, next.before);
}

function piecesOf(changes: readonly RecordedChange[], isUncertain: IsUncertain): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const change of changes) {
    const { before, after, callId, lost, moved } = change;
    const last = pieces[0];
    const goesOn = last !== undefined && isAccepted(before, last);
    const reached = goesOn ? last.accepted : [before];
    const accepted = isUncertain(change) ? [after, ...reached] : [after];
    if (goesOn) {
      const { movedFrom: _, ...sofar } = last;
      pieces[0] = { ...sofar, after, accepted, callId };
    } else {
      const movedFrom = before.kind === "nothing" ? moved : undefined;
      pieces.unshift({
        before,
        after,
        accepted,
        callId,
        lost,
        movedFrom,
      });
    }
  }
  return pieces;
}

/** Whether nobody else has changed what stands there. */
export function isAccepted(state: EntryState, { accepted }: Piece): boolean {
  return accepted.some((known) => isSameState(known, state));
}
