import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { Change, EntryState } from "../../contract/history.ts";
import { isSettled, kindOfMode, type LeftOut, type Snapshot, sharedRanges } from "../../contract/snapshot.ts";
import type { Blobs } from "../blobs.ts";
import { isSameState, liesIn, nothing } from "../entry-states.ts";
import { blobName, fetchFromGit } from "./git-blobs.ts";
import { type Holding, isHeldByGit } from "./holdings.ts";
import { KeepInOrder } from "./keep-in-order.ts";
import { bytesAt, isFileAt, looksSame, modeAt, positionsIn, positionsOutside } from "./ledger.ts";
import { notCopied, type Secured } from "./secure-contents.ts";

interface Found {
  /** The changes. Undo reverts them in reverse order. */
  readonly changes: readonly Change[];
  /** Changed paths that undo does not cover, with the reason. */
  readonly uncovered: ReadonlyMap<string, string>;
  /** The stored contents of the current files, by position. */
  readonly holdings: ReadonlyMap<number, Holding>;
}

export interface FindingParts {
  readonly environment: Environment;
  readonly blobs: Blobs;
  /** The limit of stored current contents. Default: 64 MB. */
  readonly maxBytes?: number;
}

/** Finds the old and new states of the paths where two snapshots differ. */
export async function findChanges(before: Secured, after: Snapshot, parts: FindingParts): Promise<Found> {
  const differences = differencesOf(before.snapshot, after);
  const now = new PresentEntries(after, differences, parts);
  const uncovered = new Map<string, string>();
  const drafts: Draft[] = [];
  const closed = unreadableIn(after);
  for (const difference of differences) {
    // The entries of a closed directory are not known.
    if (difference.after === undefined && liesIn(difference.path, closed)) continue;
    const why = whyNotCompared(difference, before.snapshot, after);
    if (why !== undefined) uncovered.set(difference.path, why);
    if (why === undefined || isSameDirectory(difference, before.snapshot, after))
      drafts.push({
        ...difference,
        present: await now.look(difference, heldName(difference, before, after)),
      });
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

/** Returns git's name for the old content of a file, if the current content may be the same. */
function heldName({ before: earlier, after: position }: Difference, before: Secured, after: Snapshot) {
  if (earlier === undefined || position === undefined) return undefined;
  const holding = before.holdings.get(earlier);
  const isAsLarge = bytesAt(before.snapshot, earlier) === bytesAt(after, position);
  return holding !== undefined && isHeldByGit(holding) && isAsLarge ? holding : undefined;
}

export interface Draft extends Difference {
  readonly present: PresentEntry;
}

function toChange(
  { path, before: position, present }: Draft,
  before: Secured,
  fetched: ReadonlyMap<Holding, string>,
): Change {
  const after = present.state;
  if (position === undefined) return { path, before: nothing, after, lost: present.unread };
  const mode = modeAt(before.snapshot, position);
  const kind = kindOfMode(mode);
  if (kind === "directory") return { path, before: { kind, mode: mode & 0o7777 }, after };
  if (kind === "link")
    return { path, before: { kind, target: before.snapshot.targets.get(position) ?? "" }, after };
  const holding = before.holdings.get(position);
  const hash = holding !== undefined && isHeldByGit(holding) ? fetched.get(holding) : holding;
  const bytes = bytesAt(before.snapshot, position);
  const state = { kind: "file" as const, hash: hash ?? "", bytes, mode: mode & 0o7777 };
  if (hash !== undefined) return { path, before: state, after, lost: present.unread };
  const lost = holding === undefined ? notCopied : "it could not be fetched from git";
  return { path, before: state, after, lost: before.uncovered.get(position) ?? present.unread ?? lost };
}

/** Returns whether a file that was not read counts as unchanged, because its stats are unchanged. */
function isUnknownButSame(
  { before: earlier, after: position }: Draft,
  change: Change,
  before: Snapshot,
  after: Snapshot,
) {
  if (earlier === undefined || position === undefined || change.before.kind !== "file") return false;
  const isSameMode = modeAt(before, earlier) === modeAt(after, position);
  return change.before.hash === "" && isSameMode && looksSame(before, earlier, after, position);
}

/** A path that may have changed, with its positions in the snapshots. */
interface Difference {
  readonly path: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** Lists possible changes between two snapshots: removed entries first, contents before their directory. */
function differencesOf(before: Snapshot, after: Snapshot): readonly Difference[] {
  const removed: Difference[] = [];
  const others: Difference[] = [];
  const seen = new Uint8Array(before.entries.count);
  const positionOf = positionsIn(before);
  const ranges = sharedRanges(after, before);
  for (const { first, end, earlier } of ranges) seen.fill(1, earlier, earlier + end - first);
  for (const position of positionsOutside(ranges, after.entries.count)) {
    const path = after.entries.pathAt(position);
    const earlier = positionOf(path);
    if (earlier !== undefined) seen[earlier] = 1;
    if (earlier === undefined || mayDiffer(before, earlier, after, position))
      others.push({ path, before: earlier, after: position });
  }
  for (let position = before.entries.count - 1; position >= 0; position -= 1) {
    if (seen[position] === 0)
      removed.push({ path: before.entries.pathAt(position), before: position, after: undefined });
  }
  return [...removed, ...others];
}

function mayDiffer(before: Snapshot, earlier: number, after: Snapshot, position: number): boolean {
  const mode = modeAt(before, earlier);
  if (mode !== modeAt(after, position)) return true;
  const kind = kindOfMode(mode);
  // The content of a directory is compared entry by entry.
  if (kind === "directory" && !before.leftOut.has(earlier)) return false;
  return (kind === "file" && !isSettled(before, earlier)) || !looksSame(before, earlier, after, position);
}

interface PresentEntry {
  readonly state: EntryState;
  /** Whether the content is the blob whose name was given. */
  readonly isAsHeld?: boolean;
  /** The reason why the content could not be read. */
  readonly unread?: string;
}

/** Reads the entries after a command, and stores small contents, because the next command may change them. */
class PresentEntries {
  readonly holdings = new Map<number, Holding>();
  readonly #snapshot: Snapshot;
  readonly #environment: Environment;
  readonly #blobs: Blobs;
  readonly #copies: KeepInOrder;
  #bytesLeft: number;

  constructor(snapshot: Snapshot, differences: readonly Difference[], parts: FindingParts) {
    const isSmallFile = ({ after }: Difference) =>
      after !== undefined && isFileAt(snapshot, after) && bytesAt(snapshot, after) <= maxKeptBytes;
    this.#copies = new KeepInOrder(parts, () => differences.filter(isSmallFile).map(({ path }) => path));
    this.#bytesLeft = parts.maxBytes ?? maxKeptTogether;
    this.#snapshot = snapshot;
    this.#environment = parts.environment;
    this.#blobs = parts.blobs;
  }

  async look({ path, after: position }: Difference, heldName: Holding | undefined): Promise<PresentEntry> {
    if (position === undefined) return { state: nothing };
    const mode = modeAt(this.#snapshot, position);
    const kind = kindOfMode(mode);
    if (kind === "directory") return { state: { kind, mode: mode & 0o7777 } };
    if (kind === "link") return { state: { kind, target: this.#snapshot.targets.get(position) ?? "" } };
    const bytes = bytesAt(this.#snapshot, position);
    const unread = (why: string) => ({
      state: { kind: "file" as const, hash: "", bytes, mode: mode & 0o7777 },
      unread: why,
    });
    if (bytes > maxHashedBytes) return unread("too large to read");
    try {
      const isSmall = bytes <= Math.min(maxKeptBytes, this.#bytesLeft);
      const kept = isSmall ? await this.#keep(path, position, heldName) : undefined;
      return kept ?? { state: await this.#environment.state(path) };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      if (error.code === "not-found") return { state: nothing };
      return unread(error.code === "denied" ? "no read permission" : "it could not be read");
    }
  }

  /** Stores a file. Returns undefined when the disk is full. */
  async #keep(
    path: string,
    position: number,
    heldName: Holding | undefined,
  ): Promise<PresentEntry | undefined> {
    const kept = await this.#copies.keep(path).catch(undefinedWithoutSpace);
    if (kept === undefined) return undefined;
    const { hash, bytes } = kept;
    this.#bytesLeft -= bytes;
    this.holdings.set(position, hash);
    const state: EntryState = { kind: "file", hash, bytes, mode: modeAt(this.#snapshot, position) & 0o7777 };
    return {
      state,
      isAsHeld: heldName !== undefined && blobName(await this.#blobs.read(hash)) === heldName,
    };
  }
}

const maxKeptBytes = 1024 * 1024;
// A command may create any number of files, so the stored size is limited.
const maxKeptTogether = 64 * 1024 * 1024;
const maxHashedBytes = 1024 * 1024 * 1024;

function undefinedWithoutSpace(error: unknown): undefined {
  if (!(error instanceof ToolError) || error.code !== "unavailable") throw error;
}

/** Returns the reason why a path cannot be compared or restored, if it was not scanned or is special. */
function whyNotCompared(
  { before: earlier, after: position }: Difference,
  before: Snapshot,
  after: Snapshot,
): string | undefined {
  const wasLeftOut = earlier === undefined ? undefined : leftOutDirectory(before, earlier);
  const isLeftOut = position === undefined ? undefined : leftOutDirectory(after, position);
  // Git writes to its own files all the time, and the kernel generates the others.
  if (wasLeftOut === isLeftOut && (wasLeftOut === "repository" || wasLeftOut === "system")) return undefined;
  const reason = wasLeftOut ?? isLeftOut;
  if (reason !== undefined) return leftOutReasons[reason];
  const isSpecial = isSpecialAt(before, earlier) || isSpecialAt(after, position);
  return isSpecial ? "not a file, directory or link" : undefined;
}

function unreadableIn(snapshot: Snapshot): readonly string[] {
  return Array.from(snapshot.leftOut).flatMap(([position]) =>
    leftOutDirectory(snapshot, position) === "unreadable" ? [snapshot.entries.pathAt(position)] : [],
  );
}

/** Returns whether a path is a directory in both snapshots, so that its permissions can be compared. */
function isSameDirectory(
  { before: earlier, after: position }: Difference,
  before: Snapshot,
  after: Snapshot,
): boolean {
  const isDirectory = (snapshot: Snapshot, place: number | undefined) =>
    place !== undefined && kindOfMode(modeAt(snapshot, place)) === "directory";
  return isDirectory(before, earlier) && isDirectory(after, position);
}

function isSpecialAt(snapshot: Snapshot, position: number | undefined): boolean {
  return position !== undefined && kindOfMode(modeAt(snapshot, position)) === "other";
}

function leftOutDirectory(snapshot: Snapshot, position: number): LeftOut | undefined {
  const isDirectory = kindOfMode(modeAt(snapshot, position)) === "directory";
  return isDirectory ? snapshot.leftOut.get(position) : undefined;
}

const leftOutReasons: Readonly<Record<LeftOut, string>> = {
  ignored: "ignored by git",
  repository: "git's own",
  unreadable: "no read permission",
  system: "not on a disk",
};
