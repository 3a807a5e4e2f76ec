import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { Change, EntryState } from "../../contract/history.ts";
import { kindOfMode, type LeftOut, type Snapshot } from "../../contract/snapshot.ts";
import type { Blobs } from "../blobs.ts";
import { isSameState, nothing } from "../undo/entry-states.ts";
import { type Difference, differencesOf } from "./differences.ts";
import { blobName, GitBlobs } from "./git-blobs.ts";
import { bytesAt, type Holding, isHeldByGit, looksSame, modeAt, repositoryOf } from "./ledger.ts";
import type { Secured, WhyRefused } from "./secure-contents.ts";

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
  readonly whyRefused: WhyRefused;
}

/** Finds out what stands at the paths where two snapshots differ, and what stood there. */
export async function findChanges(before: Secured, after: Snapshot, parts: FindingParts): Promise<Found> {
  const now = new Present(after, parts);
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
    // Undo may not remove it, and there is nothing to bring back.
    const isBeyondReach = change.before.kind === "nothing" && parts.whyRefused(change.path) !== undefined;
    return isBeyondReach ? [] : [change];
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

interface Draft extends Difference {
  readonly stands: Standing;
}

/** What stands at a path. */
interface Standing {
  readonly state: EntryState;
  /** It is what git has under the name that was asked for. */
  readonly isAsHeld?: boolean;
  /** Why the content could not be read. */
  readonly unread?: string;
}

/** What was not looked into, or is no file, can neither be compared nor brought back; undefined for all else. */
function whyNotCompared({ before: earlier, after: place }: Difference, before: Snapshot, after: Snapshot) {
  const wasLeftOut = earlier === undefined ? undefined : leftOutDirectory(before, earlier);
  const isLeftOut = place === undefined ? undefined : leftOutDirectory(after, place);
  // Git writes into its own all the time, and the kernel makes up the rest.
  if (wasLeftOut === isLeftOut && (wasLeftOut === "repository" || wasLeftOut === "system")) return undefined;
  const reason = wasLeftOut ?? isLeftOut;
  if (reason !== undefined) return leftOutReasons[reason];
  const isSpecial = [
    [before, earlier],
    [after, place],
  ].some(
    ([snapshot, at]) =>
      at !== undefined && kindOfMode(modeAt(snapshot as Snapshot, at as number)) === "other",
  );
  return isSpecial ? "no file, directory or link" : undefined;
}

function leftOutDirectory(snapshot: Snapshot, place: number): LeftOut | undefined {
  const isDirectory = kindOfMode(modeAt(snapshot, place)) === "directory";
  return isDirectory ? snapshot.leftOut.get(place) : undefined;
}

const leftOutReasons: Readonly<Record<LeftOut, string>> = {
  ignored: "ignored by git",
  repository: "git's own",
  unreadable: "it may not be read",
  system: "not on a disk",
};

/** Looks at what stands there after the command, and keeps it if it is small: the next command may change it. */
class Present {
  readonly holdings = new Map<number, Holding>();
  readonly #snapshot: Snapshot;
  readonly #environment: Environment;
  readonly #blobs: Blobs;
  readonly #whyRefused: WhyRefused;

  constructor(snapshot: Snapshot, parts: FindingParts) {
    this.#snapshot = snapshot;
    this.#environment = parts.environment;
    this.#blobs = parts.blobs;
    this.#whyRefused = parts.whyRefused;
  }

  async look({ path, after: place }: Difference, heldName: Holding | undefined): Promise<Standing> {
    if (place === undefined) return { state: nothing };
    const mode = modeAt(this.#snapshot, place);
    const kind = kindOfMode(mode);
    if (kind === "directory") return { state: { kind, mode: mode & 0o7777 } };
    if (kind === "link") return { state: { kind, target: this.#snapshot.targets.get(place) ?? "" } };
    const bytes = bytesAt(this.#snapshot, place);
    const unread = (why: string) => ({
      state: { kind: "file" as const, hash: "", bytes, mode: mode & 0o7777 },
      unread: why,
    });
    const refusal = this.#whyRefused(path);
    if (refusal !== undefined) return unread(refusal);
    if (bytes > maxHashedBytes) return unread("too large to be read");
    try {
      return bytes <= maxKeptBytes
        ? await this.#keep(path, place, heldName)
        : { state: await this.#environment.state(path) };
    } catch (error) {
      if (!(error instanceof ToolError) || error.code === "unavailable") throw error;
      if (error.code === "not-found") return { state: nothing };
      return unread(error.code === "denied" ? "it may not be read" : "it could not be read");
    }
  }

  async #keep(path: string, place: number, heldName: Holding | undefined): Promise<Standing> {
    const { hash, bytes } = await this.#blobs.keepFile(this.#environment, path);
    this.holdings.set(place, hash);
    const state: EntryState = { kind: "file", hash, bytes, mode: modeAt(this.#snapshot, place) & 0o7777 };
    return {
      state,
      isAsHeld: heldName !== undefined && blobName(await this.#blobs.read(hash)) === heldName,
    };
  }
}

const maxKeptBytes = 1024 * 1024;
const maxHashedBytes = 1024 * 1024 * 1024;

/** Fetches what git holds of the contents that have changed. By the name that git gives them: their SHA-256. */
async function fetchFromGit(
  drafts: readonly Draft[],
  { snapshot, holdings }: Secured,
  { environment, blobs, whyRefused }: FindingParts,
): Promise<ReadonlyMap<Holding, string>> {
  const known = new Map<Holding, string>();
  const wanted = new Map<string, Set<Holding>>();
  for (const { before, stands, path } of drafts) {
    const holding = before === undefined ? undefined : holdings[before];
    if (holding === undefined || !isHeldByGit(holding) || whyRefused(path) !== undefined) continue;
    if (stands.isAsHeld && stands.state.kind === "file") known.set(holding, stands.state.hash);
    const directory = repositoryOf(snapshot, path)?.path ?? "";
    wanted.set(directory, (wanted.get(directory) ?? new Set()).add(holding));
  }
  for (const [directory, oids] of wanted) {
    const missing = [...oids].filter((oid) => !known.has(oid));
    if (missing.length === 0) continue;
    const git = new GitBlobs(environment, directory);
    for await (const { oid, content } of git.read(missing, new AbortController().signal)) {
      known.set(oid, await blobs.keep(content));
    }
  }
  return known;
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
  const lost = before.uncovered.get(place) ?? stands.unread ?? "git no longer has it";
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
