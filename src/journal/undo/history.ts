import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { PathGuard } from "../../contract/guard.ts";
import type {
  ChangedFile,
  ChangedFiles,
  Checkpoint,
  EntryState,
  History,
  Selection,
  Undone,
  UndoOptions,
} from "../../contract/history.ts";
import { showPath } from "../../text/show-path.ts";
import type { Blobs } from "../blobs.ts";
import type { Journal, RecordedChange } from "../journal.ts";
import { WholeTransactions } from "../transactions/whole-transactions.ts";
import { applyPlan } from "./apply-plan.ts";
import { listCheckpoints, setCheckpoint } from "./checkpoints.ts";
import { Contents } from "./contents.ts";
import { LaterCalls } from "./later-calls.ts";
import { lookAt } from "./look-at.ts";
import { netChanges, type Phase } from "./net-changes.ts";
import { planUndo, type UndoPlan } from "./plan-undo.ts";
import { refuseUndo } from "./refusals.ts";
import { type Reach, selectChanges } from "./select-calls.ts";
import { settleConflicts } from "./settle-conflicts.ts";
import { showChange } from "./show-change.ts";
import { onlyHunk } from "./take-out-hunk.ts";
import { UndoRecords } from "./undo-records.ts";
import { withinPaths } from "./within-paths.ts";

export interface HistoryParts {
  readonly journal: Journal;
  readonly blobs: Pick<Blobs, "has" | "read">;
  /** Where an undo acts; what it changes is kept, as for any call. */
  readonly environment: Environment;
  /** The call that asks. */
  readonly callId: string;
  readonly reach: Reach;
  /** What may not be read is not shown either, as it was in the past. */
  readonly guard?: PathGuard | undefined;
  /** Completes what is on record of calls whose process died. */
  readonly settle?: () => Promise<unknown>;
}

