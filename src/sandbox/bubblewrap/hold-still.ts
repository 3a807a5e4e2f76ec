import { readdirSync } from "node:fs";
import { setImmediate, setTimeout } from "node:timers/promises";
import { systemText } from "../../system/system-text.ts";

// Who waits for the beginning of a program that is stopped itself does not stop: then all go on for a moment.
const attempts = 3;
const rounds = 50;

/** Stops everything that a process has started. Gives what lets it go on; undefined when that cannot be had. */
export async function holdStill(leader: number): Promise<(() => void) | undefined> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    // Those above first, and last to go on: a shell must not see that what it waits for was stopped.
    const stopped = new Set<number>();
    const goOn = () => {
      for (const pid of [...stopped].toReversed()) send(pid, "SIGCONT");
    };
    for (let round = 0; round < rounds; round += 1) {
      const moving = startedBy(leader).filter(isMoving);
      if (moving.length === 0) return goOn;
      for (const pid of moving) if (send(pid, "SIGSTOP")) stopped.add(pid);
      await (round < 5 ? setImmediate() : setTimeout(2));
    }
    goOn();
    await setTimeout(2);
  }
  return undefined;
}

/** With those that they have started. In process numbers of their own nobody leaves this descent. */
function startedBy(pid: number): readonly number[] {
  const children = tasksOf(pid).flatMap((task) => systemText(`${task}/children`).split(" "));
  return children.filter((child) => child !== "").flatMap((child) => [Number(child), ...startedBy(+child)]);
}

/** Whether any of its threads is. */
function isMoving(pid: number): boolean {
  return tasksOf(pid).some((task) => {
    const stat = systemText(`${task}/stat`);
    return stat !== "" && !"TtZX".includes(stat[stat.lastIndexOf(")") + 2] ?? "X");
  });
}

function tasksOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((task) => `/proc/${pid}/task/${task}`);
  } catch {
    return [];
  }
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
