import { setTimeout } from "node:timers/promises";
import { monotonicMs } from "../../lib/clock.ts";
import { giveUp } from "./driver.ts";
import {
  diedOfInterruption,
  ignoresInterruption,
  isPartOfShell,
  programOf,
  type ShellProcesses,
  send,
} from "./shell-processes.ts";

// What Ctrl-C does not end is asked by SIGTERM, and ended in the end.
const patienceMs = { interrupt: 500, terminate: 2000, kill: 3000 };
const lookMs = 20;

/**
 * Ends what a command runs while its shell is held still, and tells by which signal the shell will then give up the rest of
 * the command; undefined when it would go on with it, and has to be ended, too. A shell that waits for a program gives up
 * by SIGINT only if the program died of that; else by a trap, which it heeds before the next program, but not in the
 * middle of a substitution: what it was to become an argument of would run without it.
 */
export async function endCommand(
  shell: ShellProcesses,
  bystanders: ReadonlySet<number>,
): Promise<"SIGINT" | typeof giveUp | undefined> {
  if (!shell.tellShell("SIGSTOP")) return undefined;
  // Waits for the shell, which somebody else may let go before it is told below.
  shell.tellShell(giveUp);
  const started = shell.children().filter((pid) => !bystanders.has(pid));
  // What is about to become another program hears no signal until then.
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
    // A program may take a second one for impatience; a copy of bash that is about to become a program hears none.
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
    // Whoever looks at what a command uses holds it still, too, and then lets it go, also the shell.
    shell.tellShell("SIGSTOP");
    for (const pid of left) {
      if (passed > patienceMs.terminate) tell(pid, "SIGKILL");
      else if (passed > patienceMs.interrupt || ignoresInterruption(pid)) tell(pid, "SIGTERM");
      else tell(pid, "SIGINT");
    }
    await setTimeout(lookMs);
  }
}
