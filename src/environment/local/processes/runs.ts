import { endWithProcess } from "../../../system/end-with-process.ts";
import { newMark, type Run, type RunRecords } from "./run-records.ts";

/** The running processes of one environment. */
export class Runs {
  readonly #living = new Map<Run, Promise<unknown>>();
  readonly #records: RunRecords | undefined;

  constructor(records?: RunRecords) {
    this.#records = records;
  }

  /**
   * Records a run before its start. It is stopped with this process, or by the next one when this process is killed.
   */
  announce(): string {
    const mark = newMark();
    this.#records?.add(mark);
    stopWatching ??= endWithProcess(killWatched);
    watched.set(mark, undefined);
    return mark;
  }

  /** Removes the record of a run that has ended, or was never started. */
  forget(mark: string): void {
    this.#records?.remove(mark);
    if (!watched.delete(mark) || watched.size > 0) return;
    stopWatching?.();
    stopWatching = undefined;
  }

  watch(run: Run, mark: string, exit: Promise<unknown>): void {
    this.#living.set(run, exit);
    watched.set(mark, run);
    const release = () => {
      this.#living.delete(run);
      this.forget(mark);
    };
    exit.then(release, release);
  }

  /** Returns the ids of the processes of each run. */
  pids(): readonly (readonly number[])[] {
    return Array.from(this.#living.keys(), (run) => run.members().map(({ pid }) => pid));
  }

  async close(): Promise<void> {
    for (const run of this.#living.keys()) run.kill();
    await Promise.allSettled(this.#living.values());
  }
}

// These runs are stopped with this process. The value is undefined for a run that is about to start.
const watched = new Map<string, Run | undefined>();
let stopWatching: (() => void) | undefined;

/** Kills everything that this process has started. The records stay, so that the next process can clean up. */
export function killWatched(): void {
  for (const run of watched.values()) run?.kill();
}
