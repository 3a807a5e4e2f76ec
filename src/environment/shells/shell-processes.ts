import { readlinkSync } from "node:fs";
import { lifeOf } from "../../system/process-owner.ts";
import { systemText } from "../../system/system-text.ts";

/** What the system tells of a shell and of what it runs. Systems without /proc tell nothing. */
export class ShellProcesses {
  readonly #shell: number | undefined;

  /** `inner`: the number that the shell has for itself, perhaps in a world of its own below `leader`. */
  constructor(leader: number, inner: number) {
    this.#shell = [leader, ...descendants(leader)].find((pid) => numberWithin(pid) === inner);
  }

  /** Where the shell is, whatever it says; undefined when that cannot be told. */
  directory(): string | undefined {
    if (this.#shell === undefined) return undefined;
    try {
      return readlinkSync(`/proc/${this.#shell}/cwd`);
    } catch {
      return undefined;
    }
  }

  /** Whether there is a shell that can be told by a signal. */
  tellShell(signal: NodeJS.Signals | number): boolean {
    return this.#shell !== undefined && send(signal, this.#shell);
  }

  /** What the shell has started itself. */
  children(): readonly number[] {
    return this.#shell === undefined ? [] : childrenOf(this.#shell);
  }

  /** What it has started but for some, with all below, as far as it lives. */
  below(bystanders: ReadonlySet<number>): readonly number[] {
    return this.children()
      .filter((pid) => !bystanders.has(pid))
      .flatMap((pid) => [pid, ...descendants(pid)])
      .filter((pid) => lifeOf(pid)?.isOver === false);
  }
}

/** Whether it is there to hear it. */
export function send(signal: NodeJS.Signals | number, pid: number): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Bash lets what it starts in the background ignore interruptions, when it controls no jobs. */
export function ignoresInterruption(pid: number): boolean {
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(systemText(`/proc/${pid}/status`))?.[1] ?? "0";
  return (BigInt(`0x${mask}`) & 2n) !== 0n;
}

/** Its name, also when it has ended and nobody has asked about it yet. */
export function programOf(pid: number): string {
  return systemText(`/proc/${pid}/comm`).trim();
}

/** Whether it is, or was, a copy of bash that runs a part of a command. */
export function isPartOfShell(pid: number): boolean {
  return programOf(pid) === "bash";
}

/** Whether one that has ended, and whom nobody has asked about it yet, was ended by SIGINT. */
export function diedOfInterruption(pid: number): boolean {
  return Number(systemText(`/proc/${pid}/stat`).trim().split(" ").at(-1)) === 2;
}

function descendants(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendants(child)]);
}

function childrenOf(pid: number): readonly number[] {
  return systemText(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

function numberWithin(pid: number): number {
  return Number(/^NSpid:.*?(\d+)$/m.exec(systemText(`/proc/${pid}/status`))?.[1]);
}
