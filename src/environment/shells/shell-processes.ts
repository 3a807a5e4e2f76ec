import { readlinkSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { monotonicMs } from "../../lib/clock.ts";
import { processInfo, readSystemFile } from "../../system/process-identity.ts";
import { giveUp } from "./driver.ts";

/** The processes of a shell as the system shows them. Without /proc nothing is known. */
export class ShellProcesses {
  readonly #shell: number | undefined;

  /** `inner`: the number that the shell has for itself, perhaps in a world of its own below `leader`. */
  constructor(leader: number, inner: number) {
    this.#shell = [leader, ...descendants(leader)].find((pid) => numberWithin(pid) === inner);
  }

  /** The shell's directory according to the system; undefined when it is unknown. */
  directory(): string | undefined {
    if (this.#shell === undefined) return undefined;
    try {
      return readlinkSync(`/proc/${this.#shell}/cwd`);
    } catch {
      return undefined;
    }
  }

  /** Whether there is a shell that can receive a signal. */
  tellShell(signal: NodeJS.Signals | number): boolean {
    return this.#shell !== undefined && send(signal, this.#shell);
  }

  /** The processes that the shell has started itself. */
  children(): readonly number[] {
    return this.#shell === undefined ? [] : childrenOf(this.#shell);
  }

  /** Its living descendants, except some. */
  below(bystanders: ReadonlySet<number>): readonly number[] {
    return this.children()
      .filter((pid) => !bystanders.has(pid))
      .flatMap((pid) => [pid, ...descendants(pid)])
      .filter((pid) => processInfo(pid)?.isOver === false);
  }
}

/**
 * Ends what a command runs while its shell is frozen, and returns the signal by which the shell will then give up the
 * rest of the command; undefined when it would continue with it, and has to be ended, too. A shell that waits for a
 * program gives up by SIGINT only if the program died of that; else by a trap, which it heeds before the next
 * program, but not in the middle of a substitution: what it was to become an argument of would run without it.
 */
export async function endCommand(
  shell: ShellProcesses,
  bystanders: ReadonlySet<number>,
): Promise<"SIGINT" | typeof giveUp | undefined> {
  if (!shell.tellShell("SIGSTOP")) return undefined;
  // Waits for the shell, which another process may resume before the signal below.
  shell.tellShell(giveUp);
  const started = shell.children().filter((pid) => !bystanders.has(pid));
  // A process that is about to exec another program gets no signal until then.
  await setTimeout(lookMs);
  if (!(await endAll(shell, bystanders))) return undefined;
  if (started.every(diedOfInterruption)) return "SIGINT";
  return started.some(isPartOfShell) ? undefined : giveUp;
}

async function endAll(shell: ShellProcesses, bystanders: ReadonlySet<number>): Promise<boolean> {
  const told = new Set<string>();
  const tell = (pid: number, signal: NodeJS.Signals) => {
    const program = programOf(pid);
    const message = `${signal} ${pid} ${program}`;
    // A program may take a second one for impatience; a copy of bash that is about to exec a program gets none.
    if (told.has(message) && program !== "bash") return;
    told.add(message);
    send(signal, pid);
    send("SIGCONT", pid);
  };
  const begun = monotonicMs();
  for (;;) {
    const passed = monotonicMs() - begun;
    const left = shell.below(bystanders);
    if (left.length === 0) return true;
    if (passed > patienceMs.kill) return false;
    // The resource check freezes the command, too, and then thaws everything, also the shell.
    shell.tellShell("SIGSTOP");
    for (const pid of left) {
      if (passed > patienceMs.terminate) tell(pid, "SIGKILL");
      else if (passed > patienceMs.interrupt || ignoresInterruption(pid)) tell(pid, "SIGTERM");
      else tell(pid, "SIGINT");
    }
    await setTimeout(lookMs);
  }
}

/** Whether the process exists. */
function send(signal: NodeJS.Signals | number, pid: number): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Bash lets what it starts in the background ignore interruptions, when it controls no jobs. */
function ignoresInterruption(pid: number): boolean {
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readSystemFile(`/proc/${pid}/status`))?.[1] ?? "0";
  return (BigInt(`0x${mask}`) & 2n) !== 0n;
}

/** Its name, also of a zombie. */
function programOf(pid: number): string {
  return readSystemFile(`/proc/${pid}/comm`).trim();
}

/** Whether it is, or was, a copy of bash that runs a part of a command. */
function isPartOfShell(pid: number): boolean {
  return programOf(pid) === "bash";
}

/** Whether a zombie was ended by SIGINT. */
function diedOfInterruption(pid: number): boolean {
  return Number(readSystemFile(`/proc/${pid}/stat`).trim().split(" ").at(-1)) === 2;
}

function descendants(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendants(child)]);
}

function childrenOf(pid: number): readonly number[] {
  return readSystemFile(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

function numberWithin(pid: number): number {
  return Number(/^NSpid:.*?(\d+)$/m.exec(readSystemFile(`/proc/${pid}/status`))?.[1]);
}

// What Ctrl-C does not end is asked by SIGTERM, and ended in the end.
const patienceMs = { interrupt: 500, terminate: 2000, kill: 3000 };
const lookMs = 20;
