import { newIdentifier } from "../../lib/identifier.ts";
import type { Admission, FleetSettings, LaneLimits, LaneState, RequestEstimate, RunState } from "../fleet.ts";
import type { Query, SqlDatabase } from "./sql-database.ts";

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
    const admission = await this.#database.transaction((query) => this.#admit(query, request, estimate));
    // A dead worker's requests would block this one until their run is claimed again, which may need this very slot.
    if (!admission.admitted && admission.why === "wait") await this.#settleDead();
    return admission;
  }

  async #admit(query: Query, request: string, estimate: RequestEstimate): Promise<Admission> {
    const { now, forUpdate } = this.#database.dialect;
    const [run] = await query<{ state: RunState; worker: string; is_cancelled: number; settings: string }>(
      `SELECT state, worker, is_cancelled, (SELECT settings FROM fleets WHERE name = runs.fleet) AS settings
       FROM runs WHERE id = $1 AND fleet = $2 ${forUpdate}`,
      [estimate.run, estimate.fleet],
    );
    if (run?.state !== "running" || run.worker !== estimate.worker || run.is_cancelled === 1)
      return { admitted: false, why: "cancelled" };
    const settings: FleetSettings = JSON.parse(run.settings);
    const [fleet] = await query<{ spent: number }>(`SELECT spent FROM fleets WHERE name = $1 ${forUpdate}`, [
      estimate.fleet,
    ]);
    await query("INSERT INTO lanes (lane) VALUES ($1) ON CONFLICT (lane) DO NOTHING", [estimate.lane]);
    const [lane] = await query<LaneRow>(
      `SELECT used, used_at, paused_until, ${now} AS now FROM lanes WHERE lane = $1 ${forUpdate}`,
      [estimate.lane],
    );
    // A statement of its own: it has to see the requests that were admitted while this one waited for the locks.
    const [open] = await query<OpenRequests>(
      `SELECT (SELECT coalesce(sum(cost), 0) FROM requests WHERE fleet = $1) AS cost,
              (SELECT count(*) FROM requests WHERE lane = $2) + 0.0 AS in_flight,
              (SELECT count(*) FROM requests WHERE id = $3) + 0.0 AS is_known`,
      [estimate.fleet, estimate.lane, request],
    );
    if (Number(open!.is_known) === 1) return { admitted: true, request };
    const limits = settings.lanes[estimate.lane] ?? { concurrency: null, tokensPerMinute: null };
    const used = leak(lane!, limits);
    const refusal =
      overBudget(settings.budget, fleet!.spent, Number(open!.cost)) ??
      overLimits(limits, { ...lane!, used, inFlight: Number(open!.in_flight) }, estimate.tokens);
    if (refusal !== undefined) return refusal;
    await query(
      "INSERT INTO requests (id, run, fleet, worker, lane, tokens, cost) VALUES ($1, $2, $3, $4, $5, $6, $7)",
      [request, estimate.run, estimate.fleet, estimate.worker, estimate.lane, estimate.tokens, estimate.cost],
    );
    await query("UPDATE lanes SET used = $2, used_at = $3 WHERE lane = $1", [
      estimate.lane,
      used + estimate.tokens,
      lane!.now,
    ]);
    return { admitted: true, request };
  }

  async settle(request: string, actual: { readonly tokens: number; readonly cost: number }): Promise<void> {
    await this.#database.transaction(async (query) => {
      const [open] = await query<{ run: string; fleet: string; lane: string; tokens: number }>(
        "DELETE FROM requests WHERE id = $1 RETURNING run, fleet, lane, tokens",
        [request],
      );
      if (open === undefined) return;
      // The provider answered.
      if (actual.tokens > 0)
        await query("UPDATE runs SET parked_since = NULL WHERE id = $1 AND parked_since IS NOT NULL", [
          open.run,
        ]);
      await spend(query, open.fleet, actual.cost);
      await query(
        "UPDATE lanes SET used = CASE WHEN used + $2 < 0 THEN 0 ELSE used + $2 END WHERE lane = $1",
        [open.lane, actual.tokens - open.tokens],
      );
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

  async pauseLane(lane: string, until: number): Promise<void> {
    await this.#database.query(
      `INSERT INTO lanes (lane, paused_until) VALUES ($1, $2) ON CONFLICT (lane) DO UPDATE
       SET paused_until = excluded.paused_until WHERE lanes.paused_until < excluded.paused_until`,
      [lane, until],
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

interface OpenRequests {
  readonly cost: number;
  readonly in_flight: number;
  readonly is_known: number;
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

/**
 * Admits a request while money is left after all open ones, even if its own estimate exceeds it: estimates assume the longest
 * answer. So a fleet spends at most its budget and one request. While only open requests exceed the budget, others wait:
 * they may turn out cheaper.
 */
function overBudget(budget: number | null, spent: number, open: number): Admission | undefined {
  if (budget === null || spent + open < budget) return undefined;
  if (spent >= budget) return { admitted: false, why: "budget" };
  return { admitted: false, why: "wait", waitMs: busyMs() };
}

function overLimits(
  { concurrency, tokensPerMinute }: LaneLimits,
  lane: LaneRow & { readonly inFlight: number },
  tokens: number,
): Admission | undefined {
  const waitMs = lane.paused_until - lane.now;
  if (waitMs > 0) return { admitted: false, why: "wait", waitMs };
  if (concurrency !== null && lane.inFlight >= concurrency)
    return { admitted: false, why: "wait", waitMs: busyMs() };
  // A request that is larger than the whole bucket may have it when it is empty.
  if (tokensPerMinute === null || lane.used === 0 || lane.used + tokens <= tokensPerMinute) return undefined;
  const surplus = Math.min(lane.used, lane.used + tokens - tokensPerMinute);
  return { admitted: false, why: "wait", waitMs: Math.ceil((surplus / tokensPerMinute) * minuteMs) };
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
