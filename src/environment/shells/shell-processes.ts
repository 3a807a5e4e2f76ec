import { readFileSync, readlinkSync } from "node:fs";

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

  /** What the shell has started itself. */
  children(): readonly number[] {
    return this.#shell === undefined ? [] : childrenOf(this.#shell);
  }

  /** What runs below it but for some children and what is below these. */
  below(bystanders: ReadonlySet<number>): readonly number[] {
    return this.children()
      .filter((pid) => !bystanders.has(pid))
      .flatMap((pid) => [pid, ...descendants(pid)]);
  }
}

function descendants(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendants(child)]);
}

function childrenOf(pid: number): readonly number[] {
  return textOf(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

function numberWithin(pid: number): number {
  return Number(/^NSpid:.*?(\d+)$/m.exec(textOf(`/proc/${pid}/status`))?.[1]);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
