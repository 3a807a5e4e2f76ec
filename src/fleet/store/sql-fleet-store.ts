import { ToolError } from "../../contract/error.ts";
import {
  type Admission,
  type Claim,
  type ClaimResult,
  type Fleet,
  type FleetCounts,
  type FleetSettings,
  type FleetStore,
  type FleetWorker,
  type LaneState,
  type RequestEstimate,
  type Run,
  type RunFilter,
  type RunOutcome,
  type RunResult,
  type RunSpec,
  type RunState,
  runOutcomes,
  runStates,
  type Submission,
} from "../fleet.ts";
import { runId } from "../run-id.ts";
import { decideClaim } from "./claim-rules.ts";
import { RequestLedger } from "./request-ledger.ts";
import {
  type FleetRow,
  type RunRow,
  runColumns,
  toFleet,
  toRun,
  toWorker,
  type WorkerRow,
  whereRuns,
} from "./rows.ts";
import type { Query, SqlDatabase, SqlValue } from "./sql-database.ts";

export interface LeaseOptions {
  /** A worker that was not seen for so long is dead. */
  readonly leaseMs: number;
  /** A run whose machine had no worker for so long starts over on another machine. */
  readonly adoptAfterMs: number;
}

export class SqlFleetStore implements FleetStore {
  readonly #database: SqlDatabase;
  readonly #options: LeaseOptions;
  readonly #ledger: RequestLedger;

  constructor(database: SqlDatabase, options: LeaseOptions) {
    this.#database = database;
    this.#options = options;
    this.#ledger = new RequestLedger(database, (worker) => this.#isAlive(`w.id = ${worker}`));
  }

