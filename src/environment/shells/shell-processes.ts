import { readlinkSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { monotonicMs } from "../../lib/clock.ts";
import { attempt } from "../../system/attempt.ts";
import { processInfo, readSystemFile } from "../../system/process-identity.ts";
import { giveUp } from "./driver.ts";

/** The processes of a shell as /proc reports them. Without /proc they are unknown. */
export class ShellProcesses {
  readonly #shell: number | undefined;

  /** `inner` is the shell's process id as the shell sees it, perhaps in a process namespace below `leader`. */
  constructor(leader: number, inner: number) {
    this.#shell = [leader, ...descendants(leader)].find((pid) => numberWithin(pid) === inner);
  }

  /** Returns the shell's directory according to the system; undefined when unknown. */
  directory(): string | undefined {
    return attempt(() => readlinkSync(`/proc/${this.#shell}/cwd`));
  }

  /** Sends a signal to the shell. Returns whether it was sent. */
  signalShell(signal: NodeJS.Signals | number): boolean {
    return this.#shell !== undefined && send(signal, this.#shell);
  }

  children(): readonly number[] {
    return this.#shell === undefined ? [] : childrenOf(this.#shell);
  }

  /** Returns the running descendants, without `bystanders` and their descendants. */
  below(bystanders: ReadonlySet<number>): readonly number[] {
    return this.children()
      .filter((pid) => !bystanders.has(pid))
      .flatMap((pid) => [pid, ...descendants(pid)])
      .filter((pid) => processInfo(pid)?.isOver === false);
  }
}

/**
 * Stops the programs of a command while its shell is frozen. Returns the signal that makes the shell abandon the rest
 * of the command; undefined when the shell would continue with it and must be stopped too. On SIGINT, bash abandons the
 * command only if its program died of SIGINT. For other programs the trap of `giveUp` does it before the next program
 * starts. In a substitution neither works: the outer command would run without its argument.
 * Programs that survive SIGINT get SIGTERM after a quarter of `graceMs`, and SIGKILL at its end.
 */
export async function endCommand(
  shell: ShellProcesses,
  bystanders: ReadonlySet<number>,
  graceMs: number,
): Promise<"SIGINT" | typeof giveUp | undefined> {
  if (!shell.signalShell("SIGSTOP")) return undefined;
  // This signal stays pending while the shell is frozen, in case another process thaws it too early.
  shell.signalShell(giveUp);
  const started = shell.children().filter((pid) => !bystanders.has(pid));
  // A process that is about to become another program would miss a signal, so it gets some time.
  await setTimeout(lookMs);
  if (!(await endAll(shell, bystanders, graceMs))) return undefined;
  if (started.every(diedOfInterruption)) return "SIGINT";
  // A copy of bash runs a part of a command, such as a substitution.
  return started.some((pid) => programOf(pid) === "bash") ? undefined : giveUp;
}

async function endAll(
  shell: ShellProcesses,
  bystanders: ReadonlySet<number>,
  graceMs: number,
): Promise<boolean> {
  const sent = new Set<string>();
  const sendOnce = (pid: number, signal: NodeJS.Signals) => {
    const program = programOf(pid);
    const key = `${signal} ${pid} ${program}`;
    // A program may treat a second signal as urgent. A copy of bash that is about to become a program may miss the
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
    if (passed > graceMs + killMs) return false;
    // The shell is frozen again, because the check of limits may have thawed it.
    shell.signalShell("SIGSTOP");
    for (const pid of left) {
      if (passed > graceMs) sendOnce(pid, "SIGKILL");
      else if (passed > graceMs / 4 || ignoresInterruption(pid)) sendOnce(pid, "SIGTERM");
      else sendOnce(pid, "SIGINT");
    }
    await setTimeout(lookMs);
  }
}

function send(signal: NodeJS.Signals | number, pid: number): boolean {
  return attempt(() => process.kill(pid, signal)) === true;
}

/** Whether a process ignores SIGINT, as background programs do that bash starts without job control. */
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

// A process that survives SIGKILL so long hangs in the kernel.
const killMs = 1000;
const lookMs = 20;
