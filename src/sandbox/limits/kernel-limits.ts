import { mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ResourceLimits } from "../../contract/confinement.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { attemptQuietly, statsAt } from "../../system/attempt.ts";
import { namesIfReadable } from "../../system/directories.ts";
import { type MountTableEntry, readMountTable } from "../../system/mount-table.ts";
import { newRecordName, ownerHasEnded, readSystemFile } from "../../system/process-identity.ts";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Returns a command that runs the given one under limits that the kernel enforces for each process. They are a
 * fallback: `LimitWatch` enforces limits for all processes together. A limit that cannot be set is already lower.
 */
export function withKernelLimits(
  command: Command,
  limits: ResourceLimits,
  group: Pick<TaskGroup, "members"> | undefined,
): Command {
  // The kernel counts all processes of the user, including ended ones, those outside the sandbox and those that start
  // later. Its limit is higher than that of LimitWatch, which can report the reason.
  const processes = 2 * limits.processes + (tasksOfMachine() || manyTasks) + laterTasks;
  const lines = [
    ...(group === undefined ? [] : [`echo 0 >${shellQuote(group.members)}`]),
    // When the machine runs out of memory, the kernel kills the command before Toolcrib.
    `echo ${oomScore()} >/proc/self/oom_score_adj`,
    // A core dump would contain the program's secrets.
    "ulimit -c 0",
    // The soft limit sends SIGXCPU, the hard limit SIGKILL.
    `ulimit -S -t ${limits.cpuSeconds}`,
    `ulimit -H -t ${limits.cpuSeconds + cpuGraceSeconds}`,
    `ulimit -f ${Math.ceil(limits.fileBytes / blockBytes)}`,
    // Dash and similar shells call this limit -p.
    `ulimit -u ${processes} || ulimit -p ${processes}`,
  ];
  const line = `{ ${lines.join("; ")}; } 2>/dev/null; exec "$@"`;
  return { file: "/bin/sh", args: ["-c", line, "sh", command.file, ...command.args] };
}

/** Returns the number of processes and threads of the machine; 0 if unknown. */
function tasksOfMachine(): number {
  return Number(/\/(\d+) /.exec(readSystemFile("/proc/loadavg"))?.[1] ?? 0);
}

const cpuGraceSeconds = 5;
const blockBytes = 512;

// The assumed number of tasks of one user when it is unknown.
const manyTasks = 4096;

// Other programs of the user may start so many while the command runs.
const laterTasks = 1000;

/** Returns a high score for a command, because the kernel kills processes with the highest score first. */
function oomScore(): number {
  return Math.max(500, Number(readSystemFile("/proc/self/oom_score_adj")));
}

/** A control group that limits the number of processes and threads, even for root, whom no other limit affects. */
export interface TaskGroup {
  /** The file to which a process writes 0 to join, with everything that it starts from then on. */
  readonly members: string;
  /** Whether a process could not be started because the group was full. */
  wasFull(): boolean;
  /** Removes the group. Call it when the group is empty. */
  close(): void;
}

/** Creates a group; undefined when none can be created. */
export function openTaskGroup(limit: number): TaskGroup | undefined {
  const parent = parentHere();
  if (parent === undefined) return undefined;
  const path = join(parent, prefix + newRecordName());
  try {
    mkdirSync(path);
    writeFileSync(join(path, "pids.max"), String(limit));
  } catch {
    remove(path);
    return undefined;
  }
  return {
    members: join(path, "cgroup.procs"),
    wasFull: () => !/^max 0$/m.test(readSystemFile(join(path, "pids.events")) || "max 0"),
    close: () => remove(path),
  };
}

const prefix = "toolcrib-";

/** Removes a group. One in which a process is still ending stays, until a later process of Toolcrib removes it. */
function remove(path: string): void {
  attemptQuietly(() => rmdirSync(path));
}

/** Finds the parent of groups once, and removes groups that Toolcrib processes have left in it. */
function parentHere(): string | undefined {
  if (found !== undefined) return found.path;
  const path = findParent(readSystemFile("/proc/self/cgroup"), readSystemFile("/proc/self/mountinfo"));
  found = { path };
  for (const name of path === undefined ? [] : namesIfReadable(path)) {
    if (!name.startsWith(prefix)) continue;
    const ageMs = Date.now() - (statsAt(join(path!, name))?.mtimeMs ?? Infinity);
    if (ownerHasEnded(name.slice(prefix.length), ageMs)) remove(join(path!, name));
  }
  return path;
}

let found: { readonly path: string | undefined } | undefined;

/** Returns the directory to create groups in: for version 1 the group of this process, for version 2 its parent. */
export function findParent(
  groups: string,
  mounts: string,
  isControlled: (directory: string) => boolean = controlsTasks,
): string | undefined {
  const mounted = readMountTable(mounts);
  const own = groups.split("\n").map((line) => line.split(":"));
  const [, , first] = own.find(([, controllers = ""]) => controllers.split(",").includes("pids")) ?? [];
  const firstMount = mounted.find(
    ({ type, fileSystemOptions }) => type === "cgroup" && fileSystemOptions.includes("pids"),
  );
  if (first !== undefined && firstMount !== undefined) return groupIn(firstMount, first);
  const [, , second] = own.find(([number, controllers]) => number === "0" && controllers === "") ?? [];
  const secondMount = mounted.find(({ type }) => type === "cgroup2");
  if (second === undefined || secondMount === undefined) return undefined;
  const group = groupIn(secondMount, second);
  if (group === undefined || group === secondMount.point) return undefined;
  return isControlled(dirname(group)) ? dirname(group) : undefined;
}

function controlsTasks(directory: string): boolean {
  return readSystemFile(join(directory, "cgroup.subtree_control")).trim().split(" ").includes("pids");
}

/** Returns the path of a group, if it is part of the mounted tree. */
function groupIn({ root, point }: MountTableEntry, group: string): string | undefined {
  const isInside = root === "/" || group === root || group.startsWith(`${root}/`);
  return isInside ? join(point, root === "/" ? group : group.slice(root.length), ".") : undefined;
}
