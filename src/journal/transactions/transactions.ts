import { setTimeout } from "node:timers/promises";
import type { ToolCall } from "../../contract/call.ts";
import type { Environment, RecoveredChange } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { PathGuard } from "../../contract/guard.ts";
import type { RolledBack, Transaction, Transactions } from "../../contract/history.ts";
import type { Scanner } from "../../engine/journal/effects/scanner.ts";
import { newIdentifier } from "../../lib/identifier.ts";
import type { TransactionMark, TransactionMarks } from "../../system/transaction-marks.ts";
import type { Blobs } from "../blobs.ts";
import type { Journal } from "../journal.ts";
import { protecting } from "../undo/plan-undo.ts";
import { addTransactionRecord, transactionsIn } from "./transaction-records.ts";

interface WorkspaceTransactionsParts extends RollbackParts {
  readonly marks: TransactionMarks;
  readonly scanner: Pick<Scanner, "settle">;
  /** Stops programs that ended processes have left running. */
  readonly endAbandoned: () => Promise<void>;
  /** Whether to leave an open transaction to the next instance that parks too, instead of rolling it back. */
  readonly parks: boolean;
}

/** The open transaction of an instance, and those that ended instances have left. */
export class WorkspaceTransactions {
  readonly #parts: WorkspaceTransactionsParts;
  #open: { readonly id: string; readonly name: string | undefined; readonly calls: string[] } | undefined;

  constructor(parts: WorkspaceTransactionsParts) {
    this.#parts = parts;
  }

