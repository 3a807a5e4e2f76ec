import { ToolError } from "../../contract/error.ts";
import type { EntryState } from "../../contract/history.ts";
import { counted } from "../../text/counted.ts";
import type { Collision } from "../../text/merge/merge-lines.ts";
import { showPath } from "../../text/show-path.ts";
import type { Contents } from "./contents.ts";
import type { Conflict, UndoPlan } from "./plan-undo.ts";
import { showChange } from "./show-change.ts";

/** A path that is left as it is. */
export interface Refusal {
  readonly path: string;
  /** Why, to go on after the path. */
  readonly reason: string;
  /** What somebody else has changed in it, or what collides. */
  readonly details: string;
  readonly isChanged: boolean;
}

/** The later call that made a path what it is now: "call_… (edit.replace)", if the journal knows. */
export type WhoElse = (path: string, now: EntryState) => string | undefined;

export async function explainConflict(
  conflict: Conflict,
  contents: Contents,
  whoElse: WhoElse,
): Promise<Refusal> {
  const { net, now, pieces, reason } = conflict;
  const { path } = net;
  if (reason.kind !== "changed" || now === undefined) {
    const why = "why" in reason ? reason.why : "it cannot be looked at";
    return { path, reason: `cannot be brought back: ${why}`, details: "", isChanged: false };
  }
  const { after, callId } = pieces[0];
  const who = whoElse(path, now);
  const what =
    now.kind === "nothing" ? "is gone" : after.kind === "nothing" ? "is there again" : "has changed";
  return {
    path,
    reason: `${what} since ${callId}${who === undefined ? "" : `, by ${who}`}`,
    details: await showChange(path, after, now, contents),
    isChanged: true,
  };
}

export function explainStuck({ move, why }: UndoPlan["stuck"][number]): Refusal {
  return {
    path: move.to,
    reason: `cannot be moved back to ${showPath(move.from)}: ${why}`,
    details: "",
    isChanged: true,
  };
}

/** What both have changed, for whoever has to decide. */
export function showCollisions(collisions: readonly Collision[]): string {
  return collisions
    .map(({ line, ours, theirs }) =>
      [`at line ${line} it is now:`, ...shown(ours), "and was before the call:", ...shown(theirs), ""].join(
        "\n",
      ),
    )
    .join("");
}

function shown(lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return ["  (nothing)"];
  return lines.map(
    (line) =>
      `  ${Buffer.from(line, "latin1")
        .toString()
        .replace(/[\0\r\n]+/g, "")}`,
  );
}

/** Nothing was undone, why, and the ways out. */
export function refuseUndo(refusals: readonly Refusal[], total: number, hasMerged: boolean): ToolError {
  const changed = refusals.filter(({ isChanged }) => isChanged);
  const kind = changed.length > 0 ? "changed since" : "no longer kept";
  const count = `${refusals.length} of ${counted(total, "path")} ${refusals.length === 1 ? "has" : "have"}`;
  const verb =
    changed.length > 0
      ? count
      : `${refusals.length} of ${counted(total, "path")} ${refusals.length === 1 ? "is" : "are"}`;
  const ways = [
    ...(changed.length > 0 && !hasMerged
      ? ["Take only these changes out of what is there now with `merge: true`."]
      : []),
    ...(refusals.length < total ? ["Undo the others with `skip_changed: true`."] : []),
    ...(refusals.length === total && (changed.length === 0 || hasMerged)
      ? [
          hasMerged
            ? "The two changes touch each other: make this one by hand, or undo the later one first."
            : "Restore it from elsewhere, git for example.",
        ]
      : []),
  ];
  return new ToolError(
    changed.length > 0 ? "stale" : "unavailable",
    [
      `Nothing was undone: ${verb} ${kind}.`,
      ...refusals.slice(0, maxShown).map(showRefusal),
      ...more(refusals),
    ].join("\n"),
    { hint: ways.join(" ") },
  );
}

const maxShown = 5;
const maxLines = 40;

function showRefusal({ path, reason, details }: Refusal): string {
  const lines = details.trimEnd().split("\n");
  const cut = lines.length > maxLines ? [`… ${counted(lines.length - maxLines, "more line")}`] : [];
  return [
    `${showPath(path)} ${reason}${details === "" ? "." : ":"}`,
    ...(details === "" ? [] : lines.slice(0, maxLines)),
    ...cut,
  ].join("\n");
}

function more(refusals: readonly Refusal[]): readonly string[] {
  const rest = refusals.slice(maxShown).map(({ path }) => showPath(path));
  return rest.length === 0
    ? []
    : [`Also: ${rest.slice(0, 20).join(", ")}${rest.length > 20 ? ` and ${rest.length - 20} more` : ""}.`];
}
