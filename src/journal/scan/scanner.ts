import type { Outcome, ToolCall } from "../../contract/call.ts";
import type { DirectoryChange, Environment } from "../../contract/environment.ts";
import { errorWith, ToolError } from "../../contract/error.ts";
import type { Change, EntryState } from "../../contract/history.ts";
import type { Snapshot, SnapshotOptions } from "../../contract/snapshot.ts";
import { freeHeapSoon, withoutHeapGrowth } from "../../lib/async/without-heap-growth.ts";
import { WorkLimit } from "../../lib/async/work-limit.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { counted, showSize } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import type { Blobs } from "../blobs.ts";
import { isSameState, liesIn } from "../entry-states.ts";
import type { Journal } from "../journal.ts";
import type { RecordedChange } from "../record.ts";
import { findChanges } from "./find-changes.ts";
import { HeldByGit, movedGit } from "./held-by-git.ts";
import { Holdings } from "./holdings.ts";
import { describeIgnored, ignoredFolders } from "./ignored-folders.ts";
import { carryOver, type Ledger } from "./ledger.ts";
import { type Begun, type KnownLedger, PendingScans } from "./pending-scans.ts";
import {
  type Backlog,
  type ScanLimits,
  type Secured,
  type SecuredCall,
  secureContents,
  usualLimits,
} from "./secure-contents.ts";

/** Finds the changes that commands make in the workspace, and stores what an undo of them needs. */
export interface Scanner {
  /**
   * Runs a call that starts programs, then records what it created, changed or removed in the workspace. Adds effects
   * that undo does not cover to `call.account.notCovered` and to the text of the outcome. Fails before anything runs
   * when the disk has no space for the content that the call may change.
   */
  around(call: ToolCall, next: (call: ToolCall) => Promise<Outcome>): Promise<Outcome>;
  /** Completes the scans of ended processes, including unrecorded changes since. Returns the calls. */
  settle(): Promise<readonly string[]>;
}

export interface ScannerParts {
  readonly environment: Environment;
  readonly journal: Pick<Journal, "append" | "change" | "changesAfter" | "records">;
  readonly blobs: Blobs;
  /** A private folder, created on first use. */
  readonly folder: string;
  /** Stops programs that ended processes have left running, because their further changes would belong to no call. */
  readonly endAbandoned?: () => Promise<void>;
  /** Absolute paths of Toolcrib's own files in the workspace. */
  readonly without?: readonly string[];
  readonly limits?: Partial<ScanLimits>;
}

export function openScanner(parts: ScannerParts): Scanner {
  return new ChangeScanner(parts);
}

class ChangeScanner implements Scanner {
  readonly #parts: ScannerParts;
  readonly #limits: ScanLimits;
  readonly #git: HeldByGit;
  readonly #pending: PendingScans;
  #latest: KnownLedger | undefined;
  /** When a scan is tried again after one that took too long. */
  #nextLookMs = 0;
  /** The ignored folders, and the kinds of files that are not copied, that a result has mentioned. */
  readonly #mentioned = new Set<string>();

  constructor(parts: ScannerParts) {
    this.#parts = parts;
    this.#limits = { ...usualLimits, ...parts.limits };
    this.#git = new HeldByGit(parts.environment);
    this.#pending = new PendingScans(parts.folder);
  }

