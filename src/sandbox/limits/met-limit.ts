import type { ResourceLimits } from "../../contract/confinement.ts";
import { asBuffer } from "../../lib/bytes/bytes.ts";
import { formatLimit } from "../../lib/resource-limits.ts";
import { counted } from "../../lib/text/format-quantity.ts";

/** A limit that a command has met. */
export interface MetLimit {
  readonly limit: keyof ResourceLimits;
  readonly allowed: number;
  /** As far as it is known. */
  readonly used?: number;
  /** It was ended for that; otherwise the system has refused more. */
  readonly wasEnded: boolean;
}

/** The limit, the amount used, and the rule that allows more. */
export function describeMetLimit({ limit, allowed, used, wasEnded }: MetLimit): string {
  const what = used === undefined || used <= allowed ? atLimit[limit](allowed) : beyond[limit](used, allowed);
  const raised = formatLimit(limit, roundUp(limit, 2 * allowed));
  return `${wasEnded ? "It was ended at a limit" : "It met a limit"}: ${what}. The rule \`limit ${raised}\` allows more.`;
}

/** The limit at which the kernel has ended a command, by its exit. */
export function limitOfSignal(exit: {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}): keyof ResourceLimits | undefined {
  return kernelSignals.find(({ signal, code }) => exit.signal === signal || exit.code === code)?.limit;
}

/** As shells report it for programs that were ended for that, and as other programs do. */
export function saysFileTooLarge(bytes: Uint8Array): boolean {
  const said = asBuffer(bytes);
  return fileTooLarge.some((words) => said.includes(words));
}

const fileTooLarge = ["File size limit exceeded", ": File too large", "[Errno 27]", "EFBIG"];

const kernelSignals = [
  { limit: "cpuSeconds", signal: "SIGXCPU", code: 128 + 24 },
  { limit: "fileBytes", signal: "SIGXFSZ", code: 128 + 25 },
] as const;

const atLimit: Readonly<Record<keyof ResourceLimits, (allowed: number) => string>> = {
  cpuSeconds: (allowed) => `a program used ${showSeconds(allowed)} of CPU time`,
  memoryBytes: (allowed) => `it used ${showBytes(allowed)} of memory`,
  processes: (allowed) =>
    `it could not have more than ${counted(allowed, "process", "processes")} and threads`,
  fileBytes: (allowed) => `a file could not become larger than ${showBytes(allowed)}`,
  outputBytes: (allowed) => `it printed ${showBytes(allowed)}`,
};

const beyond: Readonly<Record<keyof ResourceLimits, (used: number, allowed: number) => string>> = {
  cpuSeconds: (used, allowed) =>
    `with all that it started it used ${showSeconds(used)} of CPU time, and may use ${showSeconds(allowed)}`,
  memoryBytes: (used, allowed) =>
    `with all that it started it used ${showBytes(used)} of memory, and may use ${showBytes(allowed)}`,
  processes: (used, allowed) => `it had ${used} processes and threads at once, and may have ${allowed}`,
  fileBytes: (used, allowed) => `a file had ${showBytes(used)}, and may have ${showBytes(allowed)}`,
  outputBytes: (used, allowed) => `it printed ${showBytes(used)}, and may print ${showBytes(allowed)}`,
};

/** To a round number. */
function roundUp(limit: keyof ResourceLimits, amount: number): number {
  if (!limit.endsWith("Bytes")) return Math.ceil(amount);
  const unit = amount >= gigabyte ? gigabyte : amount >= megabyte ? megabyte : 1;
  return Math.ceil(amount / unit) * unit;
}

const megabyte = 1024 ** 2;
const gigabyte = 1024 ** 3;

/** In the units of rules. */
function showBytes(bytes: number): string {
  const [unit, size] = units.find(([, size]) => bytes >= size) ?? ["bytes", 1];
  return `${Number((bytes / size).toFixed(1))} ${unit}`;
}

const units = [
  ["TB", 1024 ** 4],
  ["GB", gigabyte],
  ["MB", megabyte],
  ["kB", 1024],
] as const;

function showSeconds(seconds: number): string {
  if (seconds >= 7200) return `${Number((seconds / 3600).toFixed(1))} hours`;
  return `${Number(seconds.toFixed(1))} s`;
}

/** What one command of a shell session may print: it is ended, not the shell. */
export class OutputAllowance {
  readonly #allowed: number;
  readonly #ending = new AbortController();
  #used = 0;

  constructor(bytes: number) {
    this.#allowed = bytes;
  }

  /** Aborted when it has printed more. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get remarks(): readonly string[] {
    if (!this.signal.aborted) return [];
    const used = { allowed: this.#allowed, used: this.#used };
    return [describeMetLimit({ limit: "outputBytes", ...used, wasEnded: true })];
  }

  take(bytes: number): void {
    if (this.signal.aborted) return;
    this.#used += bytes;
    if (this.#used > this.#allowed) this.#ending.abort();
  }
}
