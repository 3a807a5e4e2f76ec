import type { Run } from "./run-records.ts";
import { newMark, type RunRecords } from "./run-records.ts";

/** The running processes of one environment. */
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

// Started processes would outlive this one, so they are ended with it. Undefined for one that is about to be started.
const watched = new Map<string, Run | undefined>();

/**
 * Kills at once everything that this process has started, for an exit without time to ask. The records stay: what the
 * sandboxes have left is for the next process to remove.
 */
export function killWatched(): void {
  for (const run of watched.values()) run?.kill();
}

/** A signal without a listener ends this process without an exit event: so it is handled here, and passed on. */
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
