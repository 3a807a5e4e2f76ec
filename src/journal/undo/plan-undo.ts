import { posix } from "node:path";
import type { PathGuard } from "../../contract/guard.ts";
import type { EntryState } from "../../contract/history.ts";
import { isSameContent, isSameState, nothing } from "../entry-states.ts";
import { isAccepted, type Move, type Net, type Phase, type Piece } from "./net-changes.ts";
import type { UndoScope } from "./select-calls.ts";

/** The current and the wanted state of one path. */
export interface Step {
  readonly path: string;
  readonly now: EntryState;
  readonly wanted: EntryState;
  readonly hardLinks?: "keep" | undefined;
}

export interface Conflict {
  /** The index of its phase. */
  readonly phase: number;
  readonly net: Net;
  readonly now: EntryState | undefined;
  /** The pieces that cannot be undone, newest first. Newer pieces can. */
  readonly pieces: readonly [Piece, ...Piece[]];
  readonly reason: Reason;
}

type Reason =
  /** The path changed since the call, or between it and a later call that is undone too. */
  { readonly kind: "changed" } | { readonly kind: "lost" | "unreadable"; readonly why: string };

export interface UndoPlan {
  /** The phases in order. The steps of each are applied before its move back. */
  readonly phases: readonly { readonly steps: readonly Step[]; readonly move: Move | undefined }[];
  readonly conflicts: readonly Conflict[];
  readonly stuck: readonly StuckMove[];
}

/** A move that cannot be undone, with the reason. */
interface StuckMove {
  readonly move: Move;
  readonly why: string;
}

export interface Present {
  /** Returns the current state of a path, or the reason why it cannot be read. */
  state(path: string): EntryState | { readonly unreadable: string };
  has(hash: string): boolean;
}

/** Plans how to undo the changes, path by path. A path with other changes is a conflict and never overwritten. */
export function planUndo(phases: readonly Phase[], present: Present): UndoPlan {
  /** States after the phases planned so far, by current name. */
  const planned = new Map<string, EntryState>();
  const look = (name: string | undefined) =>
    name === undefined ? nothing : (planned.get(name) ?? present.state(name));
  const conflicts: Conflict[] = [];
  const stuck: StuckMove[] = [];
  const plan = phases.map(({ nets, move }, phase) => {
    const steps: Step[] = [];
    for (const net of nets) {
      const isOutOfReach = stuck.length > 0 && net.currentName !== net.path;
      const found = isOutOfReach ? { unreadable: whyStuck(stuck[0]!.move) } : look(net.currentName);
      const decided = decideStep(net, found, present);
      if ("reason" in decided) conflicts.push({ ...decided, phase });
      else if (!isSameState(decided.now, decided.wanted)) {
        steps.push(decided);
        if (net.currentName !== undefined) planned.set(net.currentName, decided.wanted);
      }
    }
    return { steps, move: move && decideMove(move, look, stuck) };
  });
  return { phases: plan, conflicts, stuck };
}

/** Returns the step that undoes one path from its current state, or the reason why there is none. */
export function decideStep(
  net: Net,
  found: ReturnType<Present["state"]>,
  present: Pick<Present, "has">,
): Step | Omit<Conflict, "phase"> {
  const { pieces } = net;
  if ("unreadable" in found) {
    const reason: Reason = { kind: "unreadable", why: found.unreadable };
    return { net, now: undefined, pieces: pieces as Conflict["pieces"], reason };
  }
  let state = found;
  for (const [index, piece] of pieces.entries()) {
    if (isSatisfied(state, piece)) continue;
    const rest = pieces.slice(index) as unknown as Conflict["pieces"];
    const why = whyLost(piece, state, present);
    if (why !== undefined) return { net, now: found, pieces: rest, reason: { kind: "lost", why } };
    if (!isAccepted(state, piece) && !isLeftover(state, piece))
      return { net, now: found, pieces: rest, reason: { kind: "changed" } };
    state = piece.before;
  }
  return toStep(net, found, state);
}

export function toStep({ path, hardLinks }: Net, now: EntryState, wanted: EntryState): Step {
  return { path, now, wanted, hardLinks };
}

/** Returns whether a path already has its earlier state. The permissions of a directory do not matter. */
function isSatisfied(state: EntryState, { before, after }: Piece): boolean {
  if (isSameState(state, before)) return true;
  return before.kind === "directory" && state.kind === "directory" && after.kind !== "directory";
}

/** Recognizes a created directory, which is removed if it is empty, whatever its permissions. */
function isLeftover(state: EntryState, { before, after }: Piece): boolean {
  return before.kind === "nothing" && after.kind === "directory" && state.kind === "directory";
}

function whyLost(
  { before, lost }: Piece,
  state: EntryState,
  present: Pick<Present, "has">,
): string | undefined {
  // An empty directory does not replace one that had files.
  if (before.kind === "directory") return lost;
  if (before.kind !== "file" || isSameContent(before, state) || present.has(before.hash)) return undefined;
  return lost ?? "its content is no longer stored";
}

function whyStuck({ from, to }: Move): string {
  return `${to} cannot be moved back to ${from}`;
}

/** Returns whether the moved entry is unchanged. The contents of directories and unread files are unknown. */
function isStill(state: EntryState, moved: EntryState): boolean {
  if (moved.kind === "directory") return state.kind === "directory";
  if (moved.kind !== "file" || moved.hash !== "") return isSameState(state, moved);
  return state.kind === "file" && state.bytes === moved.bytes;
}

function decideMove(
  move: Move,
  look: (name: string | undefined) => ReturnType<Present["state"]>,
  stuck: StuckMove[],
): Move | undefined {
  const [from, to] = [look(move.currentFrom), look(move.currentTo)];
  if ("unreadable" in to || "unreadable" in from) {
    stuck.push({
      move,
      why: "unreadable" in to ? to.unreadable : (from as { unreadable: string }).unreadable,
    });
    return undefined;
  }
  const isThere = isStill(to, move.state);
  if (isThere && from.kind === "nothing") return move;
  const isBack = to.kind === "nothing" && from.kind === move.state.kind;
  if (!isBack)
    stuck.push({ move, why: isThere ? `${move.from} exists again` : `${move.to} has changed since` });
  return undefined;
}

/**
 * Refuses paths that rules protect from writes, because the changes recorded for a command include those that the user
 * made while it ran. Only the user may undo these. Secrets are restored without showing them.
 */
export function protecting(guard: PathGuard, workspace: string): NonNullable<UndoScope["refuses"]> {
  return (path) => {
    const refusal = guard("write", posix.join(workspace, path));
    if (refusal === undefined || /^secret\b/.test(refusal.rule)) return undefined;
    return `${refusal.reason} (${refusal.rule})`;
  };
}
