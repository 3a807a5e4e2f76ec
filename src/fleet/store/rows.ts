import {
  type Fleet,
  type FleetWorker,
  type Run,
  type RunFilter,
  type RunOutcome,
  type RunState,
  runOutcomes,
  runStates,
} from "../fleet.ts";
import type { SqlDialect, SqlValue } from "./sql-database.ts";
import { readFleetSettings, readRunResult, readRunSpec } from "./stored-values.ts";

export interface RunRow {
  readonly id: string;
  readonly fleet: string;
  readonly task: string;
  readonly spec: string;
  readonly created_at: number;
  readonly state: RunState;
  readonly delivery: number;
  readonly deliveries: number;
  readonly worker: string | null;
  readonly machine: string | null;
  readonly session: string | null;
  readonly not_before: number;
  readonly parked_since: number | null;
  readonly is_cancelled: number;
  readonly is_superseded?: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly reason: string | null;
  readonly outcome: RunOutcome | null;
  readonly result: string | null;
}

export function toRun(row: RunRow): Run {
  return {
    id: row.id,
    fleet: row.fleet,
    spec: readRunSpec(row.spec, row),
    // Nothing works on a row with an unknown state.
    state: runStates.find((state) => state === row.state) ?? "ended",
    deliveries: row.deliveries,
    // A run that waits keeps its last worker, by which `park` and `release` recognize their own change.
    worker: row.state === "running" || row.state === "ended" ? row.worker : null,
    machine: row.machine,
    session: row.session,
    notBefore: row.not_before,
    parkedSince: row.parked_since,
    isCancelled: row.is_cancelled === 1,
    isSuperseded: row.is_superseded === 1,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    reason: row.reason,
    outcome: runOutcomes.find((outcome) => outcome === row.outcome) ?? null,
    result: readRunResult(row.result),
  };
}

export interface FleetRow {
  readonly name: string;
  readonly settings: string;
  readonly created_at: number;
  readonly spent: number;
}

export function toFleet({ name, settings, created_at, spent }: FleetRow): Fleet {
  return { name, settings: readFleetSettings(settings), createdAt: created_at, spent };
}

export interface WorkerRow {
  readonly id: string;
  readonly machine: string;
  readonly host: string;
  readonly pid: number;
  readonly started_at: number;
  readonly seen_at: number;
  readonly slots: number;
  readonly is_draining: number;
}

export function toWorker({ started_at, seen_at, is_draining, ...same }: WorkerRow): FleetWorker {
  const { id, machine, host, pid, slots } = same;
  return {
    id,
    machine,
    host,
    pid,
    startedAt: started_at,
    seenAt: seen_at,
    slots,
    isDraining: is_draining === 1,
  };
}

/** The columns of `RunRow`. */
export const runColumns =
  "runs.*, CASE WHEN id IN (SELECT run FROM superseded) THEN 1 ELSE 0 END AS is_superseded";

/** Returns a condition on the table of runs, and its parameters from `$1`. */
export function whereRuns(
  filter: RunFilter,
  dialect: SqlDialect,
): { readonly where: string; readonly values: readonly SqlValue[] } {
  const values: SqlValue[] = [filter.fleet];
  const conditions = ["fleet = $1"];
  const { ids: id, tasks: task, states: state, outcomes: outcome } = filter;
  for (const [column, wanted] of Object.entries({ id, task, state, outcome })) {
    if (wanted === undefined) continue;
    values.push(JSON.stringify(wanted));
    conditions.push(`${column} IN ${dialect.listIn(`$${values.length}`)}`);
  }
  if (filter.isSuperseded !== undefined)
    conditions.push(`id ${filter.isSuperseded ? "IN" : "NOT IN"} (SELECT run FROM superseded)`);
  if (filter.endedSince !== undefined) {
    values.push(filter.endedSince);
    conditions.push(`state = 'ended' AND ended_at >= $${values.length}`);
  }
  if (filter.text !== undefined) {
    values.push(`%${filter.text.toLowerCase().replace(/[!%_]/g, "!$&")}%`);
    conditions.push(`lower(task || ' ' || coalesce(reason, '')) LIKE $${values.length} ESCAPE '!'`);
  }
  return { where: conditions.join(" AND "), values };
}
