import { ToolError } from "../../contract/error.ts";
import type { Collision } from "../../edit/merge.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import type { Conflict, UndoPlan } from "./plan-undo.ts";
import type { LaterCalls } from "./select-calls.ts";
import { type ShowContext, showChange, whyHidden } from "./show-change.ts";

export interface Refusal {
  readonly path: string;
  /** The reason as a predicate of the path: "has changed since". */
  readonly reason: string;
  /** A diff of the other changes, or the conflicts. */
  readonly details: string;
  readonly isChanged: boolean;
  /** Whether a merge may help. */
  readonly isFile: boolean;
  /** The recorded later call that changed the path. */
  readonly later: string | undefined;
}

export async function explainConflict(
  { net: { path }, now, pieces, reason }: Conflict,
  context: ShowContext & { readonly later: Pick<LaterCalls, "lastCallOn"> },
): Promise<Refusal> {
  if (reason.kind !== "changed" || now === undefined) {
    const why = "why" in reason ? reason.why : "it cannot be read";
    return leftAlone(path, `cannot be restored: ${why}`, { isChanged: false });
  }
  const { after, callId } = pieces[0];
  const later = context.later.lastCallOn(path, now);
  const what = now.kind === "nothing" ? "is gone" : after.kind === "nothing" ? "exists again" : "has changed";
  const who = later === undefined ? "" : `, by ${later.callId} (${later.tool})`;
  const states = [now, ...pieces.flatMap((piece) => [piece.before, piece.after])];
  return {
    ...leftAlone(path, `${what} since ${callId}${who}`, { isChanged: true }),
    details: whyHidden(path, context) ?? (await showChange(path, after, now, context.contents)),
    isFile: states.every(({ kind }) => kind === "file"),
    later: later?.callId,
  };
}

export function explainStuck({ move, why }: UndoPlan["stuck"][number]): Refusal {
  return leftAlone(move.to, `cannot be moved back to ${showPath(move.from)}: ${why}`, { isChanged: true });
}

function leftAlone(path: string, reason: string, { isChanged }: { readonly isChanged: boolean }): Refusal {
  return { path, reason, details: "", isChanged, isFile: false, later: undefined };
}

export function showCollisions(collisions: readonly Collision[]): string {
  const lines = collisions.flatMap(({ line, ours, theirs }) => [
    `at line ${line} it is now:`,
    ...shown(ours),
    "and was before the call:",
    ...shown(theirs),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

function shown(lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return ["  (nothing)"];
  const texts = lines.map((line) => Buffer.from(line, "latin1").toString());
  return texts.map((text) => `  ${text.replace(/[\0\r\n]+/g, "")}`);
}

/** Thrown when no path can be undone. */
export class RefusedUndo extends ToolError {}

export function refuseUndo(refusals: readonly Refusal[], total: number, hasMerged: boolean): RefusedUndo {
  const isChanged = refusals.some((refusal) => refusal.isChanged);
  const isOne = refusals.length === 1;
  const fault = isChanged ? `${isOne ? "has" : "have"} changed since` : "cannot be restored";
  return new RefusedUndo(
    isChanged ? "stale" : "unavailable",
    [
      `Nothing was undone: ${refusals.length} of ${counted(total, "path")} ${fault}.`,
      ...refusals.slice(0, maxShown).map(showRefusal),
      ...more(refusals),
    ].join("\n"),
    { hint: hintsFor(refusals, total, hasMerged).join(" ") },
  );
}

function hintsFor(refusals: readonly Refusal[], total: number, hasMerged: boolean): readonly string[] {
  const later = [...new Set(refusals.flatMap((refusal) => refusal.later ?? []))];
  const canMerge = !hasMerged && refusals.some(({ isFile }) => isFile);
  const hints = [
    ...(canMerge ? ["Remove only these changes from the current files with `merge: true`."] : []),
    ...(later.length > 0 ? [`Undo ${later.slice(0, maxShown).join(", ")} first, or all together.`] : []),
    ...(refusals.length < total ? ["Undo the others with `skip_changed: true`."] : []),
  ];
  return hints.length > 0 ? hints : ["Resolve the conflict by hand."];
}

const maxShown = 5;
const maxLines = 40;

function showRefusal({ path, reason, details }: Refusal): string {
  if (details === "") return `${showPath(path)} ${reason}.`;
  const lines = details.trimEnd().split("\n");
  const cut = lines.length > maxLines ? [`… ${counted(lines.length - maxLines, "more line")}`] : [];
  return [`${showPath(path)} ${reason}:`, ...lines.slice(0, maxLines), ...cut].join("\n");
}

function more(refusals: readonly Refusal[]): readonly string[] {
  const rest = refusals.slice(maxShown).map(({ path }) => showPath(path));
  return rest.length === 0
    ? []
    : [`Also: ${rest.slice(0, 20).join(", ")}${rest.length > 20 ? ` and ${rest.length - 20} more` : ""}.`];
}
