import type { Environment } from "../../contract/environment.ts";
import type { PathGuard } from "../../contract/guard.ts";
import type {
  ChangedFiles,
  Checkpoint,
  History,
  Selection,
  Undone,
  UndoOptions,
} from "../../contract/history.ts";
import { showPath } from "../../lib/text/printable.ts";
import type { Blobs } from "../blobs.ts";
import type { Journal } from "../journal.ts";
import type { KeepingEnvironment } from "../keep/keeping-environment.ts";
import { WholeTransactions } from "../transactions/transaction-records.ts";
import { applyPlan } from "./apply-plan.ts";
import { listCheckpoints, setCheckpoint } from "./checkpoints.ts";
import { Contents } from "./contents.ts";
import { netChanges } from "./net-changes.ts";
import { callsOf, type PreparedUndo, prepareUndo, withinPaths } from "./prepare-undo.ts";
import { refuseUndo } from "./refusals.ts";
import { selectChanges, type UndoScope } from "./select-calls.ts";
import { readStates } from "./settle-conflicts.ts";
import { showPhases, showPlan } from "./show-change.ts";
import { UndoRecords } from "./undo-records.ts";

export interface HistoryParts {
  readonly journal: Journal;
  readonly blobs: Pick<Blobs, "has" | "read">;
  /** Where an undo acts; what it changes is kept, as for any call. */
  readonly environment: Environment & Partial<Pick<KeepingEnvironment, "notKept">>;
  /** The call that asks. */
  readonly callId: string;
  readonly scope: UndoScope;
  /** What may not be read is not shown either, as it was in the past. */
  readonly guard?: PathGuard | undefined;
  /** Completes what is on record of calls whose process died. */
  readonly settle?: () => Promise<unknown>;
}

/** What earlier calls changed, as one call sees it. */
export class JournalHistory implements History {
  readonly #parts: HistoryParts & { readonly contents: Contents };

  constructor(parts: HistoryParts) {
    this.#parts = { ...parts, contents: new Contents(parts) };
  }

  async changes(
    selection: Selection,
    options: { readonly paths?: readonly string[] } = {},
  ): Promise<ChangedFiles> {
    const { journal, environment, contents, settle } = this.#parts;
    await settle?.();
    const undos = UndoRecords.of(journal);
    const wholes = new WholeTransactions(journal).apart;
    // Who only looks may see all, but for what may not be read.
    const scope = { session: this.#parts.scope.session, calls: "workspace" } as const;
    const selected = selectChanges(selection, { journal, undos, wholes, scope: scope });
    const changes = withinPaths(selected, options.paths, environment.workspace);
    const phases = netChanges(changes, () => false);
    await readStates(phases, { environment, contents, scope: scope }, undefined);
    return { calls: callsOf(changes), files: await showPhases(phases, this.#parts) };
  }

  async undo(selection: Selection, options: UndoOptions = {}): Promise<Undone> {
    await this.#parts.settle?.();
    const undos = UndoRecords.of(this.#parts.journal);
    const context = { ...this.#parts, undos };
    const without = new Set<string>();
    let prepared = await prepareUndo(selection, options, context, without);
    // The latest call may have failed before it changed anything: what is wanted is one that did.
    while (selection.kind === "last" && prepared.isEmpty && prepared.refusals.length === 0) {
      for (const callId of prepared.calls) without.add(callId);
      prepared = await prepareUndo(selection, options, context, without);
    }
    const { calls, refusals, total, isEmpty } = prepared;
    if (refusals.length > 0 && (!options.skipChanged || isEmpty))
      throw refuseUndo(refusals, total, options.merge ?? false);
    if (isEmpty)
      return { calls, files: [], leftAlone: [], notes: calls.map((callId) => describeUndone(callId, undos)) };
    return this.#apply(prepared, selection, options, undos);
  }

  async setCheckpoint(name?: string): Promise<Checkpoint> {
    return setCheckpoint(this.#parts.journal, name);
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    return listCheckpoints(this.#parts.journal);
  }

  async #apply(
    { plan, calls, refusals, notes }: PreparedUndo,
    selection: Selection,
    { paths, hunk, dryRun, signal }: UndoOptions,
    undos: UndoRecords,
  ): Promise<Undone> {
    const files = await showPlan(plan, dryRun ? this.#parts : undefined);
    const leftAlone = refusals.map(({ path }) => path);
    const left = refusals.map(({ path, reason }) => `Left alone: ${showPath(path)} ${reason}.`);
    if (dryRun) return { calls, files, leftAlone, notes: [...notes, ...left] };
    const isPart = paths !== undefined || refusals.length > 0;
    undos.add({
      by: this.#parts.callId,
      calls,
      ...(isPart ? { paths: files.map(({ path }) => path) } : {}),
      hunk,
      ...(selection.kind === "undo" ? { isRedo: true as const } : {}),
    });
    const kept = await applyPlan(plan, { ...this.#parts, signal });
    const folders = kept.map((path) => `Left ${showPath(path)}/ where it is: something else is in it.`);
    const lost = calls.flatMap((callId) => this.#parts.journal.find(callId)?.notCovered ?? []);
    const notKept = this.#parts.environment.notKept ?? [];
    return {
      calls,
      files: files.filter(({ path }) => !kept.includes(path)),
      leftAlone,
      notes: [
        ...notes,
        ...left,
        ...folders,
        ...lost.map((what) => `Not brought back: ${what}.`),
        ...notKept.map((what) => `A redo will not bring back: ${what}.`),
      ],
    };
  }
}

function describeUndone(callId: string, undos: UndoRecords): string {
  const by = undos.undoneBy(callId);
  return by === undefined
    ? `${callId}: nothing to do, all is as it was before.`
    : `${callId} was already undone, by ${by}.`;
}
