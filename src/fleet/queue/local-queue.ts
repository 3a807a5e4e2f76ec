import type { Deliveries, FleetStore, RunQueue } from "../fleet.ts";
import { failureDelayMs } from "./failure-delay.ts";

/** A queue without a service: looks for runs in the store, at once after changes in this process, else more and more rarely. */
export class LocalQueue implements RunQueue {
  readonly #store: FleetStore;
  readonly #fleet: string | undefined;
  readonly #wakeUps = new Set<() => void>();

  /** With `fleet`, delivers only the runs of this fleet. */
  constructor(store: FleetStore, { fleet }: { readonly fleet?: string | undefined } = {}) {
    this.#store = store;
    this.#fleet = fleet;
  }

  /** The store has the runs already. */
  async add(_runs: readonly string[]): Promise<void> {
    for (const wake of this.#wakeUps) wake();
  }

  async deliver(slots: number, work: (run: string) => Promise<number | undefined>): Promise<Deliveries> {
    const delivery = new LocalDelivery((limit) => this.#store.ready(limit, this.#fleet), slots, work);
    this.#wakeUps.add(delivery.wake);
    const ended = delivery.run();
    return {
      stop: async () => {
        delivery.stop();
        this.#wakeUps.delete(delivery.wake);
        await ended;
      },
    };
  }

  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}
}

const shortestMs = 20;
const longestMs = 1_000;

class LocalDelivery {
  readonly #ready: (limit: number) => Promise<readonly string[]>;
  readonly #slots: number;
  readonly #work: (run: string) => Promise<number | undefined>;
  readonly #active = new Map<string, Promise<void>>();
  /** Runs that this process may not have yet, and until when. */
  readonly #postponed = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  #isStopped = false;
  #woken = Promise.withResolvers<void>();
  #isWoken = false;

  constructor(
    ready: (limit: number) => Promise<readonly string[]>,
    slots: number,
    work: (run: string) => Promise<number | undefined>,
  ) {
    this.#ready = ready;
    this.#slots = slots;
    this.#work = work;
  }

  readonly wake = (): void => {
    this.#isWoken = true;
    this.#woken.resolve();
  };

  stop(): void {
    this.#isStopped = true;
    this.wake();
  }

  async run(): Promise<void> {
    let waitMs = shortestMs;
    while (!this.#isStopped) {
      this.#isWoken = false;
      this.#woken = Promise.withResolvers();
      const started = await this.#fill();
      waitMs = started > 0 || this.#isWoken ? shortestMs : Math.min(waitMs * 2, longestMs);
      if (!this.#isWoken) await this.#pause(waitMs);
    }
    await Promise.all(this.#active.values());
  }

  /** Starts work on as many runs as there are free slots. Returns how many it started. */
  async #fill(): Promise<number> {
    const free = this.#slots - this.#active.size;
    if (free <= 0) return 0;
    const now = Date.now();
    for (const [run, until] of this.#postponed) if (until <= now) this.#postponed.delete(run);
    // A store that does not answer now is asked again after the next pause.
    const ready = await this.#ready(free + this.#active.size + this.#postponed.size).catch(() => []);
    const next = ready.filter((run) => !this.#active.has(run) && !this.#postponed.has(run)).slice(0, free);
    if (this.#isStopped) return 0;
    for (const run of next) this.#active.set(run, this.#deliver(run));
    return next.length;
  }

  async #deliver(run: string): Promise<void> {
    const again = await this.#attempt(run);
    if (again !== undefined && again > Date.now()) this.#postponed.set(run, again);
    this.#active.delete(run);
    this.wake();
  }

  async #attempt(run: string): Promise<number | undefined> {
    try {
      const again = await this.#work(run);
      this.#failures.delete(run);
      return again;
    } catch {
      const failures = (this.#failures.get(run) ?? 0) + 1;
      this.#failures.set(run, failures);
      return Date.now() + failureDelayMs(failures);
    }
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([promise, this.#woken.promise]);
    clearTimeout(timer);
  }
}
