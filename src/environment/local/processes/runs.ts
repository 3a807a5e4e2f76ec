import type { Run } from "./run.ts";
import { newMark, type RunRecords } from "./run-records.ts";

/** What one environment has started and still runs. */
export class Runs {
  readonly #living = new Map<Run, Promise<unknown>>();
  readonly #records: RunRecords | undefined;

  constructor(records?: RunRecords) {
    this.#records = records;
  }

  /** Before it is started: should this process be ended, so is it; should it be killed, the next knows of it. */
  announce(): string {
    const mark = newMark();
    this.#records?.add(mark);
    expect(mark);
    return mark;
  }

  /** It has ended, or was never started. */
  forget(mark: string): void {
    this.#records?.remove(mark);
    letGo(mark);
  }

  /** Until `exit`. */
  watch(run: Run, mark: string, exit: Promise<unknown>): void {
    this.#living.set(run, exit);
    watched.set(mark, run);
    const letGoOf = () => {
      this.#living.delete(run);
      this.forget(mark);
    };
    exit.then(letGoOf, letGoOf);
  }

  async close(): Promise<void> {
    for (const run of this.#living.keys()) run.kill();
    await Promise.allSettled(this.#living.values());
  }
}

// What is started would outlive us, so it is ended when we end. Undefined for what is about to be started.
const watched = new Map<string, Run | undefined>();

/**
 * Kills at once whatever this process has started, for who has no time to ask. Their records stay: what their sandboxes have
 * left is for the next process to remove.
 */
export function killWatched(): void {
  for (const run of watched.values()) run?.kill();
}

/** A signal that nobody else hears ends this process without its exit being told: so it is heard here, and passed on. */
function endBy(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killWatched();
  process.off(signal, endBy);
  process.kill(process.pid, signal);
}

const endings = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

function expect(mark: string): void {
  if (watched.size === 0) {
    process.on("exit", killWatched);
    for (const signal of endings) process.on(signal, endBy);
  }
  watched.set(mark, undefined);
}

function letGo(mark: string): void {
  if (!watched.delete(mark) || watched.size > 0) return;
  process.off("exit", killWatched);
  for (const signal of endings) process.off(signal, endBy);
}
