import { availableParallelism } from "node:os";
import type { ResourceLimits } from "../../contract/confinement.ts";
import type { ProcessExit } from "../../contract/environment.ts";
import { monotonicMs } from "../../lib/clock.ts";
import type { ProcessInfo } from "../../system/process-identity.ts";
import { ProcessScan } from "../../system/process-scan.ts";
import { type Command, openTaskGroup, type TaskGroup, withKernelLimits } from "./kernel-limits.ts";
import { describeMetLimit, limitOfSignal, type MetLimit, reportsFileTooLarge } from "./met-limit.ts";
import {
  endedForMemory,
  type MachineUse,
  machineUse,
  memoryFileBytes,
  type Usage,
  usageOf,
} from "./usage.ts";

// Measuring all processes takes some milliseconds. It is done when half of the remaining resources may be used, by the
// totals of the machine, and at intervals, which are shorter for a young command and above half of a limit. It takes at
// most one part in `share` of the time.
const restMs = { least: 250, most: 2000 };
const share = 5;

// Moving a process into a group takes the kernel up to 15 ms, so processes are grouped only when the machine has many
// new ones: this fraction of their allowed number.
const groupedFrom = 0.05;

interface Watched {
  /** Returns the processes of the command among all processes. */
  members(scan: ProcessScan): readonly ProcessInfo[];
  /** Freezes the command while it is measured. */
  pause(): void;
  resume(): void;
  kill(): void;
}

/** Measures one command with all its processes, and stops it at a limit. */
export class LimitWatch {
  readonly begunMs: number = monotonicMs();
  readonly #limits: ResourceLimits;
  readonly #fileBytesBefore: number;
  #group: TaskGroup | "none" | undefined;
  #watched: Watched | undefined;
  #isLooking = false;
  #isPaused = false;
  #last: Look;
  #printedBytes = 0;
  #reportedFileTooLarge = false;
  #met: MetLimit | undefined;
  #endedForMemory: number | undefined;

  constructor(limits: ResourceLimits) {
    this.#limits = limits;
    const machine = machineUse();
    this.#fileBytesBefore = machine.fileBytes;
    this.#last = { usage: nothing, machine, atMs: this.begunMs, tookMs: 0 };
  }

