import { hostname } from "node:os";
import type { ModelSettings } from "../../agent/index.ts";
import { newIdentifier } from "../../lib/identifier.ts";
import { openLocalEnvironment } from "../../toolcrib/index.ts";
import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import type { Deliveries, FleetStore, FleetWorker, Run, RunQueue } from "../fleet.ts";
import { inRunSpan } from "../run-span.ts";
import { removeLeftovers } from "./leftovers.ts";
import { RunPermissions } from "./may-run.ts";
import type { WorkEnd } from "./outcome.ts";
import { machineOf } from "./run-folder.ts";
import { type Patience, type WorkContext, WorkRun } from "./work-run.ts";
import type { WorkerLimits } from "./worker-limits.ts";
import { WorkerRecords } from "./worker-records.ts";
import { Workspaces } from "./workspace.ts";

export interface WorkerOptions extends WorkerLimits {
  readonly store: FleetStore;
  readonly queue: RunQueue;
  /** Runs at the same time. */
  readonly slots: number;
  /** Workspaces, sessions and mirrors. Workers with the same folder resume each other's runs. */
  readonly workFolder: string;
  readonly artifacts: ArtifactStore;
  /** Files that no model may read, besides the working folder. Default: none. */
  readonly hiddenPaths?: readonly string[] | undefined;
  /** Default: the user's `models.json`. */
  readonly models?: ModelSettings | undefined;
  readonly configDirectory?: string | undefined;
  /** Whether runs and turns are recorded as OpenTelemetry spans. */
  readonly telemetry?: boolean | undefined;
  readonly patience?: Partial<Patience> | undefined;
  /** Default: 5 s. */
  readonly heartbeatMs?: number | undefined;
  /** The lease of the store: without an answer for so long, other workers may have the runs. Default: 30 s. */
  readonly leaseMs?: number | undefined;
  /** Whether runs that this worker may not do wait for another worker. Default: false; they end as `infrastructure`. */
  readonly leavesRuns?: boolean | undefined;
  /** Called when a delivery has begun, and when it has ended. */
  readonly onRun?: ((run: Run, end: WorkEnd | undefined) => void) | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Starts to work on the runs that the queue delivers, in this process. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const worker = new Worker(options);
  await worker.start();
  return worker;
}

export class Worker {
  readonly id: string = newIdentifier("worker");
  readonly machine: string;
  readonly #options: WorkerOptions;
  readonly #records: WorkerRecords;
  readonly #environment;
  readonly #context: WorkContext;
  readonly #active = new Map<string, WorkRun>();
  readonly #permissions: RunPermissions;
  /** Runs that it may not do. */
  readonly #left = new Set<string>();
  readonly #warnings = new Set<string>();
  readonly #startedAt = Date.now();
  readonly #grace = new AbortController();
  #deliveries: Deliveries | undefined;
  #timer: NodeJS.Timeout | undefined;
  #cleaning: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #seenAt = Date.now();
  #stopped: Promise<void> | undefined;

