import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { readModelSettings } from "../../agent/read-model-settings.ts";
import { ToolError } from "../../contract/error.ts";
import { openArtifactStore } from "../../fleet/artifacts/artifact-store.ts";
import type { FleetStore, Run, RunQueue } from "../../fleet/fleet.ts";
import { FleetMetrics, type FleetObserver } from "../../fleet/metrics.ts";
import { serveMetrics } from "../../fleet/serve-metrics.ts";
import type { WorkEnd } from "../../fleet/work/outcome.ts";
import { startWorker, type Worker } from "../../fleet/work/worker.ts";
import type { WorkerLimits } from "../../fleet/work/worker-limits.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { sandboxWanted } from "../../toolcrib/check-options.ts";
import { refuseProgramsOfTools } from "../approvals/ask-on-terminal.ts";
import type { Arguments } from "../command.ts";
import { fleetCommand } from "../commands/fleet.ts";
import { onInterruption } from "../interruption.ts";
import { readInstanceOptions } from "../options.ts";
import { readPort, refuseOperands } from "../parse-arguments.ts";
import { remarkFewDescriptors, remarkWarnings } from "../report.ts";
import { remark } from "../terminal.ts";
import { openQueue } from "./open-queue.ts";
import { databaseOf, fleetFolder, withStore } from "./open-store.ts";
import { artifactsOf, slotsOf, workFolderOf } from "./run-files.ts";

/** Runs `toolcrib fleet work`, until a signal or, with --until-done, until all runs have ended. */
export async function work(given: Arguments): Promise<number> {
  refuseOperands(given.operands, fleetCommand);
  refuseProgramsOfTools("start workers");
  const { options } = given;
  remarkFewDescriptors();
  return withStore(options, async (store) => {
    const metrics = new FleetMetrics(store);
    const port = readPort(given, "metrics-port");
    const host = options.get("metrics-host");
    const served = port === undefined ? undefined : await serveMetrics({ metrics, port, host });
    if (served !== undefined) remark(`Metrics are at ${served.address}/metrics\n`);
    const { signal, stop } = onInterruption();
    let queue: RunQueue | undefined;
    try {
      queue = await openQueue(options, store);
      const worker = await startFleetWorker(given, store, queue, { observer: metrics, onEnd: showEnd });
      if (databaseOf(options) === undefined)
        remark(
          `No database is set, so this worker works on the fleets of this machine only.\nFor several machines: toolcrib fleet work --database postgres://user@host/database\n`,
        );
      remark(`Worker ${worker.id} works on ${counted(slotsOf(given), "run")} at once. SIGTERM drains it.\n`);
      await untilDone(store, worker, signal, options.has("until-done")).finally(() => {
        if (signal.aborted)
          remark(`Draining ${counted(worker.busy, "run")}. A second signal exits at once.\n`);
        return worker.stop();
      });
    } finally {
      stop();
      await queue?.close();
      await served?.close();
    }
    return 0;
  });
}

async function untilDone(
  store: FleetStore,
  worker: Worker,
  signal: AbortSignal,
  isBounded: boolean,
): Promise<void> {
  while (!signal.aborted) {
    await pause(500, undefined, { signal }).catch(() => {});
    if (!isBounded || signal.aborted || worker.busy > 0) continue;
    if (await isAllEnded(store)) return;
    if (await isOnlyLeft(store, worker)) {
      remark(`The other runs are left to other workers.\n`);
      return;
    }
  }
}

async function isAllEnded(store: FleetStore): Promise<boolean> {
  const fleets = await store.fleets();
  const counts = await Promise.all(fleets.map(({ name }) => store.counts(name)));
  return counts.every(({ states }) => states.waiting + states.running + states.parked === 0);
}

/** Whether all runs that have not ended are for workers that allow more than this one. */
async function isOnlyLeft(store: FleetStore, { left }: Worker): Promise<boolean> {
  if (left.size === 0) return false;
  for (const { name } of await store.fleets()) {
    const open = await store.runs({ fleet: name, states: ["waiting", "running", "parked"] });
    if (open.some(({ id }) => !left.has(id))) return false;
  }
  return true;
}

/** Runs that end or wait, one line each. */
function showEnd({ spec, fleet }: Run, end: WorkEnd): void {
  if (end.kind === "lost" || end.kind === "released") return;
  const what = end.kind === "ended" ? end.outcome : "parked";
  remark(`${what.padEnd(8)}  ${[`${fleet}/${spec.task}`, end.reason].map(printableLine).join("  ")}\n`);
}

/** Starts a worker with the options of the command line. */
export async function startFleetWorker(
  given: Arguments,
  store: FleetStore,
  queue: RunQueue,
  { isLocal = false, observer, onEnd }: StartOptions = {},
): Promise<Worker> {
  const { options } = given;
  return startWorker({
    store,
    queue,
    slots: slotsOf(given),
    workFolder: workFolderOf(options),
    artifacts: await openArtifactStore(artifactsOf(options)),
    models: await readModelSettings(),
    ...workerLimits(given, { isLocal }),
    leavesRuns: !isLocal,
    hiddenPaths: filesOfFleets(options),
    onRun: (run, end) => {
      if (end === undefined) observer?.delivered(run);
      else onEnd?.(run, end);
      if (end?.kind === "parked") observer?.parked(run);
      if (end?.kind === "ended" && observer) void observeEnd(store, run.id, observer);
    },
    onWarning: (message) => remarkWarnings([message]),
  });
}

/** The permissions that a command line gives to the runs of its worker. `isLocal`: the user who wrote the spec also runs the worker. */
export function workerLimits(
  { options }: Arguments,
  { isLocal }: { readonly isLocal: boolean },
): WorkerLimits {
  const { mode, rules = [], ruleFiles = [] } = readInstanceOptions(options);
  const lists = (name: string) => options.get(name)?.split("\n");
  return {
    mode,
    rules: [...ruleFiles.flatMap(readRules), ...rules],
    sandbox: sandboxWanted(options.get("sandbox")),
    allowTargets: lists("allow-target"),
    allowUnpriced: options.has("allow-unpriced"),
    allowRepositories: isLocal ? ["**"] : lists("allow-repository"),
  };
}

/** The files that models could cheat with: specs with the files of checks, and results. */
function filesOfFleets(options: ReadonlyMap<string, string>): readonly string[] {
  const database = join(fleetFolder(), "fleet.sqlite");
  const artifacts = artifactsOf(options);
  return [
    ...["", "-wal", "-shm"].map((suffix) => `${database}${suffix}`),
    ...(isAbsolute(artifacts) ? [artifacts] : []),
  ];
}

/** Reports the result as it is stored. Metrics are not worth a failure of the worker. */
async function observeEnd(store: FleetStore, id: string, observer: FleetObserver): Promise<void> {
  const run = await store.run(id).catch(() => undefined);
  if (run?.outcome && run.result) observer.ended(run, run.outcome, run.result);
}

interface StartOptions {
  /** Whether the user who wrote the spec also runs the worker: then it may clone folders of this machine. */
  readonly isLocal?: boolean;
  readonly observer?: FleetObserver;
  readonly onEnd?: (run: Run, end: WorkEnd) => void;
}

function readRules(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8")
      .split(/\r?\n/)
      .filter((line) => line.trim() !== "" && !/^\s*(?:#|expect\s)/.test(line));
  } catch (cause) {
    throw new ToolError("invalid-input", `The rules cannot be read: ${(cause as Error).message}`, {
      hint: "Name a rule file: --rule-file FILE",
      cause,
    });
  }
}
