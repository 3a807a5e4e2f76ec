import { readdirSync } from "node:fs";
import { setImmediate, setTimeout } from "node:timers/promises";
import { monotonicMs } from "../lib/clock.ts";
import { attemptQuietly } from "./attempt.ts";
import { type ProcessInfo, processInfo, readSystemFile } from "./process-identity.ts";

/**
 * What /proc shows now. Several process trees share a scan, so everything is read on demand and at most once. Use it
 * right after it was made.
 */
export class ProcessScan {
  readonly #lives = new Map<number, ProcessInfo | undefined>();
  readonly #environments = new Map<number, string>();
  #numbers: readonly number[] | undefined;
  #forks: number | undefined;
  #last: number | undefined;
  #mostNumbers: number | undefined;

  /** The ids of all visible processes, including those of other users. */
  get numbers(): readonly number[] {
    if (this.#numbers === undefined) {
      const names = attemptQuietly(() => readdirSync("/proc")) ?? [];
      this.#numbers = names.filter((name) => /^\d+$/.test(name)).map(Number);
    }
    return this.#numbers;
  }

  get all(): readonly ProcessInfo[] {
    return this.among(this.numbers);
  }

  among(numbers: readonly number[]): readonly ProcessInfo[] {
    return numbers.map((pid) => this.#life(pid)).filter((life) => life !== undefined);
  }

  environment(pid: number): string {
    const known = this.#environments.get(pid);
    if (known !== undefined) return known;
    const read = readSystemFile(`/proc/${pid}/environ`);
    this.#environments.set(pid, read);
    return read;
  }

  /** How many processes and threads the machine has started since boot, each of which took an id. */
  get forks(): number {
    this.#forks ??= Number(/^processes (\d+)$/m.exec(readSystemFile("/proc/stat"))?.[1]);
    return this.#forks;
  }

  /** The id of the newest process or thread. It is read after `numbers`, so that no listed process is newer. */
  get last(): number {
    void this.numbers;
    this.#last ??= Number(readSystemFile("/proc/loadavg").trimEnd().split(" ").at(-1));
    return this.#last;
  }

  get mostNumbers(): number {
    this.#mostNumbers ??= Number(readSystemFile("/proc/sys/kernel/pid_max"));
    return this.#mostNumbers;
  }

  #life(pid: number): ProcessInfo | undefined {
    if (!this.#lives.has(pid))
      this.#lives.set(
        pid,
        attemptQuietly(() => processInfo(pid)),
      );
    return this.#lives.get(pid);
  }
}

/**
 * Returns a scan that begins after this call, so that it shows everything that was true before. Calls that wait for the
 * next scan share it. After a scan that took long the next one waits, so that programs that end at the same time, such
 * as the servers of a hub, do not keep this process busy.
 */
export function nextScan(): Promise<ProcessScan> {
  next ??= takeNext();
  return next;
}

let next: Promise<ProcessScan> | undefined;
let restUntilMs = 0;
const restPerScan = 9;
const longestRestMs = 50;

async function takeNext(): Promise<ProcessScan> {
  const restMs = restUntilMs - monotonicMs();
  await (restMs >= 1 ? setTimeout(Math.min(restMs, longestRestMs)) : setImmediate());
  next = undefined;
  const begunMs = monotonicMs();
  // By then, all who wait have read what they need.
  void setImmediate().then(() => {
    const endMs = monotonicMs();
    restUntilMs = endMs + restPerScan * (endMs - begunMs);
  });
  return new ProcessScan();
}