/** What earlier calls changed, as one call sees it. */
export class JournalHistory implements History {
  readonly #parts: HistoryParts;
  readonly #contents: Contents;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
    this.#contents = new Contents(parts);
  }

  async changes(
    selection: Selection,
    options: { readonly paths?: readonly string[] } = {},
  ): Promise<ChangedFiles> {
    const { journal, environment, reach } = this.#parts;
    await this.#parts.settle?.();
    const undos = UndoRecords.of(journal);
    const wholes = new WholeTransactions(journal).apart;
    const all = selectChanges(selection, { journal, undos, wholes, reach: { ...reach, calls: "workspace" } });
    const changes = withinPaths(all, options.paths, environment.workspace);
    const phases = netChanges(changes, () => false);
    await lookAt(phases, environment, this.#contents, undefined);
    const files: ChangedFile[] = [];
    for (const { nets, move } of phases.toReversed()) {
      if (move) files.push(movedFile(move.from, move.to, move.state));
      for (const { path, pieces } of nets)
        for (const { before, after } of pieces.toReversed())
          files.push(await this.#show(path, before, after));
    }
    return { calls: callsOf(changes), files };
  }

  async undo(selection: Selection, options: UndoOptions = {}): Promise<Undone> {
    await this.#parts.settle?.();
    const undos = UndoRecords.of(this.#parts.journal);
    for (const without = new Set<string>(); ; ) {
      const undone = await this.#undoSelected(selection, options, undos, without);
      // The latest call may have failed before it changed anything: what is wanted is one that did.
      if (selection.kind !== "last" || undone.files.length > 0) return undone;
      for (const callId of undone.calls) without.add(callId);
    }
  }

  async #undoSelected(
    selection: Selection,
    options: UndoOptions,
    undos: UndoRecords,
    without: ReadonlySet<string>,
  ): Promise<Undone> {
    const { journal, environment, reach } = this.#parts;
    const together = new WholeTransactions(journal);
    const wholes = options.hunk === undefined ? together : together.apart;
    const selected = selectChanges(selection, { journal, undos, wholes, reach, without });
    if (selected.length === 0) throw nothingToUndo(selection);
    const changes = withinPaths(selected, options.paths, environment.workspace);
    const calls = callsOf(changes);
    refuseRunning(calls, journal, reach);
    const phases = await this.#phasesOf(changes, undos, options);
    const present = await lookAt(phases, environment, this.#contents, options.signal);
    const { plan, refusals, ...settled } = await settleConflicts(planUndo(phases, present), {
      merge: options.merge ?? false,
      contents: this.#contents,
      later: new LaterCalls({ journal, environment, contents: this.#contents, changes }),
    });
    const isTogether = options.hunk === undefined && selection.kind !== "checkpoint";
    const notes = [...(isTogether ? together.describe(calls) : []), ...settled.notes];
    const total = phases.reduce((count, { nets, move }) => count + nets.length + (move ? 1 : 0), 0);
    const isEmpty = plan.phases.every(({ steps, move }) => steps.length === 0 && !move);
    if (refusals.length > 0 && (!options.skipChanged || isEmpty))
      throw refuseUndo(refusals, total, options.merge ?? false);
    const left = refusals.map(({ path, reason }) => `Left alone: ${showPath(path)} ${reason}.`);
    if (isEmpty)
      return {
        calls,
        files: [],
        leftAlone: [],
        notes: calls.map((callId) => sayAlreadyUndone(callId, undos)),
      };
    const files = await this.#filesOf(plan, { withDiffs: options.dryRun ?? false });
    if (options.dryRun) return { calls, files, leftAlone: left, notes: [...notes, ...left] };
    const isPart = options.paths !== undefined || refusals.length > 0;
    undos.add({
      by: this.#parts.callId,
      calls,
      ...(isPart ? { paths: files.map(({ path }) => path) } : {}),
      ...(options.hunk === undefined ? {} : { hunk: options.hunk }),
      ...(selection.kind === "undo" ? { isRedo: true as const } : {}),
    });
    const kept = await applyPlan(plan, { environment, contents: this.#contents, signal: options.signal });
    const folders = kept.map((path) => `Left ${showPath(path)}/ where it is: something else is in it.`);
    const notCovered = calls.flatMap((callId) => journal.find(callId)?.notCovered ?? []);
    return {
      calls,
      files: files.filter(({ path }) => !kept.includes(path)),
      leftAlone: left,
      notes: [...notes, ...left, ...folders, ...notCovered.map((what) => `Not brought back: ${what}.`)],
    };
  }

  async setCheckpoint(name?: string): Promise<Checkpoint> {
    return setCheckpoint(this.#parts.journal, name);
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    return listCheckpoints(this.#parts.journal);
  }

  async #phasesOf(
    changes: readonly RecordedChange[],
    undos: UndoRecords,
    { hunk }: UndoOptions,
  ): Promise<readonly Phase[]> {
    const calls = new Set(callsOf(changes));
    const unsure = new Set([...calls].filter((callId) => this.#parts.journal.find(callId)?.outcome !== "ok"));
    const phases = netChanges(
      changes,
      ({ callId, path }) => unsure.has(callId) || undos.mayBeUndone(callId, path, calls),
    );
    if (hunk === undefined) return phases;
    const [phase, ...otherPhases] = phases;
    const [net, ...otherNets] = phase?.nets ?? [];
    if (net === undefined || otherNets.length > 0 || otherPhases.length > 0 || phase?.move)
      throw new ToolError("invalid-input", "A hunk is one of a single file", {
        hint: "Name the file of which it is, with its path.",
      });
    await lookAt(phases, this.#parts.environment, this.#contents, undefined);
    return [{ nets: [await onlyHunk(net, hunk, this.#contents)], move: undefined }];
  }

  async #filesOf(
    { phases }: UndoPlan,
    { withDiffs }: { readonly withDiffs: boolean },
  ): Promise<readonly ChangedFile[]> {
    const files: ChangedFile[] = [];
    for (const { steps, move } of phases) {
      for (const { path, now, wanted } of steps)
        files.push(
          withDiffs ? await this.#show(path, now, wanted) : { path, before: now, after: wanted, diff: "" },
        );
      if (move) files.push(movedFile(move.to, move.from, move.state));
    }
    return files;
  }

  async #show(path: string, before: EntryState, after: EntryState): Promise<ChangedFile> {
    const { guard, environment } = this.#parts;
    const refusal = guard?.("read", `${environment.workspace}/${path}`);
    const diff = refusal
      ? `${showPath(path)} ${refusal.reason} (${refusal.rule}): not shown\n`
      : await showChange(path, before, after, this.#contents);
    return { path, before, after, diff };
  }
}

function callsOf(changes: readonly RecordedChange[]): readonly string[] {
  return [...new Set(changes.map(({ callId }) => callId))];
}

function movedFile(movedFrom: string, path: string, state: EntryState): ChangedFile {
  const diff = `moved ${showPath(movedFrom)} to ${showPath(path)}\n`;
  return { path, before: state, after: state, movedFrom, diff };
}

function nothingToUndo({ kind }: Selection): ToolError {
  const message =
    kind === "undo" ? "There is no undo to take back" : "There is nothing to undo: no files were changed";
  return new ToolError("not-found", message, { hint: "A person sees what was done with: toolcrib log." });
}

/** Calls of this session take turns, or are on record only when they have ended. */
function refuseRunning(calls: readonly string[], journal: Journal, { session }: Reach): void {
  const running = journal
    .running()
    .find(
      ({ callId, isAlive }) => isAlive && calls.includes(callId) && journal.find(callId)?.session !== session,
    );
  if (running === undefined) return;
  throw new ToolError("unavailable", `${running.callId} is still running; nothing was undone`, {
    hint: "Wait until it has ended, or end it, and try again.",
  });
}

function sayAlreadyUndone(callId: string, undos: UndoRecords): string {
  const by = undos.undoneBy(callId);
  return by === undefined
    ? `${callId}: nothing to do, all is as it was before.`
    : `${callId} was already undone, by ${by}.`;
}
