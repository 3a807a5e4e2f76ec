import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ResourceLimits } from "../../contract/confinement.ts";
import { attemptQuietly, statsAt } from "../../system/attempt.ts";
import { type MountTableEntry, readMountTable } from "../../system/mount-table.ts";
import { newRecordName, ownerHasEnded, readSystemFile } from "../../system/process-identity.ts";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Returns a command that runs the given one under limits that the kernel enforces for each process. They are a
 * fallback: `LimitWatch` enforces limits for all processes together. A limit that cannot be set is already lower.
 * `tasks` is the number of processes and threads of the machine; 0 if unknown.
 */
export function withKernelLimits(
  command: Command,
  limits: ResourceLimits,
  { tasks }: { readonly tasks: number },
): Command {
  // The kernel counts all processes of the user, including ended ones, those outside the sandbox and those that start
  // later. Its limit is higher than that of LimitWatch, which can report the reason.
  const processes = 2 * limits.processes + (tasks || manyTasks) + laterTasks;
  const lines = [
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
  /** Adds processes, and everything that they start from then on. */
  add(members: readonly number[]): void;
  /** Whether a process could not be started because the group was full. */
  wasFull(): boolean;
  /** Removes the group. Call it when the group is empty. */
  close(): void;
}

/** Creates a group; undefined when none can be created. */
export function openTaskGroup(limit: number): TaskGroup | undefined {
  const parent = parentHere();
  if (parent === undefined) return undefined;
  for (const path of emptied) remove(path);
  const path = join(parent, prefix + newRecordName());
  try {
    mkdirSync(path);
    writeFileSync(join(path, "pids.max"), String(limit));
  } catch {
    remove(path);
    return undefined;
  }
  return {
    add: (members) => {
      // The write fails for a process that has ended.
      for (const member of members)
        attemptQuietly(() => writeFileSync(join(path, "cgroup.procs"), String(member)));
    },
    wasFull: () => !/^max 0$/m.test(readSystemFile(join(path, "pids.events")) || "max 0"),
    close: () => remove(path),
  };
}

const prefix = "toolcrib-";

/** Groups that could not be removed, because a process in them was still ending. The next group removes them. */
const emptied = new Set<string>();

function remove(path: string): void {
  try {
    rmdirSync(path);
    emptied.delete(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EBUSY") emptied.add(path);
    else emptied.delete(path);
  }
}

/** Finds the parent of groups once, and removes groups that killed Toolcrib processes have left in it. */
function parentHere(): string | undefined {
  if (found === undefined) {
    found = { path: findParent(readSystemFile("/proc/self/cgroup"), readSystemFile("/proc/self/mountinfo")) };
    if (found.path !== undefined) tidy(found.path);
  }
  return found.path;
}

let found: { readonly path: string | undefined } | undefined;

function tidy(parent: string): void {
  for (const name of readdirSync(parent).filter((name) => name.startsWith(prefix))) {
    const path = join(parent, name);
    const ageMs = Date.now() - (statsAt(path)?.mtimeMs ?? Infinity);
    if (ownerHasEnded(name.slice(prefix.length), ageMs)) remove(path);
  }
}

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
