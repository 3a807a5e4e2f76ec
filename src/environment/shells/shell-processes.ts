import { readlinkSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { monotonicMs } from "../../lib/clock.ts";
import { attempt } from "../../system/attempt.ts";
import { processInfo, readSystemFile } from "../../system/process-identity.ts";
import { giveUp } from "./driver.ts";

/** The processes of a shell as the system reports them. Without /proc nothing is known. */
export class ShellProcesses {
  readonly #shell: number | undefined;

  /** `inner`: the shell's own process id, perhaps in a process namespace below `leader`. */
  constructor(leader: number, inner: number) {
    this.#shell = [leader, ...descendants(leader)].find((pid) => numberWithin(pid) === inner);
  }

  /** The shell's directory according to the system; undefined when unknown. */
  directory(): string | undefined {
    return attempt(() => readlinkSync(`/proc/${this.#shell}/cwd`));
  }

  /** Returns whether there is a shell to receive the signal. */
  signalShell(signal: NodeJS.Signals | number): boolean {
    return this.#shell !== undefined && send(signal, this.#shell);
  }

  children(): readonly number[] {
    return this.#shell === undefined ? [] : childrenOf(this.#shell);
  }

  /** The running descendants, with some exceptions. */
  below(bystanders: ReadonlySet<number>): readonly number[] {
    return this.children()
      .filter((pid) => !bystanders.has(pid))
      .flatMap((pid) => [pid, ...descendants(pid)])
      .filter((pid) => processInfo(pid)?.isOver === false);
  }
}

/**
 * Stops the programs of a command while its shell is frozen. Returns the signal that makes the shell abandon the rest
 * of the command; undefined when the shell would continue with it and must be stopped too. A shell that waits for a
 * program abandons the command on SIGINT only if the program died of SIGINT. Otherwise a trap does it, which runs
 * before the next program, but not within a substitution: the outer command would run without its argument.
 */
export async function endCommand(
  shell: ShellProcesses,
  bystanders: ReadonlySet<number>,
): Promise<"SIGINT" | typeof giveUp | undefined> {
  if (!shell.signalShell("SIGSTOP")) return undefined;
  // Stays pending while the shell is frozen, because another process may thaw it before the signal below.
  shell.signalShell(giveUp);
  const started = shell.children().filter((pid) => !bystanders.has(pid));
  // A process that is about to exec another program gets no signal until then.
  await setTimeout(lookMs);
  if (!(await endAll(shell, bystanders))) return undefined;
  if (started.every(diedOfInterruption)) return "SIGINT";
  // Copies of bash run, or ran, a part of a command.
  return started.some((pid) => programOf(pid) === "bash") ? undefined : giveUp;
}

async function endAll(shell: ShellProcesses, bystanders: ReadonlySet<number>): Promise<boolean> {
  const sent = new Set<string>();
  const sendOnce = (pid: number, signal: NodeJS.Signals) => {
    const program = programOf(pid);
    const key = `${signal} ${pid} ${program}`;
    // A program may treat a second signal as urgent, but a copy of bash that is about to exec a program misses the
    // first.
    if (sent.has(key) && program !== "bash") return;
    sent.add(key);
    send(signal, pid);
    send("SIGCONT", pid);
  };
  const begun = monotonicMs();
  for (;;) {
    const passed = monotonicMs() - begun;
    const left = shell.below(bystanders);
    if (left.length === 0) return true;
    if (passed > deadlineMs.kill) return false;
    // The resource check also freezes the command, and then thaws everything, including the shell.
    shell.signalShell("SIGSTOP");
    for (const pid of left) {
      if (passed > deadlineMs.terminate) sendOnce(pid, "SIGKILL");
      else if (passed > deadlineMs.interrupt || ignoresInterruption(pid)) sendOnce(pid, "SIGTERM");
      else sendOnce(pid, "SIGINT");
    }
    await setTimeout(lookMs);
  }
}

function send(signal: NodeJS.Signals | number, pid: number): boolean {
  return attempt(() => process.kill(pid, signal)) === true;
}

/** Without job control, bash starts background programs that ignore SIGINT. */
function ignoresInterruption(pid: number): boolean {
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readSystemFile(`/proc/${pid}/status`))?.[1] ?? "0";
  return (BigInt(`0x${mask}`) & 2n) !== 0n;
}

function programOf(pid: number): string {
  return readSystemFile(`/proc/${pid}/comm`).trim();
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

// Programs that survive SIGINT get SIGTERM, and finally SIGKILL.
const deadlineMs = { interrupt: 500, terminate: 2000, kill: 3000 };
const lookMs = 20;
