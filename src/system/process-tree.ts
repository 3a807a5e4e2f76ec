import { attemptQuietly } from "./attempt.ts";
import { type ProcessInfo, processInfo, readSystemFile } from "./process-identity.ts";
import { ProcessScan } from "./process-scan.ts";

/**
 * The processes that one program has started: its descendants, the members of its process group, and processes that
 * left both but carry a mark in their environment. A process found once stays a member, and so does everything it
 * starts. Without /proc only the group is known.
 */
export class ProcessTree {
  readonly #marks: readonly string[];
  readonly #leader: number | undefined;
  readonly #leaderStart: string | undefined;
  readonly #forksBefore: number;
  readonly #known = new Map<number, string>();
  /** Processes without the mark. They never get it later, and reading their environment is slow. */
  readonly #strangers = new Map<number, string>();
  #group: "led" | "left" | "gone";

  /** `leader`: a program that was just started in a new process group. */
  constructor(marks: readonly string[], leader?: number) {
    this.#marks = marks;
    this.#leader = leader;
    this.#leaderStart = leader === undefined ? undefined : processInfo(leader)?.start;
    this.#forksBefore = leader === undefined ? 0 : new ProcessScan().forks;
    this.#group = leader === undefined ? "gone" : "led";
  }

  /** Call this as soon as the leader's exit is known, because the number of an empty group may be reused. */
  leaderHasEnded(): void {
    this.#group = this.#group !== "gone" && hits(-this.#leader!, 0) ? "left" : "gone";
  }

  /** Returns the running members. */
  members(scan: ProcessScan = new ProcessScan()): readonly ProcessInfo[] {
    const lives = scan
      .among(this.#candidates(scan))
      .filter(({ isOver, start }) => !isOver && Number(start) >= Number(this.#leaderStart ?? 0));
    const childrenOf = Map.groupBy(lives, ({ parent }) => parent);
    const members = new Map<number, ProcessInfo>();
    const take = (life: ProcessInfo) => {
      if (members.has(life.pid)) return;
      members.set(life.pid, life);
      for (const child of childrenOf.get(life.pid) ?? []) take(child);
    };
    for (const life of lives) if (this.#isKnown(life)) take(life);
    for (const life of lives) if (!members.has(life.pid) && this.#isMarked(life, scan)) take(life);

    const found = [...members.values()];
    this.#remember(found);
    if (this.#group === "left" && !this.isUnseen && !found.some(({ group }) => group === this.#leader))
      this.#group = "gone";
    return found;
  }

  /** Returns the leader and its first child, which leads the processes inside a sandbox. Takes constant time. */
  nearest(): readonly ProcessInfo[] {
    const leader = this.#leader;
    if (leader === undefined || this.#group !== "led") return [];
    const [child] = readSystemFile(`/proc/${leader}/task/${leader}/children`).split(" ");
    const found = new ProcessScan().among([leader, Number(child)]);
    for (const { pid, start } of found) this.#known.set(pid, start);
    return found;
  }

  /** Whether there are processes that `members` cannot list. */
  get isUnseen(): boolean {
    return this.#group !== "gone" && this.#leaderStart === undefined && hits(-this.#leader!, 0);
  }

  /** Signals whole groups at once, so that a process that is being forked does not escape. */
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

  #isMarked({ pid, start }: ProcessInfo, scan: ProcessScan): boolean {
    if (this.#strangers.get(pid) === start) return false;
    const environment = scan.environment(pid);
    const isMarked = this.#marks.some((mark) => environment.includes(mark));
    // The environment of a program that is just starting is also empty.
    if (!isMarked && environment !== "") this.#strangers.set(pid, start);
    return isMarked;
  }

  /** Process ids ascend, so until they start over, everything that a program has started has an id after its own. */
  #candidates({ numbers, forks, last, mostNumbers }: ProcessScan): readonly number[] {
    const first = this.#leader;
    // Written so that an unreadable count, which is not a number, excludes nothing.
    if (first === undefined || !(forks - this.#forksBefore < mostNumbers / 2)) return numbers;
    return last >= first ? numbers.filter((pid) => pid >= first && pid <= last) : numbers;
  }
}

// This includes ended processes, of which a program that runs for days has many.
const mostKnown = 10_000;

/** Returns whether a process received the signal. */
function hits(pid: number, signal: NodeJS.Signals | 0): boolean {
  return attemptQuietly(() => process.kill(pid, signal)) ?? false;
}
