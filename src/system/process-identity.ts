import { readFileSync, readlinkSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { attempt, attemptQuietly } from "./attempt.ts";

/** Identifies this process in file names: process id, start time, boot and process namespace. */
export function thisProcess(): string {
  own ??= [process.pid, processInfo(process.pid)?.start ?? 0, bootOf(), namespaceOf()].join("-");
  return own;
}

let own: string | undefined;

/** Whether the process in a record's name has ended. A process in another container counts as ended when the record is old. */
export function ownerHasEnded(name: string, ageMs: number, abandonedMs: number = changeAbandonedMs): boolean {
  const [owner = ""] = name.split(".");
  const [pid = "", start = "", boot = "", namespace = ""] = owner.split("-");
  if (boot !== bootOf()) return true;
  if (namespace !== namespaceOf()) return ageMs > abandonedMs;
  if (namespace === unknown) return !answers(Number(pid));
  const life = processInfo(Number(pid));
  return life === undefined || life.isOver || life.start !== start;
}

/** Whether the process in a record's name ran on this machine since it was started. Other machines may share the folder. */
export function isOfThisBoot(name: string): boolean {
  return name.split(".")[0]?.split("-")[2] === bootOf();
}

/**
 * Returns the id of the process in a record's name, if it runs here and belongs to this user. A process in another
 * container has an id that means nothing here.
 */
export function runningProcess(owner: string): number | undefined {
  const [pid = "", , boot, namespace] = owner.split("-");
  if (boot !== bootOf() || namespace !== namespaceOf() || ownerHasEnded(owner, 0)) return undefined;
  const user = attempt(() => statSync(`/proc/${pid}`).uid);
  return namespace === unknown || user === process.getuid?.() ? Number(pid) : undefined;
}

/** Records in a file that this process does something. */
export function recordThisProcess(file: string): void {
  attempt(() => writeFileSync(file, thisProcess(), { mode: 0o600 }));
}

/** Returns the id of the process that a file records, if it still runs here. */
export function recordedProcess(file: string): number | undefined {
  const owner = attempt(() => readFileSync(file, "utf8"));
  return owner === undefined ? undefined : runningProcess(owner);
}

// No change set takes this long.
const changeAbandonedMs = 10 * 60 * 1000;

/** The age at which the record of a process that may run for days counts as abandoned. */
export const longAbandonedMs: number = 30 * 24 * 60 * 60 * 1000;

export function newRecordName(): string {
  return `${thisProcess()}.${process.getBuiltinModule("node:crypto").randomBytes(6).toString("hex")}`;
}

/** Removes a record, unless another process has removed it. */
export function removeRecord(record: string): void {
  attempt(() => unlinkSync(record));
}

// Without /proc, processes are known only by their id.
const unknown = "0";

export interface ProcessInfo {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  readonly group: number;
  /** The start time in ticks since boot. Together with the id it identifies one process. */
  readonly start: string;
  readonly isStopped: boolean;
  readonly isOver: boolean;
  readonly threads: number;
  /** CPU time in hundredths of a second, including children that it has waited for. */
  readonly cpuTicks: number;
  readonly residentPages: number;
}

/** Returns undefined when the process does not exist. */
export function processInfo(pid: number): ProcessInfo | undefined {
  // Node reads UTF-8 with the fewest system calls.
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (stat === undefined) return undefined;
  // The name may contain any characters, including parentheses. The state and the numbers follow it.
  const nameEnd = stat.lastIndexOf(")");
  const fields = stat.slice(nameEnd + 2).split(" ");
  const [state, parent, group] = fields;
  return {
    pid,
    name: stat.slice(stat.indexOf("(") + 1, nameEnd),
    parent: Number(parent),
    group: Number(group),
    start: fields[19] ?? "",
    isStopped: state === "T",
    isOver: state === "Z" || state === "X",
    threads: Number(fields[17]),
    cpuTicks: Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14]),
    residentPages: Number(fields[21]),
  };
}

function bootOf(): string {
  return attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8)) ?? unknown;
}

function namespaceOf(): string {
  return attempt(() => readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")) ?? unknown;
}

function answers(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Reads a file below /proc or /sys; empty when it does not exist or cannot be read. */
export function readSystemFile(path: string, encoding: "latin1" | "utf8" = "latin1"): string {
  return attemptQuietly(() => readFileSync(path, encoding)) ?? "";
}
