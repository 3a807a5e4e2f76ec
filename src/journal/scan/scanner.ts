import { posix } from "node:path";
import type { Outcome, ToolCall } from "../../contract/call.ts";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { PathGuard } from "../../contract/guard.ts";
import type { Snapshot, SnapshotOptions } from "../../contract/snapshot.ts";
import type { Blobs } from "../blobs.ts";
import type { Journal } from "../journal.ts";
import { findChanges } from "./find-changes.ts";
import { HeldByGit } from "./held-by-git.ts";
import { carryOver, isHeldByGit, type Ledger } from "./ledger.ts";
import { movedGit } from "./moved-git.ts";
import { nameUncovered, showUncovered } from "./name-uncovered.ts";
import { type Begun, type KnownLedger, openPendingScans, type PendingScans } from "./pending-scans.ts";
import { type ScanLimits, type Secured, secureContents, usualLimits } from "./secure-contents.ts";
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
  /** Absolute paths in the workspace that belong to us. */
  readonly without?: readonly string[];
  /** What it refuses to let anybody write is not kept: undo cannot bring it back either. */
  readonly guard?: PathGuard;
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

  constructor(parts: ScannerParts) {
    this.#parts = parts;
    this.#limits = { ...usualLimits, ...parts.limits };
    this.#git = new HeldByGit(parts.environment);
    this.#pending = openPendingScans(parts.folder);
  }

  async around(call: ToolCall, next: (call: ToolCall) => Promise<Outcome>): Promise<Outcome> {
    if (this.#parts.environment.snapshot === undefined) {
      const outcome = next(call);
      return this.#tell(call, outcome, ["what its commands change (it cannot be told here)"]);
    }
    await this.settle();
    const begun = await this.#begin(call);
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
    return this.#tell(call, running, uncovered);
  }

  async settle(): Promise<readonly string[]> {
    const { environment } = this.#parts;
    if (environment.snapshot === undefined) return [];
    const settled: string[] = [];
    for (const begun of await this.#pending.takeOver()) {
      await this.#end(begun);
      settled.push(begun.callId);
    }
    return settled;
  }

  readonly #whyRefused = (path: string): string | undefined => {
    const { guard, environment } = this.#parts;
    return guard?.("write", posix.join(environment.workspace, path))?.reason;
  };

  async #begin({ id, signal }: Pick<ToolCall, "id" | "signal">): Promise<Begun> {
    const { journal, environment, blobs } = this.#parts;
    const latest = this.#latest ?? (await this.#pending.latest());
    const snapshot = await this.#snapshot({ signal, ...(latest && { known: latest.ledger.snapshot }) });
    const collection = journal.records("collected").at(-1)?.sequence ?? 0;
    const earlier = this.#stillKept(latest, collection);
    const parts = { environment, blobs, git: this.#git, limits: this.#limits, whyRefused: this.#whyRefused };
    const before = await secureContents(snapshot, earlier, parts, signal);
    this.#git.remember(snapshot);
    const sequence = journal.append("scan", { callId: id });
    const begun = { callId: id, sequence, collection, before };
    await this.#pending.add(begun);
    return begun;
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
    const found = await findChanges(before, after, { environment, blobs, whyRefused: this.#whyRefused });
    const others = journal.changesAfter(sequence).filter((change) => change.callId !== callId);
    const changes = withoutOthers(found.changes, others, blobs);
    journal.change(callId, changes);
    this.#latest = { ledger: inheriting(before, after, found.holdings), collection };
    return [
      ...Array.from(found.uncovered, ([path, why]) => showUncovered(path, why)),
      ...movedGit(before.snapshot, after, this.#git),
    ];
  }

  /** What goes on although the call has ended may change more. */
  async #endAgain(call: ToolCall, work: readonly Promise<unknown>[]): Promise<void> {
    const begun = await this.#begin({ id: call.id, signal: new AbortController().signal });
    await Promise.allSettled(work);
    await this.#end(begun);
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

  async #tell(call: ToolCall, running: Promise<Outcome>, uncovered: readonly string[]): Promise<Outcome> {
    if (uncovered.length === 0) return running;
    call.account.notCovered = [...(call.account.notCovered ?? []), ...uncovered];
    const note = nameUncovered(uncovered);
    const outcome = await running.catch((error: unknown) => {
      throw error instanceof ToolError ? withNote(error, note) : error;
    });
    if (!outcome.ok) return { ok: false, error: withNote(outcome.error, note) };
    const add = (text: string) =>
      text === "" || text.endsWith("\n") ? `${text}[${note}]` : `${text}\n[${note}]`;
    return { ...outcome, text: add(outcome.text), fullText: add(outcome.fullText) };
  }
}

/** What is known to be held after a command, for the next. */
function inheriting(before: Secured, snapshot: Snapshot, found: ReadonlyMap<number, string>): Ledger {
  const holdings = carryOver(snapshot, before);
  for (const [place, holding] of found) holdings[place] = holding;
  return { snapshot, holdings };
}

function withNote(error: ToolError, note: string): ToolError {
  const { code, message, hint, cause } = error;
  return new ToolError(code, message, { hint: hint === undefined ? `${note}.` : `${hint} ${note}.`, cause });
}