  async around(call: ToolCall, next: (call: ToolCall) => Promise<Outcome>): Promise<Outcome> {
    await this.settle();
    const begun = await withoutHeapGrowth(() => this.#begin(call));
    if ("uncovered" in begun) return reportUncovered(call, next(call), [begun.uncovered]);
    const outliving: Promise<unknown>[] = [];
    const startedMs = Date.now();
    const running = next({
      ...call,
      outlivedBy: (work) => {
        outliving.push(work);
        call.outlivedBy(work);
      },
    });
    await running.catch(() => {});
    const uncovered = await this.#end(begun, { again: !isConfined(call) });
    const folders = await this.#changedFolders(begun, uncovered, startedMs);
    if (folders.unknown.length > 0) call.account.unseenFolders = folders.unknown;
    if (outliving.length > 0) call.outlivedBy(this.#endAgain(call, outliving));
    return reportUncovered(call, running, uncovered, this.#aside(begun, folders.changed));
  }

  async settle(): Promise<readonly string[]> {
    const { environment, endAbandoned } = this.#parts;
    if (environment.snapshot === undefined) return [];
    await endAbandoned?.();
    const settled: string[] = [];
    for (const begun of this.#pending.takeOver()) {
      await this.#end(begun, { again: true });
      settled.push(begun.callId);
    }
    return settled;
  }

  async #begin(call: ScannedCall): Promise<Begun | { readonly uncovered: string }> {
    const { journal, environment, blobs } = this.#parts;
    const { id, signal } = call;
    const latest = this.#latest ?? this.#pending.latest();
    // The first snapshot scans everything. If the one after the command must, too, a watch between them is useless.
    const again = this.#latest === undefined && !isConfined(call);
    const snapshot = await this.#lookInTime(signal, { known: latest?.ledger.snapshot, again });
    if (typeof snapshot === "string") return { uncovered: `changes by its commands (${snapshot})` };
    const collection = journal.records("collected").at(-1)?.sequence ?? 0;
    const earlier = this.#stillKept(latest, collection);
    const parts = { environment, blobs, git: this.#git, limits: this.#limits };
    const before = await secureContents(snapshot, earlier, call, parts);
    this.#git.remember(snapshot);
    this.#git.release();
    const sequence = journal.append("scan", { callId: id });
    const begun = { callId: id, sequence, collection, before };
    this.#pending.add(begun);
    return begun;
  }

  /** Returns the ignored folders in which the call has made changes, and those that have too many entries to tell. */
  async #changedFolders(
    { before }: Begun,
    uncovered: readonly string[],
    sinceMs: number,
  ): Promise<{ readonly changed: readonly string[]; readonly unknown: readonly string[] }> {
    const isListed = (path: string) => uncovered.some((what) => what.startsWith(`${showPath(path)} (`));
    const folders = ignoredFolders(before.snapshot).filter((path) => !isListed(path));
    const { environment } = this.#parts;
    if (folders.length === 0 || environment.changedSince === undefined)
      return { changed: folders, unknown: [] };
    const { maxUnseenEntries: maxEntries } = this.#limits;
    const found = await environment.changedSince(folders, { sinceMs, maxEntries });
    const having = (change: DirectoryChange) => folders.filter((path) => found.get(path) === change);
    return { changed: having("changed"), unknown: having("unknown") };
  }

  /**
   * Describes the ignored folders in which the call changed files, and the files that are not copied. They are recorded
   * every time; each is shown once.
   */
  #aside({ before: { backlog } }: Begun, folders: readonly string[]): Aside {
    const isNew = (mention: string) => !this.#mentioned.has(mention);
    const newFolders = folders.filter(isNew);
    const files = backlog && describeBacklog(backlog, this.#limits);
    const isNewBacklog = backlog !== undefined && isNew(`backlog:${backlog.isCopiedLater}`);
    for (const folder of folders) this.#mentioned.add(folder);
    if (backlog) this.#mentioned.add(`backlog:${backlog.isCopiedLater}`);
    const sentences = (named: readonly string[], of: string | undefined) => [
      ...(named.length === 0 ? [] : [describeIgnored(named)]),
      ...(of === undefined ? [] : [of]),
    ];
    return {
      all: sentences(folders, files),
      notShownYet: sentences(newFolders, isNewBacklog ? files : undefined),
    };
  }

  /** Returns the effects that undo does not cover. Never throws, because a call that has run can no longer fail. */
  async #end(begun: Begun, options: Pick<SnapshotOptions, "again">): Promise<readonly string[]> {
    try {
      const { after, uncovered } = await withoutHeapGrowth(() => this.#record(begun, options));
      this.#pending.done(begun.callId, after);
      return uncovered;
    } catch (error) {
      return [`changes by its commands (${(error as Error).message})`];
    }
  }

  async #record(
    { callId, sequence, collection, before }: Begun,
    options: Pick<SnapshotOptions, "again">,
  ): Promise<{ readonly after: Snapshot; readonly uncovered: readonly string[] }> {
    const { journal, environment, blobs } = this.#parts;
    const after = await this.#snapshot({ ...options, like: before.snapshot, known: before.snapshot });
    const found = await findChanges(before, after, { environment, blobs });
    const changes = withoutOthers(found.changes, journal.changesAfter(sequence), blobs);
    journal.change(callId, changes);
    const uncovered = [
      ...Array.from(found.uncovered, ([path, why]) => showUncovered(path, why)),
      ...movedGit(before.snapshot, after, this.#git),
    ];
    const ledger = inheriting(before, after, found.holdings);
    this.#git.forgetLost(after, ledger.holdings, before.snapshot);
    // The first scan leaves the most garbage. With a watch, no other scan of everything follows.
    if (this.#latest === undefined && leavesGarbage(before.snapshot)) freeHeapSoon(50);
    this.#latest = { ledger, collection };
    this.#git.release();
    return { after, uncovered };
  }

  /** Scans again for work that continues after the call has ended. */
  async #endAgain(call: ToolCall, work: readonly Promise<unknown>[]): Promise<void> {
    const begun = await this.#begin({ ...call, signal: new AbortController().signal });
    await Promise.allSettled(work);
    if (!("uncovered" in begun)) await this.#end(begun, { again: !isConfined(call) });
  }

  /** Returns a snapshot, or the reason why there is none. After a scan that took too long, none is tried for a while. */
  async #lookInTime(
    signal: AbortSignal,
    options: { readonly known: Snapshot | undefined; readonly again: boolean },
  ): Promise<Snapshot | string> {
    if (this.#parts.environment.snapshot === undefined) return "this environment has no snapshots";
    if (monotonicMs() < this.#nextLookMs) return tooLarge;
    const { maxLookCpuMs: maxCpuMs, maxLookMs: maxMs, lookPauseMs } = this.#limits;
    const limit = new WorkLimit({ maxCpuMs, maxMs });
    try {
      return await this.#snapshot({ ...options, signal: AbortSignal.any([signal, limit.signal]) });
    } catch (error) {
      if (signal.aborted || !limit.signal.aborted) throw error;
      this.#nextLookMs = monotonicMs() + lookPauseMs;
      return tooLarge;
    } finally {
      limit.end();
    }
  }

  async #snapshot(options: Omit<SnapshotOptions, "without">): Promise<Snapshot> {
    const { environment, without = [] } = this.#parts;
    const snapshot = await environment.snapshot!({ ...options, without: [...without, this.#parts.folder] });
    if (leavesGarbage(snapshot)) freeHeapSoon();
    return snapshot;
  }

  /** Removes contents that were collected since. Nothing is collected while a call runs. */
  #stillKept(known: KnownLedger | undefined, collection: number): Ledger | undefined {
    if (known === undefined || known.collection === collection) return known?.ledger;
    const { holdings: all } = known.ledger;
    const holdings = new Holdings(all.count, all);
    holdings.copy(all, { first: 0, end: all.count, earlier: 0 });
    for (const position of all.positions())
      if (!all.isHeldByGit(position) && !this.#parts.blobs.has(all.get(position)!))
        holdings.set(position, undefined);
    return { ...known.ledger, holdings };
  }
}

/**
 * Only bubblewrap keeps a command from linking a file to a folder outside the workspace, where a watch does not see its
 * changes: links do not cross mounts.
 */
function isConfined({ account, confinement }: Pick<ToolCall, "account" | "confinement">): boolean {
  return account.sandbox === "bwrap" && confinement?.unconfined !== true;
}

type ScannedCall = SecuredCall & Pick<ToolCall, "id" | "account" | "confinement">;

/** Whether a snapshot is a scan of everything, of many entries. */
function leavesGarbage({ shared, entries }: Snapshot): boolean {
  return shared === undefined && entries.count > 20_000;
}

const tooLarge = "there are too many files to scan";

/** Returns the ledger after a command, which the next command starts from. */
function inheriting(before: Secured, snapshot: Snapshot, found: ReadonlyMap<number, string>): Ledger {
  const holdings = carryOver(snapshot, before);
  for (const [position, holding] of found) holdings.set(position, holding);
  return { snapshot, holdings };
}

function describeBacklog({ files, isCopiedLater }: Backlog, { maxBacklogBytes }: ScanLimits): string {
  const one = files === 1;
  const why = isCopiedLater
    ? `${one ? "is" : "are"} not copied yet`
    : `${one ? "exceeds" : "exceed"} the ${showSize(maxBacklogBytes)} for copies in this workspace`;
  return `any change to ${counted(files, "file")} that ${why}`;
}

/**
 * Removes changes that other calls made at the same time, because those have their own records. If the command changed
 * the result of another call, its change starts from that result.
 */
export function withoutOthers(
  found: readonly Change[],
  others: readonly RecordedChange[],
  blobs: Pick<Blobs, "has">,
): readonly Change[] {
  if (others.length === 0) return found;
  const left = new Map<string, EntryState>(others.map(({ path, after }) => [path, after]));
  const moved = others.flatMap((change) => (isMovedTree(change) ? [change.path] : []));
  return found.flatMap((change) => {
    const state = left.get(change.path);
    if (state === undefined) return liesIn(change.path, moved) ? [] : [change];
    if (isSameState(state, change.after)) return [];
    const isLost = state.kind === "file" && !blobs.has(state.hash);
    const lost = isLost ? "another call changed it at the same time" : undefined;
    return [{ ...change, before: state, lost }];
  });
}

/** Recognizes a moved directory, whose record does not list its content. */
function isMovedTree({ moved, before, after }: RecordedChange): boolean {
  return moved !== undefined && (before.kind === "directory" || after.kind === "directory");
}

/** Effects that undo does not cover and that results mention once. */
interface Aside {
  readonly all: readonly string[];
  readonly notShownYet: readonly string[];
}

/** Adds the effects that undo does not cover, each as "path (why)", to the account of a call and to its outcome. */
export async function reportUncovered(
  call: Pick<ToolCall, "account">,
  running: Promise<Outcome>,
  uncovered: readonly string[],
  aside: Aside = { all: [], notShownYet: [] },
): Promise<Outcome> {
  const recorded = [...shortened(uncovered, maxRecorded), ...aside.all];
  if (recorded.length > 0) call.account.notCovered = [...(call.account.notCovered ?? []), ...recorded];
  const note = (sentences: readonly string[]) => noteOf([...shortened(uncovered, maxNamed), ...sentences]);
  const outcome = await running.catch((error: unknown) => {
    throw error instanceof ToolError ? withNote(error, note(aside.notShownYet)) : error;
  });
  if (!outcome.ok) return { ok: false, error: withNote(outcome.error, note(aside.notShownYet)) };
  // The output of a call that is undone at once always mentions all of them.
  const shown = note(outcome.afterwards === undefined ? aside.notShownYet : aside.all);
  if (shown === undefined) return outcome;
  const add = (text: string) => `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}[${shown}]`;
  return { ...outcome, text: add(outcome.text), fullText: add(outcome.fullText) };
}

function noteOf(sentences: readonly string[]): string | undefined {
  return sentences.length === 0 ? undefined : `Undo does not cover: ${sentences.join(", ")}`;
}

export function showUncovered(path: string, why: string): string {
  return `${showPath(path)} (${why})`;
}

const maxNamed = 3;
const maxRecorded = 100;

function shortened(sentences: readonly string[], count: number): readonly string[] {
  const others = sentences.length - count;
  return others > 0 ? [...sentences.slice(0, count), `${others} more`] : sentences;
}

function withNote(error: ToolError, note: string | undefined): ToolError {
  if (note === undefined) return error;
  const append = (hint: string | null | undefined) => (hint ? `${hint} ${note}.` : `${note}.`);
  const { forUser } = error;
  return errorWith(error, {
    hint: append(error.hint),
    forUser: forUser?.hint === undefined ? forUser : { ...forUser, hint: append(forUser.hint) },
  });
}
