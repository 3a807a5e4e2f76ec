import { posix } from "node:path";
import type { PathGuard } from "../../contract/guard.ts";
import type { EntryState } from "../../contract/history.ts";
import { isSameContent, isSameState, nothing } from "../entry-states.ts";
import { isAccepted, type Move, type Net, type Phase, type Piece } from "./net-changes.ts";
import type { UndoScope } from "./select-calls.ts";

/** What stands at one path, and what is to stand there. */
export interface Step {
  readonly path: string;
  readonly now: EntryState;
  readonly wanted: EntryState;
  readonly hardLinks?: "keep";
}

/** A path that stays as it is. */
export interface Conflict {
  /** Which of the phases it is part of. */
  readonly phase: number;
  readonly net: Net;
  readonly now: EntryState | undefined;
  /** What could not be taken back, the newest first; what is newer was. */
  readonly pieces: readonly [Piece, ...Piece[]];
  readonly reason: Reason;
}

type Reason =
  /** Since the call, or between it and a later one that is to be undone, too. */
  | { readonly kind: "changed" }
  | { readonly kind: "lost"; readonly why: string }
  /** It cannot even be looked at. */
  | { readonly kind: "unreadable"; readonly why: string };

export interface UndoPlan {
  /** To be done in this order: the steps of each, then its move back. */
  readonly phases: readonly {
    readonly steps: readonly Step[];
    readonly move: Move | undefined;
  }[];
  readonly conflicts: readonly Conflict[];
  /** Moves that cannot be taken back, and why. */
  readonly stuck: readonly { readonly move: Move; readonly why: string }[];
}

/** What is known of the workspace as it is. */
export interface Present {
  /** What stands at a path now, or why that cannot be told. */
  state(path: string): EntryState | { readonly unreadable: string };
  /** Whether a content can be had. */
  has(hash: string): boolean;
}

/** Decides what takes the changes back, path by path. What somebody else has changed is a conflict, never overwritten. */
export function planUndo(phases: readonly Phase[], present: Present): UndoPlan {
  /** What will stand there after the phases planned so far, by present name. */
  const planned = new Map<string, EntryState>();
  const look = (name: string | undefined) =>
    name === undefined ? nothing : (planned.get(name) ?? present.state(name));
  const conflicts: Conflict[] = [];
  const stuck: { readonly move: Move; readonly why: string }[] = [];
  const plan = phases.map(({ nets, move }, phase) => {
    const steps: Step[] = [];
    for (const net of nets) {
      const isOutOfReach = stuck.length > 0 && net.currentName !== net.path;
      const found = isOutOfReach ? { unreadable: notMovedBack(stuck[0]!.move) } : look(net.currentName);
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

/** What takes one path back from what was found there, or why it stays. */
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

/** Whether it is what it was before. A directory that is there again will do, whatever its permissions. */
function isSatisfied(state: EntryState, { before, after }: Piece): boolean {
  if (isSameState(state, before)) return true;
  return before.kind === "directory" && state.kind === "directory" && after.kind !== "directory";
}

/** A directory that was made: it goes if nothing is in it, whatever its permissions. */
function isLeftover(state: EntryState, { before, after }: Piece): boolean {
  return before.kind === "nothing" && after.kind === "directory" && state.kind === "directory";
}

function whyLost(
  { before, lost }: Piece,
  state: EntryState,
  present: Pick<Present, "has">,
): string | undefined {
  // An empty directory is not the one that was full.
  if (before.kind === "directory") return lost;
  if (before.kind !== "file" || isSameContent(before, state) || present.has(before.hash)) return undefined;
  return lost ?? "its content is no longer kept";
}

function notMovedBack({ from, to }: Move): string {
  return `${to} cannot be moved back to ${from}`;
}

/** Whether what was moved is still there: of a directory and an unread file no more is known than that. */
function isStill(state: EntryState, moved: EntryState): boolean {
  if (moved.kind === "directory") return state.kind === "directory";
  if (moved.kind !== "file" || moved.hash !== "") return isSameState(state, moved);
  return state.kind === "file" && state.bytes === moved.bytes;
}

function decideMove(
  move: Move,
  look: (name: string | undefined) => ReturnType<Present["state"]>,
  stuck: { readonly move: Move; readonly why: string }[],
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
    stuck.push({ move, why: isThere ? `${move.from} is there by now` : `${move.to} has changed since` });
  return undefined;
}

/**
 * What is protected, or must not be written by a rule, stays so when something is undone by anybody but a person: a
 * command's changes are also what a person has changed while it ran. Secrets are brought back, unseen.
 */
export function protecting(guard: PathGuard, workspace: string): NonNullable<UndoScope["refuses"]> {
  return (path) => {
    const refusal = guard("write", posix.join(workspace, path));
    if (refusal === undefined || /^secret\b/.test(refusal.rule)) return undefined;
    return `${refusal.reason} (${refusal.rule})`;
  };
}
