import type { ResourceLimits } from "../../contract/confinement.ts";
import type { ProcessExit } from "../../contract/environment.ts";
import type { ProcessInfo } from "../../system/process-identity.ts";
import { ProcessScan } from "../../system/process-scan.ts";
import { type Command, openTaskGroup, type TaskGroup, withKernelLimits } from "./kernel-limits.ts";
import { describeMetLimit, limitOfSignal, type MetLimit, reportsFileTooLarge } from "./met-limit.ts";
import { endedForMemory, usageOf } from "./usage.ts";

interface Watched {
  /** Returns the processes of the command among all processes. */
  members(scan: ProcessScan): readonly ProcessInfo[];
  kill(): void;
}

/** Looks at one command with all its processes twice a second, and ends it at a limit. It never stops a process meanwhile. */
export class LimitWatch {
  readonly #limits: ResourceLimits;
  #group: TaskGroup | undefined;
  #watched: Watched | undefined;
  #isLooking = false;
  #printedBytes = 0;
  #reportedFileTooLarge = false;
  #met: MetLimit | undefined;
  readonly #endedForMemory = endedForMemory();

  constructor(limits: ResourceLimits) {
    this.#limits = limits;
  }

  /** Returns the command under limits of the kernel. With `endsTogether`, killing one process ends all of them. */
  limit({ file, args, endsTogether }: Command & { readonly endsTogether: boolean }): Command {
    // Root is limited by a group alone. Where all processes end together, the next look is soon enough.
    if (!endsTogether && process.geteuid?.() === 0) this.#group = openTaskGroup(this.#limits.processes);
    return withKernelLimits({ file, args }, this.#limits, this.#group);
  }

  begin(watched: Watched): void {
    this.#watched = watched;
    if (process.platform === "linux") join(this);
  }

  /** Counts output. Call it with all of it. */
  takeOutput(bytes: Uint8Array): void {
    this.#printedBytes += bytes.length;
    this.#check("outputBytes", this.#printedBytes);
  }

  /** Searches stderr for the message that a file became too large, because only the program gets that error. */
  takeError(bytes: Uint8Array): void {
    this.#reportedFileTooLarge ||= reportsFileTooLarge(bytes);
  }

  async look(scan: ProcessScan): Promise<void> {
    if (this.#isLooking || this.#met !== undefined) return;
    if (this.#group?.wasFull()) return this.#end({ limit: "processes", allowed: this.#limits.processes });
    this.#isLooking = true;
    const usage = await usageOf(this.#watched!.members(scan), scan.all, this.#limits.memoryBytes);
    this.#isLooking = false;
    this.#check("processes", usage.processes);
    this.#check("memoryBytes", usage.memoryBytes);
    this.#check("cpuSeconds", usage.cpuSeconds);
  }

  /**
   * Ends the watch. Call it when all processes have ended, or could not be started. Returns remarks on reached limits.
   */
  finish(exit?: Pick<ProcessExit, "code" | "signal">): readonly string[] {
    leave(this);
    const met = this.#met ?? this.#metInKernel(exit);
    this.#group?.close();
    if (met !== undefined) return [describeMetLimit(met)];
    const wasKilled = exit?.signal === "SIGKILL" || exit?.code === 137;
    return wasKilled && endedForMemory() > this.#endedForMemory ? [outOfMemory] : [];
  }

  #check(limit: keyof ResourceLimits, used: number): void {
    const allowed = this.#limits[limit];
    if (used > allowed) this.#end({ limit, allowed, used });
  }

  #end(met: Omit<MetLimit, "wasEnded">): void {
    if (this.#met !== undefined) return;
    this.#met = { ...met, wasEnded: true };
    this.#watched?.kill();
  }

  #metInKernel(exit: Pick<ProcessExit, "code" | "signal"> | undefined): MetLimit | undefined {
    const limit = this.#group?.wasFull()
      ? "processes"
      : ((exit && limitOfSignal(exit)) ?? (this.#reportedFileTooLarge ? "fileBytes" : undefined));
    return limit && { limit, allowed: this.#limits[limit], wasEnded: false };
  }
}

const outOfMemory =
  "The machine ran out of memory while the command ran, and the system killed programs, probably this one.";

/** All watches share one look at the processes of the machine. It takes at most a fifth of the time. */
const watches = new Set<LimitWatch>();
let timer: NodeJS.Timeout | undefined;
const pauseMs = 500;

function join(watch: LimitWatch): void {
  watches.add(watch);
  timer ??= later(pauseMs);
}

function leave(watch: LimitWatch): void {
  watches.delete(watch);
  if (watches.size > 0) return;
  clearTimeout(timer);
  timer = undefined;
}

/** Does not keep this process alive; waiting for the command does. */
function later(ms: number): NodeJS.Timeout {
  return setTimeout(lookAtAll, ms).unref();
}

function lookAtAll(): void {
  const begun = performance.now();
  const scan = new ProcessScan();
  for (const watch of watches) void watch.look(scan);
  timer = later(Math.max(pauseMs, 4 * (performance.now() - begun)));
}
