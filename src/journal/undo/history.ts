import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { PathGuard } from "../../contract/guard.ts";
import type * as contract from "../../contract/history.ts";
import type { Checkpoint, Selection, UndoneChanges, UndoOptions } from "../../contract/history.ts";
import { showPath } from "../../lib/text/printable.ts";
import type { Blobs } from "../blobs.ts";
import type { Journal } from "../journal.ts";
import type { KeepingEnvironment } from "../keep/keeping-environment.ts";
import { WholeTransactions } from "../transactions/transaction-records.ts";
import { applyPlan } from "./apply-plan.ts";
import { listCheckpoints, setCheckpoint } from "./checkpoints.ts";
import { Contents } from "./contents.ts";
import { lossesOf } from "./losses.ts";
import { netChanges } from "./net-changes.ts";
import { callsOf, type PreparedUndo, prepareUndo, withinPaths } from "./prepare-undo.ts";
import { RefusedUndo, refuseUndo } from "./refusals.ts";
import { selectChanges, type UndoScope } from "./select-calls.ts";
import { readStates } from "./settle-conflicts.ts";
import { showPhases, showPlan } from "./show-change.ts";
import { UndoRecords } from "./undo-records.ts";

export interface HistoryParts {
  readonly journal: Journal;
  readonly blobs: Pick<Blobs, "has" | "read">;
  /** The environment that an undo changes. Its changes are recorded as for any call. */
  readonly environment: Environment & Partial<Pick<KeepingEnvironment, "notKept">>;
  readonly callId: string;
  readonly scope: UndoScope;
  /** The guard. Old contents of files that must not be read are not shown either. */
  readonly guard?: PathGuard | undefined;
  /** Completes the records of calls whose process ended. */
  readonly settle?: () => Promise<unknown>;
}

/** The changes of earlier calls, as one call sees them. */
export class JournalHistory implements contract.ChangeHistory {
  readonly #parts: HistoryParts & { readonly contents: Contents };

  constructor(parts: HistoryParts) {
    this.#parts = { ...parts, contents: new Contents(parts) };
  }

  async changes(
    selection: Selection,
    options: { readonly paths?: readonly string[] } = {},
  ): Promise<contract.ChangedFiles> {
    const { journal, environment, contents, settle } = this.#parts;
    await settle?.();
    const undos = UndoRecords.of(journal);
    const wholes = new WholeTransactions(journal).apart;
    // Showing is not limited to the session. The guard hides files that must not be read.
    const scope = { session: this.#parts.scope.session, calls: "workspace" } as const;
    const selected = selectChanges(selection, { journal, undos, wholes, scope: scope });
    const changes = withinPaths(selected, options.paths, environment.workspace);
    const phases = netChanges(changes, () => false);
    await readStates(phases, { environment, contents, scope: scope }, undefined);
    return { calls: callsOf(changes), files: await showPhases(phases, this.#parts) };
  }

  async undo(selection: Selection, options: UndoOptions = {}): Promise<UndoneChanges> {
    await this.#parts.settle?.();
    const undos = UndoRecords.of(this.#parts.journal);
    const context = { ...this.#parts, undos };
    const without = new Set<string>();
    let prepared = await prepareUndo(selection, options, context, without);
    // The latest call may have failed before it changed anything. Then the one before is undone.
    while (selection.kind === "last" && prepared.isEmpty && prepared.refusals.length === 0) {
      for (const callId of prepared.calls) without.add(callId);
      prepared = await prepareUndo(selection, options, context, without);
    }
    const calls: Selection = { kind: "calls", ids: prepared.calls };
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#finish(prepared, selection, options, undos);
      } catch (error) {
        const isStale =
          error instanceof ToolError && error.code === "stale" && !(error instanceof RefusedUndo);
        if (!isStale || tries === maxTries) throw error;
      }
      // A file changed since the undo was planned. Plan the same calls again, from the current files.
      prepared = await prepareUndo(calls, options, context, without);
    }
  }

  async setCheckpoint(name?: string): Promise<Checkpoint> {
    return setCheckpoint(this.#parts.journal, name);
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    return listCheckpoints(this.#parts.journal);
  }

  /** Refuses a planned undo, or applies it. */
  async #finish(
    { plan, calls, refusals, notes, total, isEmpty }: PreparedUndo,
    selection: Selection,
    { paths, hunk, dryRun, signal, merge = false, skipChanged = false }: UndoOptions,
    undos: UndoRecords,
  ): Promise<UndoneChanges> {
    if (refusals.length > 0 && (!skipChanged || isEmpty)) throw refuseUndo(refusals, total, merge);
    if (isEmpty)
      return { calls, files: [], leftAlone: [], notes: calls.map((callId) => describeUndone(callId, undos)) };
    const files = await showPlan(plan, dryRun ? this.#parts : undefined);
    const leftAlone = refusals.map(({ path }) => path);
    const left = refusals.map(({ path, reason }) => `Left alone: ${showPath(path)} ${reason}.`);
    const since = Math.min(...calls.flatMap((id) => this.#parts.journal.find(id)?.startedAt ?? []));
    if (dryRun) return { calls, files, leftAlone, notes: [...notes, ...left], since };
    const isPart = paths !== undefined || refusals.length > 0;
    undos.add({
      by: this.#parts.callId,
      calls,
      paths: isPart ? files.map(({ path }) => path) : undefined,
      hunk,
      isRedo: selection.kind === "undo" || undefined,
    });
    const kept = await applyPlan(plan, { ...this.#parts, signal });
    const folders = kept.map((path) => `Kept ${showPath(path)}/: it is not empty.`);
    const lost = await lossesOf(calls, this.#parts);
    const notKept = this.#parts.environment.notKept ?? [];
    return {
      calls,
      files: files.filter(({ path }) => !kept.includes(path)),
      leftAlone,
      notes: [
        ...notes,
        ...left,
        ...folders,
        ...lost.map((what) => `Not restored: ${what}.`),
        ...notKept.map((what) => `A redo will not restore: ${what}.`),
      ],
      since,
    };
  }
}

/** The number of attempts. Each retry means that another process has changed a file. */
const maxTries = 20;

function describeUndone(callId: string, undos: UndoRecords): string {
  const by = undos.undoneBy(callId);
  return by === undefined ? `${callId}: nothing to undo.` : `${callId} was already undone, by ${by}.`;
}
