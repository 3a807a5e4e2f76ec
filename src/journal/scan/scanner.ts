import type { Outcome, ToolCall } from "../../contract/call.ts";
import type { Environment } from "../../contract/environment.ts";
import type { Snapshot, SnapshotOptions } from "../../contract/snapshot.ts";
import { showPath } from "../../lib/show-path.ts";
import type { Blobs } from "../blobs.ts";
import type { Journal } from "../journal.ts";
import { findChanges } from "./find-changes.ts";
import { HeldByGit } from "./held-by-git.ts";
import { ignoredFolders, tellIgnored } from "./ignored-folders.ts";
import { carryOver, isHeldByGit, type Ledger } from "./ledger.ts";
import { movedGit } from "./moved-git.ts";
import { type Begun, type KnownLedger, PendingScans } from "./pending-scans.ts";
import { type ScanLimits, type Secured, secureContents, usualLimits } from "./secure-contents.ts";
import { showUncovered, tellUncovered } from "./tell-uncovered.ts";
import { withoutOthers } from "./without-others.ts";

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
    if ("uncovered" in begun) return tellUncovered(call, next(call), [begun.uncovered]);
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
    return tellUncovered(call, running, uncovered, this.#aside(begun, uncovered));
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
  #aside({ before }: Begun, uncovered: readonly string[]): Parameters<typeof tellUncovered>[3] {
    const isTold = (path: string) => uncovered.some((what) => what.startsWith(`${showPath(path)} (`));
    const folders = ignoredFolders(before.snapshot).filter((path) => !isTold(path));
    if (folders.length === 0) return undefined;
    const isKnown = folders.every((path) => this.#mentioned.has(path));
    for (const path of folders) this.#mentioned.add(path);
    return { sentences: [tellIgnored(folders)], isKnown };
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
  for (const [place, holding] of found) holdings[place] = holding;
  return { snapshot, holdings };
}
