import type { Outcome, ToolCall } from "../../contract/call.ts";
import type { Environment } from "../../contract/environment.ts";
import { reworded, ToolError } from "../../contract/error.ts";
import type { Change, EntryState } from "../../contract/history.ts";
import { kindOfMode, type Snapshot, type SnapshotOptions } from "../../contract/snapshot.ts";
import { showPath } from "../../lib/text/printable.ts";
import type { Blobs } from "../blobs.ts";
import { isSameState, liesIn } from "../entry-states.ts";
import type { Journal } from "../journal.ts";
import type { RecordedChange } from "../record.ts";
import { findChanges } from "./find-changes.ts";
import { HeldByGit, movedGit } from "./held-by-git.ts";
import { carryOver, isHeldByGit, type Ledger, modeAt } from "./ledger.ts";
import { type Begun, type KnownLedger, PendingScans } from "./pending-scans.ts";
import { type ScanLimits, type Secured, secureContents, usualLimits } from "./secure-contents.ts";

/** Finds what commands change in the workspace, and keeps what undo needs to take it back. */
export interface Scanner {
  /**
   * Runs a call that starts programs; what it created, changed or removed below the workspace is then on record as the
   * changes of the call. What an undo will not bring back is in `call.account.notCovered` and in the outcome's words.
   * Fails before anything is run when there is no space to keep what the call may change.
   */
  around(call: ToolCall, next: (call: ToolCall) => Promise<Outcome>): Promise<Outcome>;
  /**
   * Completes what processes began that are gone: what their commands changed is on record after it, together with what
   * others have changed since and not put on record. Gives the calls.
   */
  settle(): Promise<readonly string[]>;
}

export interface ScannerParts {
  readonly environment: Environment;
  readonly journal: Pick<Journal, "append" | "change" | "changesAfter" | "records">;
  readonly blobs: Blobs;
  /** A private folder of its own; made when it is needed. */
  readonly folder: string;
  /** Ends what processes have left running that are gone: what they go on to change would be nobody's. */
  readonly endAbandoned?: () => Promise<void>;
  /** Absolute paths in the workspace that belong to us. */
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
  #isTooLarge = false;
  /** The ignored folders that were mentioned in a result. */
  readonly #mentioned = new Set<string>();

  constructor(parts: ScannerParts) {
    this.#parts = parts;
    this.#limits = { ...usualLimits, ...parts.limits };
    this.#git = new HeldByGit(parts.environment);
    this.#pending = new PendingScans(parts.folder);
  }

  async around(call: ToolCall, next: (call: ToolCall) => Promise<Outcome>): Promise<Outcome> {
    await this.settle();
    const begun = await this.#begin(call);
    if ("uncovered" in begun) return reportUncovered(call, next(call), [begun.uncovered]);
    const outliving: Promise<unknown>[] = [];
    const running = next({
      ...call,
      outlivedBy: (work) => {
        outliving.push(work);
        call.outlivedBy(work);
      },
    });
    await running.catch(() => {});
    const uncovered = await this.#end(begun);
    if (outliving.length > 0) call.outlivedBy(this.#endAgain(call, outliving));
    return reportUncovered(call, running, uncovered, this.#aside(begun, uncovered));
  }

  async settle(): Promise<readonly string[]> {
    const { environment, endAbandoned } = this.#parts;
    if (environment.snapshot === undefined) return [];
    await endAbandoned?.();
    const settled: string[] = [];
    for (const begun of await this.#pending.takeOver()) {
      await this.#end(begun);
      settled.push(begun.callId);
    }
    return settled;
  }

  async #begin(call: ScannedCall): Promise<Begun | { readonly uncovered: string }> {
    const { journal, environment, blobs } = this.#parts;
    const { id, signal } = call;
    const latest = this.#latest ?? (await this.#pending.latest());
    const snapshot = await this.#lookInTime(signal, latest?.ledger.snapshot);
    if (typeof snapshot === "string") return { uncovered: `what its commands change (${snapshot})` };
    const collection = journal.records("collected").at(-1)?.sequence ?? 0;
    const earlier = this.#stillKept(latest, collection);
    const before = await secureContents(snapshot, earlier, call, {
      environment,
      blobs,
      git: this.#git,
      limits: this.#limits,
    });
    this.#git.remember(snapshot);
    const sequence = journal.append("scan", { callId: id });
    const begun = { callId: id, sequence, collection, before };
    await this.#pending.add(begun);
    return begun;
  }

  /** What the call may have changed unseen: mentioned once, on record with every call. */
  #aside({ before }: Begun, uncovered: readonly string[]): Parameters<typeof reportUncovered>[3] {
    const isTold = (path: string) => uncovered.some((what) => what.startsWith(`${showPath(path)} (`));
    const folders = ignoredFolders(before.snapshot).filter((path) => !isTold(path));
    if (folders.length === 0) return undefined;
    const isKnown = folders.every((path) => this.#mentioned.has(path));
    for (const path of folders) this.#mentioned.add(path);
    return { sentences: [describeIgnored(folders)], isKnown };
  }

  /** Gives what is not covered, in words. A call that has run cannot be failed any more. */
  async #end(begun: Begun): Promise<readonly string[]> {
    try {
      const uncovered = await this.#record(begun);
      await this.#pending.done(begun.callId);
      return uncovered;
    } catch (error) {
      return [`what its commands changed (${(error as Error).message})`];
    }
  }

