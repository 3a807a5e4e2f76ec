import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Run } from "../../../src/fleet/fleet.ts";
import { openFleetStore } from "../../../src/fleet/store/open-fleet-store.ts";
import { LabPrograms, requestCost, startLabProvider, steps, writeSpec } from "./fleet-lab.ts";
import type { TestPostgres } from "./postgres.ts";

/** A fleet on PostgreSQL whose workers, database and provider fail all the time. */
export interface StormOptions {
  readonly folder: string;
  /** The program that runs `toolcrib`, with its first arguments. */
  readonly program: readonly string[];
  readonly postgres: TestPostgres;
  readonly runs: number;
  readonly workers: number;
  readonly slots: number;
  /** US dollars. Default: more than all runs cost. */
  readonly budget?: number;
  /** A random worker is killed after each of these pauses, and another is started. */
  readonly killEveryMs: number;
  /** Default: no limit. A slow machine needs one: a worker must live long enough to end a run. */
  readonly mostKills?: number;
  readonly restartDatabaseEveryMs: number;
  /** The provider refuses every request for `stormMs`, after each of these pauses. */
  readonly stormEveryMs: number;
  readonly stormMs: number;
  readonly random: () => number;
  readonly onProgress?: (ended: number) => void;
}

export interface StormReport {
  readonly kills: number;
  readonly restarts: number;
  readonly refusals: number;
  readonly requests: number;
  readonly seconds: number;
  /** How often runs were begun, beyond once each. */
  readonly extraDeliveries: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Sentences about what is wrong; none when everything held. */
  readonly faults: readonly string[];
  /** US dollars. */
  readonly spent: number;
  readonly charged: number;
}

/** Submits a fleet, works on it in the storm until every run has ended, and checks every result. */
export async function runStorm(options: StormOptions): Promise<StormReport> {
  const { folder, program, postgres, budget = options.runs } = options;
  const provider = await startLabProvider();
  const database = await postgres.newDatabase();
  const programs = new LabPrograms({ folder, program, provider, database });
  const store = await openFleetStore({ database });
  const over = new AbortController();
  const count = { kills: 0, restarts: 0 };
  try {
    const spec = writeSpec(folder, {
      runs: options.runs,
      model: provider.server.model,
      budget,
    });
    const started = performance.now();
    await programs.run(["fleet", "submit", spec]);
    for (let worker = 0; worker < options.workers; worker++) programs.startWorker(options.slots);
    const troubles = [
      repeat(options.killEveryMs, over.signal, async () => {
        if (count.kills >= (options.mostKills ?? Number.POSITIVE_INFINITY)) return;
        const { workers } = programs;
        await programs.end(workers[Math.floor(options.random() * workers.length)]!, "SIGKILL");
        programs.startWorker(options.slots);
        count.kills += 1;
      }),
      repeat(options.restartDatabaseEveryMs, over.signal, async () => {
        await postgres.crash();
        await postgres.start();
        count.restarts += 1;
      }),
      repeat(options.stormEveryMs, over.signal, async () => provider.refuseFor(options.stormMs)),
    ];
    for (let ended = 0; ended < options.runs; ) {
      await pause(500);
      ended = (await store.counts("lab")).states.ended;
      options.onProgress?.(ended);
    }
    const seconds = (performance.now() - started) / 1000;
    over.abort();
    await Promise.all(troubles);
    await programs.endAll("SIGTERM");
    const answered = provider.answered;
    const again = await programs.run(["fleet", "submit", spec, "--json"]);
    const runs = await store.runs({ fleet: "lab" });
    const charged = answered * requestCost;
    const mayEnd = options.budget === undefined ? ["solved"] : ["solved", "budget"];
    return {
      ...count,
      refusals: provider.refusals,
      requests: answered,
      seconds,
      extraDeliveries: runs.reduce((sum, { deliveries }) => sum + deliveries - 1, 0),
      outcomes: countOutcomes(runs),
      faults: [
        ...runs.flatMap((run) => faultsOf(run, mayEnd)),
        ...(charged <= budget + options.workers * requestCost ? [] : [`${charged} dollars were charged`]),
        ...(runs.length === options.runs ? [] : [`There are ${runs.length} runs instead of ${options.runs}`]),
        ...(JSON.parse(again).queued === 0 ? [] : [`Submitting the spec again answered ${again}`]),
        ...(provider.answered === answered ? [] : ["Submitting the spec again asked the model"]),
      ],
      spent: (await store.fleet("lab"))!.spent,
      charged,
    };
  } finally {
    over.abort();
    await programs.endAll("SIGKILL");
    await store.close();
    await provider.server.close();
  }
}

/** Checks a result: an outcome that may be, the expected patch if it is solved, and no call begun twice. */
function faultsOf(
  { outcome, reason, result, spec }: Run,
  mayEnd: readonly (string | null)[],
): readonly string[] {
  if (!mayEnd.includes(outcome) || result?.artifacts == null)
    return [`${spec.task} ended as ${outcome}: ${reason}`];
  if (outcome !== "solved") return [];
  const patch = readFileSync(join(result.artifacts, "patch.diff"), "utf8");
  const added = patch.split("\n").filter((line) => /^\+(?!\+\+)/.test(line));
  const begun = readFileSync(join(result.artifacts, "session.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).entry)
    .filter(({ kind }) => kind === "begun")
    .map(({ id }) => id);
  return [
    ...(added.join() === steps.map((step) => `+${step}`).join() ? [] : [`${spec.task} added ${added}`]),
    ...(new Set(begun).size === begun.length ? [] : [`${spec.task} made a call twice`]),
  ];
}

function countOutcomes(runs: readonly Run[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { outcome, state } of runs) counts[outcome ?? state] = (counts[outcome ?? state] ?? 0) + 1;
  return counts;
}

/** Runs `act` after each pause, until aborted. */
async function repeat(everyMs: number, signal: AbortSignal, act: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await pause(everyMs, undefined, { signal }).catch(() => {});
    if (!signal.aborted) await act();
  }
}
