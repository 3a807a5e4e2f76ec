import { readdirSync } from "node:fs";
import { monotonicMs } from "../lib/clock.ts";
import { attempt } from "./attempt.ts";
import { type ProcessInfo, processInfo, readSystemFile } from "./process-identity.ts";

/**
 * Everything that one program has started: by descent, by its group, and, for what has left both, by a mark in the
 * environment. A process that was found once belongs to it, with everything it starts. Without /proc only the group
 * is known.
 */
export class ProcessTree {
  readonly #marks: readonly string[];
  readonly #leader: number | undefined;
  readonly #leaderStart: string | undefined;
  readonly #begun = monotonicMs();
  readonly #known = new Map<number, string>();
  /** Without the mark, which a program has from its beginning or never: finding out costs most. */
  readonly #strangers = new Map<number, string>();
  #group: "led" | "left" | "gone";

  /** `leader`: a program that has just begun, in a group of its own. */
  constructor(marks: readonly string[], leader?: number) {
    this.#marks = marks;
    this.#leader = leader;
    this.#leaderStart = leader === undefined ? undefined : processInfo(leader)?.start;
    this.#group = leader === undefined ? "gone" : "led";
  }

  /** Call it as soon as the exit is known: from then on the number of an empty group may be reused. */
  leaderIsGone(): void {
    this.#group = this.#group !== "gone" && hits(-this.#leader!, 0) ? "left" : "gone";
  }

  /** Those that live, among all that do. */
  members(all: readonly ProcessInfo[] = livesOf(this.#candidates())): readonly ProcessInfo[] {
    const lives = all.filter(
      ({ isOver, start }) => !isOver && Number(start) >= Number(this.#leaderStart ?? 0),
    );
    const childrenOf = Map.groupBy(lives, ({ parent }) => parent);
    const members = new Map<number, ProcessInfo>();
    const take = (life: ProcessInfo) => {
      if (members.has(life.pid)) return;
      members.set(life.pid, life);
      for (const child of childrenOf.get(life.pid) ?? []) take(child);
    };
    for (const life of lives) if (this.#isKnown(life)) take(life);
    for (const life of lives) if (!members.has(life.pid) && this.#isMarked(life)) take(life);

    const found = [...members.values()];
    this.#remember(found);
    if (this.#group === "left" && !this.isUnseen && !found.some(({ group }) => group === this.#leader))
      this.#group = "gone";
    return found;
  }

  /**
   * The leader and its first child, which leads the processes inside a sandbox: found at once, however many there
   * are.
   */
  nearest(): readonly ProcessInfo[] {
    const leader = this.#leader;
    if (leader === undefined || this.#group !== "led") return [];
    const [child] = readSystemFile(`/proc/${leader}/task/${leader}/children`).split(" ");
    const found = livesOf([leader, Number(child)]);
    for (const { pid, start } of found) this.#known.set(pid, start);
    return found;
  }

  /** Whether a process is left that `members` cannot list. */
  get isUnseen(): boolean {
    return this.#group !== "gone" && this.#leaderStart === undefined && hits(-this.#leader!, 0);
  }

  /** To whole groups at once, so that no process escapes that is just being forked. */
  send(signal: NodeJS.Signals, members: readonly ProcessInfo[], { sparesLeader = false } = {}): void {
    const groups = new Set(members.map(({ group }) => group).filter((group) => this.#owns(group)));
    if (this.#group !== "gone") groups.add(this.#leader!);
    if (sparesLeader) groups.delete(this.#leader!);
    for (const group of groups) hits(-group, signal);
    for (const { pid, group } of members)
      if (!groups.has(group) && !(sparesLeader && pid === this.#leader)) hits(pid, signal);
  }

  #remember(found: readonly ProcessInfo[]): void {
    for (const { pid, start } of found) this.#known.set(pid, start);
    if (this.#strangers.size > mostKnown) this.#strangers.clear();
    if (this.#known.size < mostKnown + found.length) return;
    const needed = new Set(found.flatMap(({ pid, group }) => [pid, group]));
    for (const pid of this.#known.keys()) if (!needed.has(pid)) this.#known.delete(pid);
  }

  #owns(group: number): boolean {
    return group === this.#leader ? this.#group !== "gone" : this.#known.has(group);
  }

  #isKnown({ pid, start, group }: ProcessInfo): boolean {
    if (this.#known.get(pid) === start) return true;
    if (pid === this.#leader) return start === this.#leaderStart;
    return this.#group !== "gone" && group === this.#leader;
  }

  #isMarked({ pid, start }: ProcessInfo): boolean {
    if (this.#strangers.get(pid) === start) return false;
    const environment = readSystemFile(`/proc/${pid}/environ`);
    const isMarked = this.#marks.some((mark) => environment.includes(mark));
    // Empty is also that of a program which is just beginning.
    if (!isMarked && environment !== "") this.#strangers.set(pid, start);
    return isMarked;
  }

  /** Numbers are given in a circle: what a program starts in its first moment has those after its own. */
  #candidates(): readonly number[] {
    const numbers = processNumbers();
    const first = this.#leader;
    if (first === undefined || monotonicMs() - this.#begun > momentMs) return numbers;
    const last = Number(readSystemFile("/proc/loadavg").trimEnd().split(" ").at(-1));
    return last >= first ? numbers.filter((pid) => pid >= first && pid <= last) : numbers;
  }
}

// So short that process numbers cannot be reused in between.
const momentMs = 250;

// Of those that have ended: what runs for days starts many.
const mostKnown = 10_000;

/** Every process that can be seen, also those of others. */
export function livingProcesses(): readonly ProcessInfo[] {
  return livesOf(processNumbers());
}

function livesOf(numbers: readonly number[]): readonly ProcessInfo[] {
  return numbers.map(processInfo).filter((life) => life !== undefined);
}

function processNumbers(): readonly number[] {
  const names = attempt(() => readdirSync("/proc")) ?? [];
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Whether a process received it. */
function hits(pid: number, signal: NodeJS.Signals | 0): boolean {
  return attempt(() => process.kill(pid, signal)) ?? false;
}