  async #record({ callId, sequence, collection, before }: Begun): Promise<readonly string[]> {
    const { journal, environment, blobs } = this.#parts;
    const after = await this.#snapshot({ like: before.snapshot, known: before.snapshot });
    const found = await findChanges(before, after, { environment, blobs });
    const changes = withoutOthers(found.changes, journal.changesAfter(sequence), blobs);
    journal.change(callId, changes);
    this.#latest = { ledger: inheriting(before, after, found.holdings), collection };
    return [
      ...Array.from(found.uncovered, ([path, why]) => showUncovered(path, why)),
      ...movedGit(before.snapshot, after, this.#git),
    ];
  }

  /** What goes on although the call has ended may change more. */
  async #endAgain(call: ToolCall, work: readonly Promise<unknown>[]): Promise<void> {
    const begun = await this.#begin({ ...call, signal: new AbortController().signal });
    await Promise.allSettled(work);
    if (!("uncovered" in begun)) await this.#end(begun);
  }

  /** A snapshot, or why there is none. What takes too long once is not tried again. */
  async #lookInTime(signal: AbortSignal, known: Snapshot | undefined): Promise<Snapshot | string> {
    if (this.#parts.environment.snapshot === undefined) return "it cannot be told here";
    const limit = AbortSignal.timeout(this.#limits.maxLookMs);
    try {
      if (this.#isTooLarge) return tooLarge;
      return await this.#snapshot({ signal: AbortSignal.any([signal, limit]), ...(known && { known }) });
    } catch (error) {
      if (signal.aborted || !limit.aborted) throw error;
      this.#isTooLarge = true;
      return tooLarge;
    }
  }

  async #snapshot(options: Omit<SnapshotOptions, "without">): Promise<Snapshot> {
    const { environment, without = [] } = this.#parts;
    return environment.snapshot!({ ...options, without: [...without, this.#parts.folder] });
  }

  /** What was collected since is not held any more; while a call runs nothing is. */
  #stillKept(known: KnownLedger | undefined, collection: number): Ledger | undefined {
    if (known === undefined || known.collection === collection) return known?.ledger;
    const isKept = (holding: string) => isHeldByGit(holding) || this.#parts.blobs.has(holding);
    const holdings = known.ledger.holdings.map((holding) =>
      holding && isKept(holding) ? holding : undefined,
    );
    return { ...known.ledger, holdings };
  }
}

type ScannedCall = Pick<ToolCall, "id" | "signal" | "notify">;

const tooLarge = "there are too many files to look at";

/** What is known to be held after a command, for the next. */
function inheriting(before: Secured, snapshot: Snapshot, found: ReadonlyMap<number, string>): Ledger {
  const holdings = carryOver(snapshot, before);
  for (const [position, holding] of found) holdings[position] = holding;
  return { snapshot, holdings };
}

/** The folders that are not looked into because git ignores them: what changes there is neither seen nor kept. */
export function ignoredFolders(snapshot: Snapshot): readonly string[] {
  return Array.from(snapshot.leftOut).flatMap(([position, reason]) =>
    reason === "ignored" && kindOfMode(modeAt(snapshot, position)) === "directory"
      ? [snapshot.paths[position]!]
      : [],
  );
}

export function describeIgnored(folders: readonly string[]): string {
  const more = folders.length - maxNamedFolders;
  const names = folders.slice(0, maxNamedFolders).map(showPath);
  return `any change inside ignored folders (${[...names, ...(more > 0 ? [`${more} more`] : [])].join(", ")})`;
}

const maxNamedFolders = 5;

/**
 * Leaves out of what was found what other calls did at the same time: they have their own records. Where the command has
 * changed what another call had left, its change begins there.
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
    const { lost: _, ...rest } = change;
    const isLost = state.kind === "file" && !blobs.has(state.hash);
    return [{ ...rest, before: state, ...(isLost && { lost: "another call changed it at the same time" }) }];
  });
}

/** Of a directory that was moved only the directory itself is on record. */
function isMovedTree({ moved, before, after }: RecordedChange): boolean {
  return moved !== undefined && (before.kind === "directory" || after.kind === "directory");
}

/**
 * Says in the account of a call, and in how it ended, what an undo will not bring back: each as "path (why)". `aside` is
 * what it may not bring back; who was told already need not be told again.
 */
export async function reportUncovered(
  call: Pick<ToolCall, "account">,
  running: Promise<Outcome>,
  uncovered: readonly string[],
  aside: { readonly sentences: readonly string[]; readonly isKnown: boolean } = noAside,
): Promise<Outcome> {
  const recorded = [...shortened(uncovered, maxRecorded), ...aside.sentences];
  if (recorded.length > 0) call.account.notCovered = [...(call.account.notCovered ?? []), ...recorded];
  const note = (isKnown: boolean) =>
    noteOf([...shortened(uncovered, maxNamed), ...(isKnown ? [] : aside.sentences)]);
  const outcome = await running.catch((error: unknown) => {
    throw error instanceof ToolError ? withNote(error, note(aside.isKnown)) : error;
  });
  if (!outcome.ok) return { ok: false, error: withNote(outcome.error, note(aside.isKnown)) };
  // Who takes back at once what was done says at once what that leaves.
  const told = note(aside.isKnown && outcome.afterwards === undefined);
  if (told === undefined) return outcome;
  const add = (text: string) =>
    text === "" || text.endsWith("\n") ? `${text}[${told}]` : `${text}\n[${told}]`;
  return { ...outcome, text: add(outcome.text), fullText: add(outcome.fullText) };
}

function noteOf(sentences: readonly string[]): string | undefined {
  return sentences.length === 0 ? undefined : `Undo does not cover: ${sentences.join(", ")}`;
}

export function showUncovered(path: string, why: string): string {
  return `${showPath(path)} (${why})`;
}

const noAside = { sentences: [], isKnown: true };
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
  return reworded(error, {
    hint: append(error.hint),
    forUser: forUser?.hint === undefined ? forUser : { ...forUser, hint: append(forUser.hint) },
  });
}
