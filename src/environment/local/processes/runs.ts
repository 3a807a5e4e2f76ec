import { newMark, type Run, type RunRecords } from "./run-records.ts";

/** The running processes of one environment. */
export class Runs {
  readonly #living = new Map<Run, Promise<unknown>>();
  readonly #records: RunRecords | undefined;

  constructor(records?: RunRecords) {
    this.#records = records;
  }

  /** Called before a start. The run is stopped with this process, or by the next one when this process is killed. */
  announce(): string {
    const mark = newMark();
    this.#records?.add(mark);
    if (watched.size === 0) listen("on");
    watched.set(mark, undefined);
    return mark;
  }

  /** Called when the run has ended, or was never started. */
  forget(mark: string): void {
    this.#records?.remove(mark);
    if (watched.delete(mark) && watched.size === 0) listen("off");
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

  async close(): Promise<void> {
    for (const run of this.#living.keys()) run.kill();
    await Promise.allSettled(this.#living.values());
  }
}

// Started processes would outlive this one, so they are stopped with it. Undefined for a run that is about to start.
const watched = new Map<string, Run | undefined>();

/** Kills everything that this process has started. The records stay, so that the next process can clean up. */
export function killWatched(): void {
  for (const run of watched.values()) run?.kill();
}

/** A signal without a listener ends this process without an exit event, so it is handled here and sent again. */
function endBy(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killWatched();
  process.off(signal, endBy);
  process.kill(process.pid, signal);
}

function listen(how: "on" | "off"): void {
  process[how]("exit", killWatched);
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process[how](signal, endBy);
}