  async submit(name: string, settings: FleetSettings, specs: readonly RunSpec[]): Promise<Submission> {
    const byId = new Map(specs.map((spec) => [runId(spec), spec]));
    if (specs.some(({ fleet }) => fleet !== name))
      throw new ToolError("invalid-input", `A run of another fleet cannot be submitted to ${name}.`);
    const { now } = this.#database.dialect;
    const ids = [...byId.keys()];
    return this.#database.transaction(async (query) => {
      // Runs are locked before their fleet, as by requests.
      const again = await this.#reinstate(query, name, ids);
      const superseded = await this.#supersede(query, name, ids, specs);
      const [fleet] = await query<{ now: number; last: number }>(
        `INSERT INTO fleets (name, settings, created_at) VALUES ($1, $2, ${now})
         ON CONFLICT (name) DO UPDATE SET settings = excluded.settings
         RETURNING ${now} AS now, (SELECT coalesce(max(position), 0) FROM runs WHERE fleet = $1) AS last`,
        [name, JSON.stringify(settings)],
      );
      const isNew = new Set<string>();
      const entries = [...byId];
      for (let first = 0; first < entries.length; first += rowsAtOnce) {
        const rows = entries.slice(first, first + rowsAtOnce).map(([id, spec], index): SqlValue[] => {
          const position = fleet!.last + first + index + 1;
          return [id, name, position, spec.task, JSON.stringify(spec), fleet!.now];
        });
        const inserted = await query<{ id: string }>(
          `INSERT INTO runs (id, fleet, position, task, spec, created_at) VALUES ${placeholders(rows)}
           ON CONFLICT (id) DO NOTHING RETURNING id`,
          rows.flat(),
        );
        for (const { id } of inserted) isNew.add(id);
      }
      const added = ids.filter((id) => isNew.has(id) || again.has(id));
      return { added, known: byId.size - added.length, superseded };
    });
  }

  /** Counts runs again whose spec was submitted again. Returns those that have to run, because they were cancelled. */
  async #reinstate(query: Query, fleet: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const given = this.#database.dialect.listIn("$2");
    const values = [fleet, JSON.stringify(ids)];
    const cancelled = await query<{ id: string }>(
      `UPDATE runs SET ${startedOver} WHERE fleet = $1 AND id IN ${given} AND outcome = 'cancelled'
         AND id IN (SELECT run FROM superseded) RETURNING id`,
      values,
    );
    await query(`DELETE FROM superseded WHERE fleet = $1 AND run IN ${given}`, values);
    return new Set(cancelled.map(({ id }) => id));
  }

  /** Supersedes the other runs of the same tasks, and cancels those that have not ended. */
  async #supersede(
    query: Query,
    fleet: string,
    ids: readonly string[],
    specs: readonly RunSpec[],
  ): Promise<readonly string[]> {
    const { now, listIn, forUpdate } = this.#database.dialect;
    const others = await query<{ id: string; state: RunState }>(
      `SELECT id, state FROM runs WHERE fleet = $1 AND task IN ${listIn("$2")} AND id NOT IN ${listIn("$3")}
         AND id NOT IN (SELECT run FROM superseded) ORDER BY position ${forUpdate}`,
      [fleet, JSON.stringify(specs.map(({ task }) => task)), JSON.stringify(ids)],
    );
    for (const { id, state } of others) {
      await query("INSERT INTO superseded (run, fleet) VALUES ($1, $2)", [id, fleet]);
      if (state === "ended") continue;
      const end = `, state = 'ended', outcome = 'cancelled', reason = 'Its task was edited.', ended_at = ${now}, worker = NULL`;
      // The worker of a running one ends it at its next heartbeat.
      await query(`UPDATE runs SET is_cancelled = 1${state === "running" ? "" : end} WHERE id = $1`, [id]);
    }
    return others.map(({ id }) => id);
  }

  async fleets(): Promise<readonly Fleet[]> {
    const rows = await this.#database.query<FleetRow>("SELECT * FROM fleets ORDER BY created_at, name");
    return rows.map(toFleet);
  }

  async fleet(name: string): Promise<Fleet | undefined> {
    const [row] = await this.#database.query<FleetRow>("SELECT * FROM fleets WHERE name = $1", [name]);
    return row && toFleet(row);
  }

  async run(id: string): Promise<Run | undefined> {
    const [row] = await this.#database.query<RunRow>(`SELECT ${runColumns} FROM runs WHERE id = $1`, [id]);
    return row && toRun(row);
  }

  async runs(filter: RunFilter): Promise<readonly Run[]> {
    const { where, values } = whereRuns(filter, this.#database.dialect);
    const rows = await this.#database.query<RunRow>(
      `SELECT ${runColumns} FROM runs WHERE ${where} ORDER BY position`,
      values,
    );
    return rows.map(toRun);
  }

  async runPage(
    filter: RunFilter,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly runs: readonly Run[]; readonly total: number }> {
    const { where, values } = whereRuns(filter, this.#database.dialect);
    const { query } = this.#database;
    const [rows, counted] = await Promise.all([
      query<RunRow>(
        `SELECT ${runColumns} FROM runs WHERE ${where} ORDER BY position LIMIT $${values.length + 1} OFFSET $${values.length + 2}`,
        [...values, limit, offset],
      ),
      query<{ runs: number }>(`SELECT count(*) AS runs FROM runs WHERE ${where}`, values),
    ]);
    return { runs: rows.map(toRun), total: Number(counted[0]?.runs ?? 0) };
  }

  async latestEnds(fleet: string, limit: number): Promise<readonly number[]> {
    const rows = await this.#database.query<{ ended_at: number }>(
      "SELECT ended_at FROM runs WHERE fleet = $1 AND state = 'ended' ORDER BY ended_at DESC LIMIT $2",
      [fleet, limit],
    );
    return rows.map(({ ended_at }) => ended_at);
  }

  async counts(fleet: string): Promise<FleetCounts> {
    const rows = await this.#database.query<{ state: RunState; outcome: RunOutcome | null; runs: number }>(
      `SELECT state, outcome, count(*) AS runs FROM runs
       WHERE fleet = $1 AND id NOT IN (SELECT run FROM superseded WHERE fleet = $1) GROUP BY state, outcome`,
      [fleet],
    );
    const states = Object.fromEntries(runStates.map((state) => [state, 0])) as Record<RunState, number>;
    const outcomes = Object.fromEntries(runOutcomes.map((name) => [name, 0])) as Record<RunOutcome, number>;
    for (const { state, outcome, runs } of rows) {
      if (state in states) states[state] += Number(runs);
      if (outcome !== null && outcome in outcomes) outcomes[outcome] += Number(runs);
    }
    return { states, outcomes, cost: (await this.fleet(fleet))?.spent ?? 0 };
  }

  claim(run: string, worker: string): Promise<ClaimResult> {
    const { now, forUpdate } = this.#database.dialect;
    let attempted: number | undefined;
    const success = (row: RunRow): ClaimResult => {
      return { claimed: true, run: toRun(row), claim: { run, worker, delivery: row.delivery } };
    };
    return this.#database.transaction(async (query) => {
      const [row] = await query<RunRow & ClaimRow>(
        `SELECT runs.*, ${now} AS now,
           (SELECT machine FROM workers WHERE id = $2) AS own_machine,
           CASE WHEN ${this.#isAlive("w.id = runs.worker")} THEN 1 ELSE 0 END AS is_worker_alive,
           CASE WHEN ${this.#isAlive("w.machine = runs.machine")} THEN 1 ELSE 0 END AS is_machine_alive,
           (SELECT max(seen_at) FROM workers w WHERE w.machine = runs.machine) AS machine_seen_at
         FROM runs WHERE id = $1 ${forUpdate}`,
        [run, worker],
      );
      if (row === undefined) return { claimed: false, again: undefined };
      if (row.own_machine === null)
        throw new ToolError("invalid-input", `Worker ${worker} has not sent a heartbeat.`);
      // The answer of the first attempt was lost.
      if (row.state === "running" && row.worker === worker && row.delivery === attempted) return success(row);
      const decision = decideClaim({
        state: row.state,
        notBefore: row.not_before,
        now: row.now,
        isWorkerAlive: row.is_worker_alive === 1,
        isElsewhere: row.session !== null && row.machine !== row.own_machine,
        isMachineAlive: row.is_machine_alive === 1,
        machineSeenAt: row.machine_seen_at,
        adoptAfterMs: this.#options.adoptAfterMs,
      });
      if (decision.kind === "later") return { claimed: false, again: decision.again };
      const session = decision.kind === "restart" ? null : row.session;
      attempted = row.delivery + 1;
      const [claimed] = await query<RunRow>(
        `UPDATE runs SET state = 'running', delivery = delivery + 1, deliveries = deliveries + 1, worker = $2,
           machine = $3, session = $4, claimed_at = ${now}, started_at = coalesce(started_at, ${now}), reason = NULL
         WHERE id = $1 RETURNING *`,
        [run, worker, row.own_machine, session],
      );
      if (row.delivery > 0) await this.#ledger.settleRun(query, run);
      return success(claimed!);
    });
  }

  async ready(limit: number, fleet?: string): Promise<readonly string[]> {
    const rows = await this.#database.query<{ id: string }>(
      `SELECT id FROM runs WHERE state <> 'ended' AND (
         (state <> 'running' AND not_before <= ${this.#database.dialect.now})
         OR (state = 'running' AND NOT ${this.#isAlive("w.id = runs.worker")}))
         ${fleet === undefined ? "" : "AND fleet = $2"}
       ORDER BY created_at, position LIMIT $1`,
      [limit, ...(fleet === undefined ? [] : [fleet])],
    );
    return rows.map(({ id }) => id);
  }

  heartbeat(
    worker: Omit<FleetWorker, "seenAt">,
    claims: readonly Claim[],
  ): Promise<readonly { claim: Claim; isValid: boolean; isCancelled: boolean }[]> {
    const { now } = this.#database.dialect;
    const { id, machine, host, pid, startedAt, slots, isDraining } = worker;
    return this.#database.transaction(async (query) => {
      await query(
        `INSERT INTO workers (id, machine, host, pid, started_at, slots, is_draining, seen_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, ${now}) ON CONFLICT (id) DO UPDATE
         SET seen_at = excluded.seen_at, slots = excluded.slots, is_draining = excluded.is_draining, is_gone = 0`,
        [id, machine, host, pid, startedAt, slots, isDraining ? 1 : 0],
      );
      await query(`DELETE FROM workers WHERE seen_at < ${now} - ${forgetWorkerMs}`);
      const rows = await query<{ id: string; delivery: number; is_cancelled: number; is_old: number }>(
        `SELECT id, delivery, is_cancelled,
           CASE WHEN claimed_at < ${now} - ${this.#options.leaseMs} THEN 1 ELSE 0 END AS is_old
         FROM runs WHERE worker = $1 AND state = 'running'`,
        [id],
      );
      const answers = claims.map((claim) => {
        const row = rows.find((row) => row.id === claim.run && row.delivery === claim.delivery);
        return { claim, isValid: row !== undefined, isCancelled: row?.is_cancelled === 1 };
      });
      // The worker never learned of these claims: the connection was lost before their answer arrived.
      const lost = rows.filter((row) => row.is_old === 1 && !claims.some(({ run }) => run === row.id));
      for (const { id: run, delivery } of lost)
        await leave(query, { run, worker: id, delivery }, putBack, []);
      return answers;
    });
  }

  async setSession(claim: Claim, session: string): Promise<boolean> {
    const rows = await this.#database.query(
      `UPDATE runs SET session = $4 WHERE id = $1 AND worker = $2 AND delivery = $3 AND state = 'running'
       RETURNING id`,
      [claim.run, claim.worker, claim.delivery, session],
    );
    return rows.length === 1;
  }

  park(claim: Claim, notBefore: number, reason: string): Promise<boolean> {
    const { now } = this.#database.dialect;
    const change = `state = 'parked', deliveries = deliveries - 1, not_before = $4, reason = $5,
      parked_since = coalesce(parked_since, ${now})`;
    return this.#leave(claim, change, [notBefore, plain(reason)], "parked");
  }

  release(claim: Claim): Promise<boolean> {
    return this.#leave(claim, putBack, [], "waiting");
  }

  end(claim: Claim, outcome: RunOutcome, reason: string, result: RunResult): Promise<boolean> {
    const change = `state = 'ended', ended_at = ${this.#database.dialect.now}, parked_since = NULL,
      outcome = $4, reason = $5, result = $6`;
    return this.#leave(claim, change, [outcome, plain(reason), JSON.stringify(result)], "ended");
  }

  /** Ends a claim. True also when an earlier attempt of the same claim has done it. */
  #leave(claim: Claim, change: string, values: readonly SqlValue[], next: RunState): Promise<boolean> {
    return this.#database.transaction(async (query) => {
      const [row] = await query<{ state: RunState; worker: string | null; delivery: number }>(
        `SELECT state, worker, delivery FROM runs WHERE id = $1 ${this.#database.dialect.forUpdate}`,
        [claim.run],
      );
      if (row?.worker !== claim.worker || row.delivery !== claim.delivery) return false;
      if (row.state !== "running") return row.state === next;
      await leave(query, claim, change, values);
      await this.#ledger.settleRun(query, claim.run);
      return true;
    });
  }

  async removeWorker(id: string): Promise<void> {
    await this.#database.query("UPDATE workers SET is_gone = 1 WHERE id = $1", [id]);
  }

  async workers(): Promise<readonly FleetWorker[]> {
    const rows = await this.#database.query<WorkerRow>(
      "SELECT * FROM workers WHERE is_gone = 0 ORDER BY started_at, id",
    );
    return rows.map(toWorker);
  }

  admit(estimate: RequestEstimate): Promise<Admission> {
    return this.#ledger.admit(estimate);
  }

  settle(request: string, actual: { readonly tokens: number; readonly cost: number }): Promise<void> {
    return this.#ledger.settle(request, actual);
  }

  pauseLane(lane: string, milliseconds: number): Promise<void> {
    return this.#ledger.pauseLane(lane, milliseconds);
  }

  lanes(): Promise<readonly LaneState[]> {
    return this.#ledger.lanes();
  }

  cancel(filter: RunFilter): Promise<readonly string[]> {
    const { now, forUpdate } = this.#database.dialect;
    const { where, values } = whereRuns(filter, this.#database.dialect);
    return this.#database.transaction(async (query) => {
      const runs = await query<{ id: string; is_worked_on: number }>(
        `SELECT id, CASE WHEN state = 'running' AND ${this.#isAlive("w.id = runs.worker")} THEN 1 ELSE 0 END AS is_worked_on
         FROM runs WHERE state <> 'ended' AND ${where} ORDER BY position ${forUpdate}`,
        values,
      );
      for (const { id, is_worked_on } of runs) {
        // Without a worker, so that no late worker takes this end for its own.
        const change = `state = 'ended', outcome = 'cancelled', reason = 'The user cancelled it.', ended_at = ${now},
          worker = NULL`;
        await query(
          `UPDATE runs SET is_cancelled = 1${is_worked_on === 1 ? "" : `, ${change}`} WHERE id = $1`,
          [id],
        );
        if (is_worked_on === 0) await this.#ledger.settleRun(query, id);
      }
      return runs.map(({ id }) => id);
    });
  }

  async endUnpaid(name: string): Promise<readonly string[]> {
    const { now, forUpdate } = this.#database.dialect;
    const fleet = await this.fleet(name);
    const budget = fleet?.settings.budget ?? Number.POSITIVE_INFINITY;
    if (fleet === undefined || fleet.spent < budget) return [];
    return this.#database.transaction(async (query) => {
      // Locked in the order in which other changes of many runs lock them.
      const runs = await query<{ id: string }>(
        `SELECT id FROM runs WHERE fleet = $1 AND state IN ('waiting', 'parked') ORDER BY position ${forUpdate}`,
        [name],
      );
      for (const { id } of runs)
        await query(
          `UPDATE runs SET state = 'ended', outcome = 'budget', reason = 'The budget of the fleet is used up.',
             ended_at = ${now}, worker = NULL, parked_since = NULL WHERE id = $1`,
          [id],
        );
      return runs.map(({ id }) => id);
    });
  }

  async retry(filter: RunFilter): Promise<readonly string[]> {
    const { where, values } = whereRuns(filter, this.#database.dialect);
    const rows = await this.#database.query<{ id: string }>(
      `UPDATE runs SET ${startedOver} WHERE state = 'ended' AND ${where} RETURNING id`,
      values,
    );
    return rows.map(({ id }) => id);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** A condition: a living worker `w` matches. */
  #isAlive(match: string): string {
    const { now, startedAt } = this.#database.dialect;
    const since = `${now} - ${this.#options.leaseMs}`;
    return `EXISTS (SELECT 1 FROM workers w WHERE ${match} AND w.is_gone = 0
      AND (w.seen_at >= ${since} OR ${startedAt} >= ${since}))`;
  }
}