  limit(command: Command): Command {
    return withKernelLimits(command, this.#limits, this.#last.machine);
  }

  begin(watched: Watched): void {
    this.#watched = watched;
    if (process.platform === "linux") joinRounds(this);
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

  /**
   * Ends the watch. Call it when all processes have ended, or could not be started. Returns remarks on reached limits.
   */
  finish(exit?: Pick<ProcessExit, "code" | "signal">): readonly string[] {
    leaveRounds(this);
    const met = this.#met ?? this.#metInKernel(exit);
    if (this.#group !== "none") this.#group?.close();
    if (met !== undefined) return [describeMetLimit(met)];
    return this.#ranOutOfMemory(exit) ? [outOfMemory] : [];
  }

  /** Whether the machine's totals require measuring all processes. "if made": only if another watch needs it. */
  glance(machine: MachineUse): "yes" | "if made" | "no" {
    this.#endedForMemory ??= endedForMemory();
    if (this.#met !== undefined || this.#isLooking) return "no";
    if (this.#wasFull()) {
      this.#end({ limit: "processes", allowed: this.#limits.processes });
      return "no";
    }
    if (this.#newTasks(machine) > (this.#group === undefined ? groupedFrom : 1)) {
      this.#isPaused = true;
      this.#watched?.pause();
      return "yes";
    }
    return this.#isDue(machine);
  }

  async look({ atMs, machine, scan }: Round): Promise<void> {
    this.#isLooking = true;
    const members = this.#watched!.members(scan);
    if (this.#isPaused) this.#hold(members);
    const filesHaveGrown = machine.fileBytes - this.#fileBytesBefore > this.#limits.memoryBytes / 8;
    const nameless = filesHaveGrown || members.length <= fewMembers;
    const files = memoryFileBytes(members, { nameless });
    const usage = await usageOf(members, { all: scan.all, files, enough: this.#limits.memoryBytes });
    this.#last = { usage, machine, atMs, tookMs: monotonicMs() - atMs };
    this.#check("processes", usage.processes);
    this.#check("memoryBytes", usage.memoryBytes);
    this.#check("cpuSeconds", usage.cpuSeconds);
    if (this.#isPaused && this.#met === undefined) this.#watched?.resume();
    this.#isPaused = false;
    this.#isLooking = false;
  }

  /** Limits the processes by a group, because the kernel reacts faster than this process. */
  #hold(members: readonly ProcessInfo[]): void {
    this.#group ??= openTaskGroup(this.#limits.processes) ?? "none";
    if (this.#group !== "none") this.#group.add(members.map(({ pid }) => pid));
  }

  #wasFull(): boolean {
    return this.#group !== "none" && this.#group?.wasFull() === true;
  }

  #isDue(machine: MachineUse): "yes" | "if made" | "no" {
    const { usage, atMs, tookMs, machine: before } = this.#last;
    const { processes, memoryBytes, cpuSeconds } = this.#limits;
    const restedMs = monotonicMs() - atMs;
    // This is the largest fraction of the remaining resources that may have been used since the last measurement.
    const usedSince = Math.max(
      this.#newTasks(machine),
      (before.freeBytes - machine.freeBytes) / (memoryBytes - usage.memoryBytes),
      (restedMs * availableParallelism()) / 1000 / (cpuSeconds - usage.cpuSeconds),
    );
    const used = Math.max(usage.processes / processes, usage.memoryBytes / memoryBytes);
    const enoughMs = used > 0.5 ? 0 : Math.min(atMs - this.begunMs, restMs.most);
    const isRested = restedMs >= Math.max(enoughMs, restMs.least);
    if (restedMs < share * tookMs) return "no";
    if (usedSince > 0.5 || isRested) return "yes";
    return restedMs >= enoughMs / 2 ? "if made" : "no";
  }

  #newTasks({ tasks }: MachineUse): number {
    const { usage, machine: before } = this.#last;
    return (tasks - before.tasks) / (this.#limits.processes - usage.processes);
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
    const limit = this.#wasFull()
      ? "processes"
      : ((exit && limitOfSignal(exit)) ?? (this.#reportedFileTooLarge ? "fileBytes" : undefined));
    return limit && { limit, allowed: this.#limits[limit], wasEnded: false };
  }

  /** Whether the kernel may have killed the command because memory ran out. */
  #ranOutOfMemory(exit: Pick<ProcessExit, "code" | "signal"> | undefined): boolean {
    if (this.#endedForMemory === undefined || (exit?.signal !== "SIGKILL" && exit?.code !== 137))
      return false;
    return endedForMemory() > this.#endedForMemory;
  }
}

// For so few processes, reading their descriptors costs almost nothing.
const fewMembers = 16;

const nothing: Usage = { cpuSeconds: 0, memoryBytes: 0, processes: 0 };

interface Look {
  readonly usage: Usage;
  readonly machine: MachineUse;
  readonly atMs: number;
  readonly tookMs: number;
}

const outOfMemory =
  "The machine ran out of memory while the command ran, and the system killed programs, probably this one.";

// A check of the totals costs almost nothing, and is more frequent while a command has just begun.
const glanceMs = 100;
const youngGlanceMs = 50;
const youngMs = 2000;

/** One measurement of all processes. */
interface Round {
  readonly atMs: number;
  readonly machine: MachineUse;
  readonly scan: ProcessScan;
}

/** Adds a watch to those that share measurements of the machine and of all processes. */
function joinRounds(member: LimitWatch): void {
  members.add(member);
  clearTimeout(timer);
  plan();
}

function leaveRounds(member: LimitWatch): void {
  members.delete(member);
  if (members.size === 0) clearTimeout(timer);
}

const members = new Set<LimitWatch>();
let timer: NodeJS.Timeout | undefined;

function plan(): void {
  const youngest = Math.max(...[...members].map(({ begunMs }) => begunMs));
  const pauseMs = monotonicMs() - youngest < youngMs ? youngGlanceMs : glanceMs;
  // The watch does not keep this process alive; waiting for the command does.
  timer = setTimeout(goRound, pauseMs).unref();
}

function goRound(): void {
  const machine = machineUse();
  const wishes = [...members].map((member) => ({ member, wish: member.glance(machine) }));
  if (wishes.some(({ wish }) => wish === "yes")) {
    const round = { atMs: monotonicMs(), machine, scan: new ProcessScan() };
    for (const { member, wish } of wishes) if (wish !== "no") void member.look(round);
  }
  if (members.size > 0) plan();
}