  constructor(options: WorkerOptions) {
    const { workFolder, store, artifacts, models, configDirectory, telemetry } = options;
    this.#options = options;
    this.machine = machineOf(workFolder);
    this.#records = new WorkerRecords(workFolder, this.id);
    this.#permissions = new RunPermissions(options, configDirectory);
    this.#environment = openLocalEnvironment({ workspace: workFolder });
    const environment = this.#environment;
    this.#context = {
      ...{ store, workFolder, artifacts, environment, models, configDirectory, telemetry },
      workspaces: new Workspaces(workFolder, environment),
      ...{ limits: options, hiddenPaths: options.hiddenPaths ?? [] },
      patience: { ...usualPatience, ...options.patience },
    };
  }

  /** The number of runs that it works on now. */
  get busy(): number {
    return this.#active.size;
  }

  /** The runs that it left to workers that may do them. */
  get left(): ReadonlySet<string> {
    return this.#left;
  }

  async start(): Promise<void> {
    const { queue, slots, heartbeatMs = 5_000 } = this.#options;
    try {
      await this.#beat();
      this.#timer = setInterval(() => {
        // The store does not answer the last heartbeat.
        if (this.#beating !== undefined) this.#stopExpired();
        this.#beating ??= this.#beat().finally(() => {
          this.#beating = undefined;
        });
      }, heartbeatMs);
      this.#deliveries = await queue.deliver(slots, (run) => this.#work(run));
    } catch (error) {
      await this.stop({ graceMs: 0 });
      throw error;
    }
    const clean = () =>
      void removeLeftovers(this.#context, this.machine, (run) => this.#active.has(run)).catch(() => {});
    clean();
    this.#cleaning = setInterval(clean, cleaningMs);
  }

  /**
   * Takes no more runs, and resolves when all have stopped. Runs may reach the end of their round within the grace time;
   * then they are interrupted. Their next worker continues them. A second call ends the grace time.
   */
  stop({ graceMs = 60_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    if (this.#stopped !== undefined) this.#grace.abort();
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#grace.abort(), graceMs);
    if (graceMs <= 0) this.#grace.abort();
    const delivered = this.#deliveries?.stop();
    for (const work of this.#active.values()) work.drain(this.#grace.signal);
    await delivered;
    clearTimeout(timer);
    clearInterval(this.#timer);
    clearInterval(this.#cleaning);
    await this.#beating;
    await this.#options.store.removeWorker(this.id).catch(() => {});
    this.#records.remove();
    await this.#permissions[Symbol.asyncDispose]();
    await this.#environment.close();
  }

  async #work(id: string): Promise<number | undefined> {
    const { store, onRun, onWarning } = this.#options;
    if (this.#stopped !== undefined) return Date.now();
    if (await this.#leaves(id)) return Date.now() + elsewhereMs * (1 + Math.random());
    const claimed = await store.claim(id, this.id);
    if (!claimed.claimed) return claimed.again;
    const { run, claim } = claimed;
    const work = new WorkRun(this.#context, run, claim);
    this.#active.set(id, work);
    if (this.#stopped !== undefined) work.drain(this.#grace.signal);
    onRun?.(run, undefined);
    try {
      const { end, again } = await this.#inSpan(run, work);
      onRun?.(run, end);
      return again;
    } catch (error) {
      // The store failed. The claim is given up, and the run continues with its next delivery.
      onWarning?.(`Run ${id}: ${error instanceof Error ? error.message : String(error)}`);
      await store.release(claim).catch(() => {});
      return Date.now() + afterFailureMs;
    } finally {
      this.#active.delete(id);
    }
  }

  /** Whether a run is for another worker, because the rules of this one refuse it. */
  async #leaves(id: string): Promise<boolean> {
    const { store, leavesRuns = false, onWarning } = this.#options;
    if (!leavesRuns) return false;
    const run = await store.run(id);
    // A cancelled run needs no permission to end.
    if (run === undefined || run.state === "ended" || run.isCancelled) return false;
    const refusal = await this.#permissions.refusalOf(run.spec);
    if (refusal === undefined) return false;
    this.#left.add(id);
    const warning = [refusal.message, refusal.hint].filter((text) => text !== undefined).join(" ");
    if (!this.#warnings.has(warning)) onWarning?.(`Left to other workers: ${warning}`);
    this.#warnings.add(warning);
    return true;
  }

  async #inSpan(run: Run, work: WorkRun): ReturnType<WorkRun["work"]> {
    if (this.#options.telemetry !== true) return work.work();
    const spanned = await inRunSpan(run, async () => {
      const done = await work.work();
      return { done, outcome: done.end.kind === "ended" ? done.end.outcome : null };
    });
    return spanned.done;
  }

  async #beat(): Promise<void> {
    const { store, slots, onWarning } = this.#options;
    const sentAt = Date.now();
    const worker: Omit<FleetWorker, "seenAt"> = {
      ...{ id: this.id, machine: this.machine, host: hostname(), pid: process.pid },
      ...{ startedAt: this.#startedAt, slots, isDraining: this.#stopped !== undefined },
    };
    const works = [...this.#active.values()];
    try {
      const answers = await store.heartbeat(
        worker,
        works.map(({ claim }) => claim),
      );
      this.#seenAt = sentAt;
      for (const ended of this.#records.ended()) {
        await store.removeWorker(ended.id);
        ended.forget();
      }
      for (const { claim, isValid, isCancelled } of answers) {
        const work = this.#active.get(claim.run);
        if (work === undefined || work.claim.delivery !== claim.delivery) continue;
        if (!isValid) work.stop("lost");
        else if (isCancelled) work.stop("cancelled");
      }
    } catch (error) {
      if (this.#deliveries === undefined) throw error;
      onWarning?.(`The heartbeat failed: ${error instanceof Error ? error.message : String(error)}`);
      this.#stopExpired();
    }
  }

  /** Stops all runs when the lease has ended: other workers may have them. */
  #stopExpired(): void {
    const { leaseMs = 30_000 } = this.#options;
    if (Date.now() - this.#seenAt > leaseMs) for (const work of this.#active.values()) work.stop("lost");
  }
}

const usualPatience: Patience = { retries: 3, longestWaitMs: 60_000, parkMs: 15_000 };
const afterFailureMs = 5_000;
/** How soon a run that was left is offered again; with jitter, so that many do not come at once. */
const elsewhereMs = 2_000;
const cleaningMs = 6 * 60 * 60 * 1000;
