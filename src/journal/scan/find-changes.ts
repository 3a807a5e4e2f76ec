import type { Environment } from "../../contract/environment.ts";
import type { Change } from "../../contract/history.ts";
import { kindOfMode, type Snapshot } from "../../contract/snapshot.ts";
import type { Blobs } from "../blobs.ts";
import { isSameState, nothing } from "../entry-states.ts";
import { type Difference, differencesOf } from "./differences.ts";
import { fetchFromGit } from "./fetch-from-git.ts";
import { bytesAt, type Holding, isHeldByGit, looksSame, modeAt } from "./ledger.ts";
import { PresentEntries, type Standing } from "./present-entries.ts";
import type { Secured } from "./secure-contents.ts";
import { whyNotCompared } from "./why-not-compared.ts";

export interface Found {
  /** In the order in which they can be taken back, last first. */
  readonly changes: readonly Change[];
  /** What has changed and is not covered: why, by path. */
  readonly uncovered: ReadonlyMap<string, string>;
  /** What is held of the files that stand there now, by place. */
  readonly holdings: ReadonlyMap<number, Holding>;
}

export interface FindingParts {
  readonly environment: Environment;
  readonly blobs: Blobs;
  /** Of contents that stand there now, kept together; 64 MB if not said. */
  readonly maxBytes?: number;
}

/** Finds out what stands at the paths where two snapshots differ, and what stood there. */
export async function findChanges(before: Secured, after: Snapshot, parts: FindingParts): Promise<Found> {
  const now = new PresentEntries(after, parts);
  const uncovered = new Map<string, string>();
  const drafts: Draft[] = [];
  for (const difference of differencesOf(before.snapshot, after)) {
    const why = whyNotCompared(difference, before.snapshot, after);
    if (why !== undefined) uncovered.set(difference.path, why);
    else
      drafts.push({ ...difference, stands: await now.look(difference, heldName(difference, before, after)) });
  }
  const fetched = await fetchFromGit(drafts, before, parts);
  const changes = drafts.flatMap((draft) => {
    const change = toChange(draft, before, fetched);
    if (isSameState(change.before, change.after) || isUnknownButSame(draft, change, before.snapshot, after))
      return [];
    if (change.lost !== undefined) uncovered.set(change.path, change.lost);
    return [change];
  });
  return { changes, uncovered, holdings: now.holdings };
}

/** The name that git has for what a file held, if that may be what it holds now. */
function heldName({ before: earlier, after: place }: Difference, before: Secured, after: Snapshot) {
  if (earlier === undefined || place === undefined) return undefined;
  const holding = before.holdings[earlier];
  const isAsLarge = bytesAt(before.snapshot, earlier) === bytesAt(after, place);
  return holding !== undefined && isHeldByGit(holding) && isAsLarge ? holding : undefined;
}

/** A difference, and what stands there now. */
export interface Draft extends Difference {
  readonly stands: Standing;
}

function toChange(
  { path, before: place, stands }: Draft,
  before: Secured,
  fetched: ReadonlyMap<Holding, string>,
): Change {
  const after = stands.state;
  if (place === undefined)
    return { path, before: nothing, after, ...(stands.unread && { lost: stands.unread }) };
  const mode = modeAt(before.snapshot, place);
  const kind = kindOfMode(mode);
  if (kind === "directory") return { path, before: { kind, mode: mode & 0o7777 }, after };
  if (kind === "link")
    return { path, before: { kind, target: before.snapshot.targets.get(place) ?? "" }, after };
  const holding = before.holdings[place];
  const hash = holding !== undefined && isHeldByGit(holding) ? fetched.get(holding) : holding;
  const bytes = bytesAt(before.snapshot, place);
  const state = { kind: "file" as const, hash: hash ?? "", bytes, mode: mode & 0o7777 };
  if (hash !== undefined)
    return { path, before: state, after, ...(stands.unread && { lost: stands.unread }) };
  const lost = before.uncovered.get(place) ?? stands.unread ?? "it could not be fetched from git";
  return { path, before: state, after, lost };
}

/** What was not read may be what it was, if it looks like it. */
function isUnknownButSame(
  { before: earlier, after: place }: Draft,
  change: Change,
  before: Snapshot,
  after: Snapshot,
) {
  if (earlier === undefined || place === undefined || change.before.kind !== "file") return false;
  const isSameMode = modeAt(before, earlier) === modeAt(after, place);
  return change.before.hash === "" && isSameMode && looksSame(before, earlier, after, place);
}
