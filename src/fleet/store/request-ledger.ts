import { newIdentifier } from "../../lib/identifier.ts";
import type { Admission, LaneLimits, LaneState, RequestEstimate, RunState } from "../fleet.ts";
import type { Query, SqlDatabase } from "./sql-database.ts";
import { readFleetSettings } from "./stored-values.ts";

/**
 * The money and the tokens of all requests to models. Open requests are rows; settled ones are only counted.
 * Transactions lock in this order: the run, its fleet, the lane.
 */
export class RequestLedger {
  readonly #database: SqlDatabase;
  /** A condition on the worker in the column that is given. */
  readonly #isAlive: (worker: string) => string;

  constructor(database: SqlDatabase, isAlive: (worker: string) => string) {
    this.#database = database;
    this.#isAlive = isAlive;
  }

  async admit(estimate: RequestEstimate): Promise<Admission> {
    // Chosen here, so that an attempt after a lost answer finds the request of the first one.
    const request = newIdentifier("request");
    let attempts = 0;
    const admission = await this.#database.transaction(async (query): Promise<Admission> => {
      attempts += 1;
      if (attempts > 1 && (await isOpen(query, request))) return { admitted: true, request };
      return this.#admit(query, request, estimate);
    });
    // A dead worker's requests would block this one until their run is claimed again, which may need this very slot.
    if (!admission.admitted && admission.why === "wait") await this.#settleDead();
    return admission;
  }

  /** Two statements: other requests of the fleet and of the lane wait until the transaction ends. */
  async #admit(query: Query, request: string, estimate: RequestEstimate): Promise<Admission> {
    const found = await this.#lock(query, estimate);
    if (found?.state !== "running" || found.worker !== estimate.worker || found.is_cancelled === 1)
      return { admitted: false, why: "cancelled" };
    const settings = readFleetSettings(found.settings);
    const budget = settings.budget ?? Number.POSITIVE_INFINITY;
    if (found.spent >= budget) return { admitted: false, why: "budget" };
    const limits = settings.lanes[estimate.lane] ?? { concurrency: null, tokensPerMinute: null };
    const used = leak(found, limits);
    const waitMs = waitOf(limits, { ...found, used }, estimate.tokens);
    if (waitMs > 0) return { admitted: false, why: "wait", waitMs };
    const isAdded = await this.#add(query, request, estimate, {
      ...{ spent: found.spent, budget, concurrency: limits.concurrency ?? Number.POSITIVE_INFINITY },
      ...{ used: used + estimate.tokens, usedAt: found.now },
    });
    return isAdded ? { admitted: true, request } : { admitted: false, why: "wait", waitMs: busyMs() };
  }

  /** Locks the run, its fleet and the lane. */
  async #lock(query: Query, { run, fleet, lane }: RequestEstimate): Promise<LockedRow | undefined> {
    const { now, forUpdate } = this.#database.dialect;
    const lock = async () => {
      const [row] = await query<LockedRow>(
        `SELECT state, worker, is_cancelled, settings, spent, used, used_at, paused_until, ${now} AS now
         FROM runs JOIN fleets ON fleets.name = runs.fleet JOIN lanes ON lanes.lane = $3
         WHERE runs.id = $1 AND runs.fleet = $2 ${forUpdate}`,
        [run, fleet, lane],
      );
      return row;
    };
    const row = await lock();
    if (row !== undefined) return row;
    await query("INSERT INTO lanes (lane) VALUES ($1) ON CONFLICT (lane) DO NOTHING", [lane]);
    return lock();
  }

  /**
   * Adds a request while money is left after all open ones, even if its own estimate exceeds it: estimates assume the longest
   * answer. So a fleet spends at most its budget and one request. While only open requests exceed the budget, others wait:
   * they may turn out cheaper.
   */
  async #add(query: Query, request: string, estimate: RequestEstimate, state: LockedState): Promise<boolean> {
    const { run, fleet, worker, lane, tokens, cost } = estimate;
    // Not part of the statement that locks: it has to see the requests that were admitted while that one waited.
    const insert = `INSERT INTO requests (id, run, fleet, worker, lane, tokens, cost)
      SELECT $1, $2, $3, $4, $5, $6, $7
      WHERE CAST($8 AS DOUBLE PRECISION) + (SELECT coalesce(sum(cost), 0) FROM requests WHERE fleet = $3)
            < CAST($9 AS DOUBLE PRECISION)
        AND (SELECT count(*) FROM requests WHERE lane = $5) < CAST($10 AS DOUBLE PRECISION)
      RETURNING lane`;
    const values = [request, run, fleet, worker, lane, tokens, cost, state.spent, state.budget];
    const { used, usedAt, concurrency } = state;
    if (this.#database.dialect.changesInWith) {
      const update = "UPDATE lanes SET used = $11, used_at = $12 FROM added WHERE lanes.lane = added.lane";
      const added = await query(`WITH added AS (${insert}) ${update} RETURNING lanes.lane`, [
        ...[...values, concurrency, used, usedAt],
      ]);
      return added.length === 1;
    }
    const added = await query(insert, [...values, concurrency]);
    if (added.length === 0) return false;
    await query("UPDATE lanes SET used = $2, used_at = $3 WHERE lane = $1", [lane, used, usedAt]);
    return true;
  }

  async settle(request: string, actual: { readonly tokens: number; readonly cost: number }): Promise<void> {
    const values = [request, actual.tokens, actual.cost];
    const really = "CAST($2 AS DOUBLE PRECISION) AS used_tokens, CAST($3 AS DOUBLE PRECISION) AS used_cost";
    if (this.#database.dialect.changesInWith) {
      // Each part reads the one before, which makes the order of the locks.
      await this.#database.query(
        `WITH gone AS (DELETE FROM requests WHERE id = $1 RETURNING run, fleet, lane, tokens, ${really}),
           answered AS (${settleOnRun} RETURNING runs.id),
           paid AS (${settleOnFleet("gone LEFT JOIN answered ON answered.id = gone.run")} RETURNING fleets.name)
         ${settleOnLane("gone JOIN paid ON paid.name = gone.fleet")}`,
        values,
      );
      return;
    }
    await this.#database.transaction(async (query) => {
      const gone = `WITH gone AS (SELECT run, fleet, lane, tokens, ${really} FROM requests WHERE id = $1)`;
      for (const change of [settleOnRun, settleOnFleet("gone"), settleOnLane("gone")])
        await query(`${gone} ${change}`, values);
      await query("DELETE FROM requests WHERE id = $1", [request]);
    });
  }

  /** Counts the open requests of a run as spent: their worker lost the run, or failed to settle them. */
  async settleRun(query: Query, run: string): Promise<void> {
    await settleAll(query, "run = $1", [run]);
  }

  async #settleDead(): Promise<void> {
    await this.#database.transaction((query) =>
      settleAll(query, `NOT ${this.#isAlive("requests.worker")}`, []),
    );
  }

  async pauseLane(lane: string, milliseconds: number): Promise<void> {
    await this.#database.query(
      `INSERT INTO lanes (lane, paused_until) VALUES ($1, ${this.#database.dialect.now} + $2)
       ON CONFLICT (lane) DO UPDATE
       SET paused_until = excluded.paused_until WHERE lanes.paused_until < excluded.paused_until`,
      [lane, milliseconds],
    );
  }

  async lanes(): Promise<readonly LaneState[]> {
    const rows = await this.#database.query<{ lane: string; in_flight: number; paused_until: number }>(
      `SELECT lane, paused_until, (SELECT count(*) FROM requests WHERE requests.lane = lanes.lane) AS in_flight
       FROM lanes ORDER BY lane`,
    );
    return rows.map(({ lane, in_flight, paused_until }) => ({
      lane,
      inFlight: Number(in_flight),
      pausedUntil: paused_until,
    }));
  }
}

