import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ResourceLimits } from "../../contract/confinement.ts";
import { type MountTableEntry, readMountTable } from "../../system/mount-table.ts";
import { isGone, thisProcess } from "../../system/process-owner.ts";
import { systemText } from "../../system/system-text.ts";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * The same command, held by the kernel to what it can hold single processes to; whatever they start inherits it. These
 * are backstops, for when we cannot look: limits of all together are kept by `LimitWatch`. What the system does not let
 * us set stays as it is, which is lower then.
 *
 * `tasks`: how many processes and threads the machine has, if it tells.
 */
export function withKernelLimits(
  command: Command,
  limits: ResourceLimits,
  { tasks }: { readonly tasks: number },
): Command {
  // The kernel counts all that a user runs, also outside, and what has ended but is not yet awaited. It must come after
  // us, who can say what happened.
  const processes = 2 * limits.processes + (tasks || manyTasks);
  const lines = [
    // Before us, should the machine run out of memory.
    `echo ${oomScore()} >/proc/self/oom_score_adj`,
    // A core dump would hold whatever the program knew, also secrets.
    "ulimit -c 0",
    // SIGXCPU first, SIGKILL for who does not heed it.
    `ulimit -S -t ${limits.cpuSeconds}`,
    `ulimit -H -t ${limits.cpuSeconds + cpuGraceSeconds}`,
    `ulimit -f ${Math.ceil(limits.fileBytes / blockBytes)}`,
    // Dash and its like call it -p.
    `ulimit -u ${processes} || ulimit -p ${processes}`,
  ];
  const line = `{ ${lines.join("; ")}; } 2>/dev/null; exec "$@"`;
  return { file: "/bin/sh", args: ["-c", line, "sh", command.file, ...command.args] };
}

const cpuGraceSeconds = 5;
const blockBytes = 512;

// Of one user, where the system does not tell.
const manyTasks = 4096;

/** Those of the highest are ended first. */
function oomScore(): number {
  return Math.max(500, Number(systemText("/proc/self/oom_score_adj")));
}

/**
 * A control group of the kernel that holds no more than some processes and threads: for root, whom no other limit of
 * their number binds.
 */
export interface TaskGroup {
  /** With all that they start from then on. */
  add(members: readonly number[]): void;
  /** Whether somebody could not be started because it was full. */
  wasFull(): boolean;
  /** When nobody is in it. */
  close(): void;
}

/** Undefined where none can be made. */
export function openTaskGroup(limit: number): TaskGroup | undefined {
  const parent = parentHere();
  if (parent === undefined) return undefined;
  for (const path of emptied) remove(path);
  const path = join(parent, `${prefix}${thisProcess()}.${randomBytes(6).toString("hex")}`);
  try {
    mkdirSync(path);
  } catch {
    return undefined;
  }
  try {
    writeFileSync(join(path, "pids.max"), String(limit));
  } catch {
    remove(path);
    return undefined;
  }
  return {
    add: (members) => {
      for (const member of members) put(member, join(path, "cgroup.procs"));
    },
    wasFull: () => !/^max 0$/m.test(systemText(join(path, "pids.events")) || "max 0"),
    close: () => remove(path),
  };
}

const prefix = "toolcrib-";

function put(member: number, list: string): void {
  try {
    writeFileSync(list, String(member));
  } catch {
    // It has ended meanwhile.
  }
}

/** Whose last member is not quite gone: the next one tries again. */
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

/** Found once, and tidied of what killed processes have left in it. */
function parentHere(): string | undefined {
  if (found === undefined) {
    found = { path: findParent(systemText("/proc/self/cgroup"), systemText("/proc/self/mountinfo")) };
    if (found.path !== undefined) tidy(found.path);
  }
  return found.path;
}

let found: { readonly path: string | undefined } | undefined;

function tidy(parent: string): void {
  for (const name of readdirSync(parent).filter((name) => name.startsWith(prefix))) {
    const path = join(parent, name);
    const [owner = ""] = name.slice(prefix.length).split(".");
    const ageMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
    if (isGone(owner, ageMs)) remove(path);
  }
}

/**
 * The directory to make groups in: for version 1 the group that we are in ourselves, for version 2 the one around it,
 * since there only groups without groups in them have members.
 */
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
  if (first !== undefined && firstMount !== undefined) return placeIn(firstMount, first);
  const [, , second] = own.find(([number, controllers]) => number === "0" && controllers === "") ?? [];
  const secondMount = mounted.find(({ type }) => type === "cgroup2");
  if (second === undefined || secondMount === undefined) return undefined;
  const place = placeIn(secondMount, second);
  if (place === undefined || place === secondMount.point) return undefined;
  return isControlled(dirname(place)) ? dirname(place) : undefined;
}

function controlsTasks(directory: string): boolean {
  return systemText(join(directory, "cgroup.subtree_control")).trim().split(" ").includes("pids");
}

/** Where a group is seen, if it is part of what is mounted. */
function placeIn({ root, point }: MountTableEntry, group: string): string | undefined {
  const isInside = root === "/" || group === root || group.startsWith(`${root}/`);
  return isInside ? join(point, root === "/" ? group : group.slice(root.length), ".") : undefined;
}
