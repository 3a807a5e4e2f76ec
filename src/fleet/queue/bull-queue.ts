import type { BackendClasses, BackendFactory, IQueueBackend, Job } from "bullmq";
import type { Deliveries, FleetStore, RunQueue } from "../fleet.ts";
import { loadPackage } from "../optional-package.ts";
import { databaseUnavailable } from "../store/sql-database.ts";
import { failureDelayMs } from "./failure-delay.ts";

export interface BullOptions {
  /** A job whose worker did not renew its lock for so long is delivered again. Default: 15 s. */
  readonly lockMs?: number | undefined;
  /** How often to look for runs of the store that the queue does not have. Default: 30 s. */
  readonly sweepMs?: number | undefined;
  /** Receives errors that BullMQ recovers from, such as lost connections. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/**
 * Opens a queue on BullMQ, in a PostgreSQL database (`postgres://…`). The id of a job is the id of its run, so a run is
 * queued once. Jobs are removed when they are done, so a run can be queued again.
 */
export async function openBullQueue(
  database: string,
  store: FleetStore,
  options: BullOptions = {},
): Promise<RunQueue> {
  // BullMQ loads the driver itself; this reports a missing one.
  await loadPackage(() => import("pg"), "bullmq pg");
  const bull = await loadPackage(() => import("bullmq"), "bullmq pg");
  const classes = bull.withBackend(bull.createPostgresBackend as BackendFactory<IQueueBackend, object>);
  const open = async (migrate: boolean) => {
    const connection = {
      connectionString: database,
      migrate,
      max: 4,
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
    };
    const queue = new classes.Queue(queueName, { connection, defaultJobOptions: jobOptions });
    queue.on("error", options.onError ?? ignore);
    try {
      await queue.waitUntilReady();
      return new BullQueue({ ...bull, ...classes }, connection, queue, store, options);
    } catch (error) {
      await queue.close().catch(() => {});
      throw error;
    }
  };
  try {
    return await open(false);
  } catch (error) {
    if (!(error instanceof bull.SchemaMigrationRequiredError)) throw databaseUnavailable(error);
    return await open(true);
  }
}

const queueName = "toolcrib-fleet";

/** Jobs never fail for good: `FleetSettings.deliveries` decides when a run ends. */
const jobOptions = {
  attempts: 1_000_000,
  backoff: { type: "custom" },
  removeOnComplete: true,
  removeOnFail: true,
};

/** The classes of BullMQ with the PostgreSQL backend. */
type Classes = BackendClasses<IQueueBackend, object>;
type BullClasses = Classes & Pick<typeof import("bullmq"), "DelayedError">;
type Jobs = InstanceType<Classes["Queue"]>;
type JobWorker = InstanceType<Classes["Worker"]>;

class BullQueue implements RunQueue {
  readonly #bull: BullClasses;
  readonly #connection: object;
  readonly #queue: Jobs;
  readonly #store: FleetStore;
  readonly #lockMs: number;
  readonly #sweepMs: number;
  readonly #onError: (error: Error) => void;

  constructor(bull: BullClasses, connection: object, queue: Jobs, store: FleetStore, options: BullOptions) {
    this.#bull = bull;
    this.#connection = connection;
    this.#queue = queue;
    this.#store = store;
    this.#lockMs = options.lockMs ?? 15_000;
    this.#sweepMs = options.sweepMs ?? 30_000;
    this.#onError = options.onError ?? ignore;
  }

  async add(runs: readonly string[]): Promise<void> {
    try {
      await this.#add(runs);
    } catch (error) {
      throw databaseUnavailable(error);
    }
  }

  async deliver(slots: number, work: (run: string) => Promise<number | undefined>): Promise<Deliveries> {
    const worker = this.#newWorker(slots, async (job, token) => {
      const again = await work(job.id!);
      if (again === undefined) return;
      // PostgreSQL refuses fractions of milliseconds.
      await job.moveToDelayed(Math.ceil(again), token);
      throw new this.#bull.DelayedError();
    });
    worker.on("error", this.#onError);
    try {
      await worker.waitUntilReady();
    } catch (error) {
      await worker.close(true).catch(() => {});
      throw databaseUnavailable(error);
    }
    const sweeps = setInterval(() => void this.#sweep(worker), this.#sweepMs * (0.75 + Math.random() / 2));
    return {
      stop: async () => {
        clearInterval(sweeps);
        await worker.close();
      },
    };
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #add(runs: readonly string[]): Promise<void> {
    for (let first = 0; first < runs.length; first += jobsAtOnce) {
      const jobs = runs
        .slice(first, first + jobsAtOnce)
        .map((run) => ({ name: "run", data: {}, opts: { jobId: run } }));
      await this.#queue.addBulk(jobs);
    }
    // A run that was parked and then cancelled and retried has a job that would wait until its old time, among the last.
    const added = new Set(runs);
    const delayed: Job[] = await this.#queue.getJobs(["delayed"], 0, jobsAtOnce, false);
    for (const job of delayed) if (added.has(job.id!)) await job.promote().catch(() => {});
  }

  #newWorker(slots: number, process: (job: Job, token: string | undefined) => Promise<unknown>): JobWorker {
    return new this.#bull.Worker<unknown, unknown>(queueName, process, {
      connection: this.#connection,
      concurrency: slots,
      lockDuration: this.#lockMs,
      stalledInterval: this.#lockMs / 2,
      maxStalledCount: 1_000_000,
      runRetryDelay: 1_000,
      drainDelay: 5,
      settings: { backoffStrategy: failureDelayMs },
    });
  }

  /** Queues the oldest runs that could be worked on now: jobs are lost when only the queue's data is restored or deleted. */
  async #sweep(worker: JobWorker): Promise<void> {
    try {
      const ready = await this.#store.ready(jobsAtOnce);
      if (ready.length > 0) await this.add(ready);
    } catch {
      // The database cannot be reached now. The next sweep tries again.
    }
    // BullMQ ends its loop after some errors.
    if (!worker.isRunning() && !worker.isPaused() && worker.closing === undefined)
      void worker.run().catch(() => {});
  }
}

const jobsAtOnce = 500;

function ignore(): void {}
