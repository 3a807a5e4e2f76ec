import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openFleetStore } from "../../src/fleet/store/open-fleet-store.ts";
import {
  LabPrograms,
  startLabProvider,
  task,
  writeRepository,
  writeSpec,
} from "../../test/support/fleet/fleet-lab.ts";
import type { TestPostgres } from "../../test/support/fleet/postgres.ts";
import { cpuMsOf, ticksOf } from "../process-tree.ts";

export interface Work {
  readonly seconds: number;
  /** Of the workers or runs and everything that they started. */
  readonly cpuMs: number;
}

interface FleetToMeasure {
  readonly folder: string;
  readonly program: readonly string[];
  readonly postgres: TestPostgres;
  readonly runs: number;
  readonly workers: number;
  readonly slots: number;
  /** How long the model takes for a reply. */
  readonly latencyMs?: number;
}

/** Measures a whole fleet, from the first request to the end of the last run. */
export async function measureFleet(options: FleetToMeasure): Promise<Work> {
  const { folder, program, postgres, runs, workers, slots, latencyMs } = options;
  mkdirSync(folder, { recursive: true });
  const provider = await startLabProvider(latencyMs);
  const database = await postgres.newDatabase();
  const programs = new LabPrograms({ folder, program, provider, database });
  const store = await openFleetStore({ database });
  try {
    await programs.run([
      "fleet",
      "submit",
      writeSpec(folder, { runs, model: provider.server.model, budget: runs }),
    ]);
    for (let worker = 0; worker < workers; worker++) programs.startWorker(slots);
    while ((await store.counts("lab")).states.ended < runs) await pause(50);
    const seconds = (performance.now() - provider.firstAt!) / 1000;
    const cpuMs = programs.workers.reduce((sum, { pid }) => sum + cpuMsOf(pid!), 0);
    const { outcomes } = await store.counts("lab");
    if (outcomes.solved !== runs) throw new Error(`Not all runs were solved: ${JSON.stringify(outcomes)}`);
    return { seconds, cpuMs };
  } finally {
    await programs.endAll("SIGTERM");
    await store.close();
    await provider.server.close();
  }
}

/** Measures `toolcrib run` of the same tasks, one after the other, each in a clone that exists. */
export async function measureSingleRuns({
  folder,
  program,
  runs,
}: Pick<FleetToMeasure, "folder" | "program" | "runs">): Promise<Work> {
  mkdirSync(folder, { recursive: true });
  const repository = writeRepository(folder);
  const clones = Array.from({ length: runs }, (_, index) => join(folder, `clone-${index}`));
  for (const clone of clones) execFileSync("git", ["clone", "-q", repository, clone], { stdio: "pipe" });
  const provider = await startLabProvider();
  const programs = new LabPrograms({ folder, program, provider });
  // Ended children of this process.
  const children = () => ticksOf(process.pid, 13, 15) * 10;
  try {
    const [started, before] = [performance.now(), children()];
    for (const [index, clone] of clones.entries())
      await programs.run(["run", task(index + 1), "-m", provider.server.model, "--json"], clone);
    return { seconds: (performance.now() - started) / 1000, cpuMs: children() - before };
  } finally {
    await provider.server.close();
  }
}
