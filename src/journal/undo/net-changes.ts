import type { EntryState } from "../../contract/history.ts";
import { isSameState, liesIn, nothing } from "../entry-states.ts";
import type { RecordedChange } from "../record.ts";

/** The combined changes of several calls to one path, newest first. Other changes in between separate them. */
export interface Net {
  readonly path: string;
  /** The name of the path after later moves; undefined while another entry has that name. */
  readonly currentName: string | undefined;
  readonly pieces: readonly Piece[];
  readonly hardLinks?: "keep" | undefined;
}

export interface Piece {
  readonly before: EntryState;
  readonly after: EntryState;
  /** The states that the path can have if nothing else has changed it: `after`, or the result of an undo in between. */
  readonly accepted: readonly EntryState[];
  /** The last call that is part of it. */
  readonly callId: string;
  /** The reason why `before` was not stored. */
  readonly lost?: string | undefined;
  /** The old path, if the file was only moved here. */
  readonly movedFrom?: string | undefined;
}

/** An entry that is moved back as a whole, with its current content. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly currentFrom: string | undefined;
  readonly currentTo: string | undefined;
  readonly state: EntryState;
  readonly callId: string;
}

/** An undo reverts the changes first, then the move that came before them. */
export interface Phase {
  readonly nets: readonly Net[];
  readonly move: Move | undefined;
}

/** Whether a recorded change may not have been made, or may have been undone since. */
export type IsUncertain = (change: RecordedChange) => boolean;

/** Returns the net effect of the calls, newest first, split at moves of directories, because these rename paths. */
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
      // The replaced entry is restored after the move back.
      if (change.before.kind !== "nothing") newer.unshift(withoutMove(change));
    } else if (!isDeparture(change, later[0])) newer.unshift(change);
  }
  close(undefined);
  return phases;
}

type MovedChange = RecordedChange & { readonly moved: string };

/** Returns whether this is the second change of a move that cannot be undone as separate changes of contents. */
function isWholeMove(change: RecordedChange): change is MovedChange {
  const { path, after, moved } = change;
  if (moved === undefined || after.kind === "nothing") return false;
  const isUnread = after.kind === "file" && after.hash === "";
  return after.kind === "directory" || isUnread || path.toLowerCase() === moved.toLowerCase();
}

function withoutMove({ moved: _, ...change }: MovedChange): RecordedChange {
  return { ...change, after: nothing };
}

/** Returns whether this is the first change of such a move. */
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

/** Returns the name of a path after later moves; undefined when another entry was moved to it. */
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
    hardLinks: its.find(({ hardLinks }) => hardLinks === "keep")?.hardLinks,
  }));
}

/**
 * Returns whether a recorded change was made. A call whose file changed in the meantime plans again and records another
 * change: the first was not made unless the second starts from its result.
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
    const continues = last !== undefined && isAccepted(before, last);
    const previous = continues ? last.accepted : [before];
    const accepted = isUncertain(change) ? [after, ...previous] : [after];
    if (continues) pieces[0] = { ...last, movedFrom: undefined, after, accepted, callId };
    else {
      const movedFrom = before.kind === "nothing" ? moved : undefined;
      pieces.unshift({ before, after, accepted, callId, lost, movedFrom });
    }
  }
  return pieces;
}

/** Returns whether a path has the state in which the calls left it. */
export function isAccepted(state: EntryState, { accepted }: Piece): boolean {
  return accepted.some((known) => isSameState(known, state));
}