interface LaneRow {
  readonly used: number;
  readonly used_at: number;
  readonly paused_until: number;
  readonly now: number;
}

interface LockedRow extends LaneRow {
  readonly state: RunState;
  readonly worker: string;
  readonly is_cancelled: number;
  readonly settings: string;
  readonly spent: number;
}

/** The fleet while it is locked, its limits, and the lane as it is with the request. */
interface LockedState {
  readonly spent: number;
  readonly budget: number;
  readonly concurrency: number;
  readonly used: number;
  readonly usedAt: number;
}

async function isOpen(query: Query, request: string): Promise<boolean> {
  return (await query("SELECT id FROM requests WHERE id = $1", [request])).length === 1;
}

/** The provider answered. */
const settleOnRun = `UPDATE runs SET parked_since = NULL FROM gone
  WHERE runs.id = gone.run AND runs.parked_since IS NOT NULL AND gone.used_tokens > 0`;

function settleOnFleet(from: string): string {
  return `UPDATE fleets SET spent = spent + gone.used_cost FROM ${from} WHERE fleets.name = gone.fleet`;
}

function settleOnLane(from: string): string {
  const used = "used + gone.used_tokens - gone.tokens";
  return `UPDATE lanes SET used = CASE WHEN ${used} < 0 THEN 0 ELSE ${used} END FROM ${from}
    WHERE lanes.lane = gone.lane`;
}

async function settleAll(query: Query, where: string, values: readonly string[]): Promise<void> {
  const lost = await query<{ fleet: string; cost: number }>(
    `DELETE FROM requests WHERE ${where} RETURNING fleet, cost`,
    values,
  );
  const costs = Map.groupBy(lost, ({ fleet }) => fleet);
  // In one order, so that two transactions do not wait for each other.
  for (const fleet of [...costs.keys()].sort())
    await spend(
      query,
      fleet,
      costs.get(fleet)!.reduce((sum, { cost }) => sum + cost, 0),
    );
}

async function spend(query: Query, fleet: string, cost: number): Promise<void> {
  await query("UPDATE fleets SET spent = spent + $2 WHERE name = $1", [fleet, cost]);
}

/** Returns how long a request waits for the end of a pause and for tokens. */
function waitOf({ tokensPerMinute }: LaneLimits, lane: LaneRow, tokens: number): number {
  const pausedMs = lane.paused_until - lane.now;
  if (pausedMs > 0) return pausedMs;
  // A request that is larger than the whole bucket may have it when it is empty.
  if (tokensPerMinute === null || lane.used === 0 || lane.used + tokens <= tokensPerMinute) return 0;
  const surplus = Math.min(lane.used, lane.used + tokens - tokensPerMinute);
  return Math.ceil((surplus / tokensPerMinute) * minuteMs);
}

/** Returns how full the bucket is now. Without a limit, it counts the tokens of the last minute. */
function leak({ used, used_at, now }: LaneRow, { tokensPerMinute }: LaneLimits): number {
  const minutes = Math.max(0, now - used_at) / minuteMs;
  if (tokensPerMinute !== null) return Math.max(0, used - tokensPerMinute * minutes);
  return minutes >= 1 ? 0 : used;
}

const minuteMs = 60_000;

function busyMs(): number {
  return 200 + Math.random() * 300;
}