interface ClaimRow {
  readonly now: number;
  readonly own_machine: string | null;
  readonly is_worker_alive: number;
  readonly is_machine_alive: number;
  readonly machine_seen_at: number | null;
}

/** Keeps the number of parameters of a statement below the limits of both databases. */
const rowsAtOnce = 500;

/** A dead worker is listed for a day; its machine is remembered as long. */
const forgetWorkerMs = 24 * 60 * 60 * 1000;

const putBack = "state = 'waiting', deliveries = deliveries - 1";

const startedOver = `state = 'waiting', deliveries = 0, worker = NULL, machine = NULL, session = NULL, not_before = 0,
  parked_since = NULL, is_cancelled = 0, started_at = NULL, ended_at = NULL, reason = NULL, outcome = NULL, result = NULL`;

/** Changes a run if the claim still has it, with the parameters of `change` from `$4`. */
async function leave(query: Query, claim: Claim, change: string, values: readonly SqlValue[]): Promise<void> {
  await query(
    `UPDATE runs SET ${change} WHERE id = $1 AND worker = $2 AND delivery = $3 AND state = 'running'`,
    [claim.run, claim.worker, claim.delivery, ...values],
  );
}

function placeholders(rows: readonly (readonly SqlValue[])[]): string {
  let last = 0;
  return rows.map((row) => `(${row.map(() => `$${++last}`).join(", ")})`).join(", ");
}

/** PostgreSQL stores every character but NUL. */
function plain(text: string): string {
  return text.replaceAll("\0", "");
}