  /** Rolls back the transactions of ended processes, and resumes a parked one. */
  async enter(): Promise<readonly RecoveredChange[]> {
    const { marks, parks } = this.#parts;
    const recovered: RecoveredChange[] = [];
    for (const mark of marks.list()) {
      if (mark.state === "abandoned" && marks.take(mark)) recovered.push(...(await this.#recover(mark)));
    }
    if (parks) await this.#takeParked();
    return recovered;
  }

  /** Adds a call that may change something to the open transaction, unless the call is a rollback. */
  join({ id, tool }: ToolCall): void {
    if (this.#open === undefined || (tool.canonical ?? tool.name) === "transaction.rollback") return;
    addTransactionRecord(this.#parts.journal, { id: this.#open.id, state: "open", call: id });
    this.#open.calls.push(id);
  }

  /** `mayUndo`: whether the policy allowed the call to write any file. */
  forCall({ id, tool }: Pick<ToolCall, "id" | "tool">, mayUndo: boolean): Transactions {
    return {
      begin: async (name) => this.#begin(name),
      current: async () => this.#needOpen(),
      commit: async () => this.#commit(),
      rollback: async ({ aside = false } = {}) => {
        if (!mayUndo) throw notDeclared(tool);
        return this.#rollBack((calls) =>
          aside
            ? rollBackAside(calls, this.#parts, "a check has failed")
            : rollBack(calls, { ...this.#parts, callId: id }),
        );
      },
    };
  }

  /** Parks or rolls back the open transaction. Returns messages for the user. */
  async leave(): Promise<readonly string[]> {
    const open = this.#open;
    if (open === undefined) return [];
    if (this.#parts.parks) {
      this.#open = undefined;
      this.#parts.marks.park(open.id);
      return [];
    }
    try {
      const aside = (calls: readonly string[]) =>
        rollBackAside(calls, this.#parts, "its instance was closed");
      const { notes } = await this.#rollBack(aside, { isLast: true });
      return [`${titleOf(open)} was still open when its instance was closed, and was rolled back.`, ...notes];
    } catch (error) {
      this.#open = undefined;
      this.#parts.marks.abandon(open.id);
      const { message } = error as Error;
      return [`${titleOf(open)} could not be rolled back: ${message}. The next start tries again.`];
    }
  }

  #begin(name: string | undefined): Transaction {
    if (this.#open !== undefined)
      throw new ToolError("already-exists", `${titleOf(this.#open)} is already open`, {
        hint: "Commit it or roll it back first: transactions do not nest.",
      });
    const { marks, journal, parks } = this.#parts;
    const id = newIdentifier("transaction");
    marks.begin(id, { isShared: parks });
    addTransactionRecord(journal, { id, state: "open", name });
    this.#open = { id, name, calls: [] };
    return { id, name, calls: [] };
  }

  #commit(): Transaction {
    const open = this.#needOpen();
    this.#end({ id: open.id, state: "committed" });
    return open;
  }

  async #rollBack(
    act: (calls: readonly string[]) => Promise<Rollback>,
    { isLast = false } = {},
  ): Promise<RolledBack> {
    const open = this.#needOpen();
    const rollback = await act(open.calls);
    if (rollback.left.length === 0 || isLast) this.#end(rolledBack(open.id, rollback.left));
    return { ...open, ...rollback };
  }

  #end(record: Parameters<typeof addTransactionRecord>[1]): void {
    addTransactionRecord(this.#parts.journal, record);
    this.#parts.marks.end(record.id);
    this.#open = undefined;
  }

  #needOpen(): Transaction {
    if (this.#open !== undefined) return { ...this.#open, calls: [...this.#open.calls] };
    throw new ToolError("not-found", "No transaction is open", { hint: "Begin one with transaction.begin." });
  }

  async #recover({ id }: TransactionMark): Promise<readonly RecoveredChange[]> {
    const { journal, marks, scanner, endAbandoned } = this.#parts;
    try {
      const found = transactionsIn(journal).find((transaction) => transaction.id === id);
      if (found?.state !== "open") {
        marks.end(id);
        return [];
      }
      // The changes of the last command are part of the transaction, and the command must not continue.
      await endAbandoned();
      await scanner.settle();
      const { paths, left } = await rollBackAside(found.calls, this.#parts, "its process died");
      addTransactionRecord(journal, rolledBack(id, left));
      marks.end(id);
      return [{ outcome: "taken back", transaction: id, paths, leftAlone: left }];
    } catch {
      marks.abandon(id);
      return [{ outcome: "failed", transaction: id, paths: [], leftAlone: [] }];
    }
  }

  async #takeParked(): Promise<void> {
    for (let waited = 0; ; waited += waitMs) {
      const shared = this.#parts.marks.list().filter(({ isShared }) => isShared);
      const parked = shared.find(({ state }) => state === "parked");
      if (parked && this.#parts.marks.take(parked)) return this.#resume(parked);
      if (shared.length === 0) return;
      if (waited > maxWaitMs)
        throw new ToolError("unavailable", `Another process is using the transaction ${shared[0]!.id}`, {
          hint: "Try again when it has finished.",
        });
      await setTimeout(waitMs);
    }
  }

  #resume({ id }: TransactionMark): void {
    const found = transactionsIn(this.#parts.journal).find((transaction) => transaction.id === id);
    if (found?.state === "open") this.#open = { ...found, calls: [...found.calls] };
    else this.#parts.marks.end(id);
  }
}

const waitMs = 20;
const maxWaitMs = 10_000;

function rolledBack(id: string, left: readonly string[]): Parameters<typeof addTransactionRecord>[1] {
  return { id, state: "rolled back", left: left.length > 0 ? left : undefined };
}

function titleOf({ id, name }: Transaction): string {
  return `The transaction ${name === undefined ? id : `"${name}" (${id})`}`;
}

interface RollbackParts {
  readonly journal: Journal;
  readonly blobs: Blobs;
  /** Returns the workspace without its guard, as for every undo. */
  readonly unguarded: () => Environment;
  readonly session: string;
  readonly guard: PathGuard;
}

type Rollback = Pick<RolledBack, "paths" | "left" | "notes">;

/** Undoes calls as part of another call, which can itself be undone. */
async function rollBack(
  calls: readonly string[],
  { callId, ...parts }: RollbackParts & { readonly callId: string },
): Promise<Rollback> {
  const { JournalHistory } = await import("../undo/history.ts");
  const { RefusedUndo } = await import("../undo/refusals.ts");
  const { keepingEnvironment } = await import("../keep/keeping-environment.ts");
  const environment = keepingEnvironment(parts.unguarded(), { ...parts, callId });
  const refuses = protecting(parts.guard, environment.workspace);
  const scope = { session: parts.session, calls: "workspace", refuses } as const;
  const history = new JournalHistory({ ...parts, environment, callId, scope });
  try {
    const { files, leftAlone, notes } = await history.undo(
      { kind: "calls", ids: calls },
      { skipChanged: true },
    );
    return { paths: files.map(({ path }) => path), left: leftAlone, notes };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    // There are no recorded changes to undo.
    if (error.code === "not-found") {
      const { lossesOf } = await import("../undo/losses.ts");
      const lost = await lossesOf(calls, { ...parts, environment });
      return { paths: [], left: [], notes: lost.map((what) => `Not restored: ${what}.`) };
    }
    if (error.code !== "stale" && !(error instanceof RefusedUndo)) throw error;
    const changed = parts.journal.changesOf(calls).map(({ path }) => path);
    return { paths: [], left: [...new Set(changed)], notes: [error.message] };
  }
}

/** Does the same as `rollBack`, recorded as a separate call by the instance itself. */
async function rollBackAside(calls: readonly string[], parts: RollbackParts, why: string): Promise<Rollback> {
  const callId = newIdentifier("call");
  const attempt = { callId, tool: "transaction.rollback", input: { why }, startedAt: Date.now() };
  const end = (outcome: "ok" | ToolError["code"], message: string | undefined) =>
    parts.journal.finish(attempt, {
      outcome,
      message,
      outputHandle: undefined,
      durationMs: Date.now() - attempt.startedAt,
      account: {},
    });
  parts.journal.begin(attempt);
  try {
    const rollback = await rollBack(calls, { ...parts, callId });
    end("ok", rollback.notes.join(" ") || undefined);
    return rollback;
  } catch (error) {
    const { code, message } = error instanceof ToolError ? error : new ToolError("internal", String(error));
    end(code, message);
    throw error;
  }
}

function notDeclared({ name, canonical = name }: ToolCall["tool"]): ToolError {
  return new ToolError("denied", `${canonical} rolls changes back without declaring it`, {
    hint: 'Name the workspace in `accesses`: { kind: "write", path: "." }',
  });
}
