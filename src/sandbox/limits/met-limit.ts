import type { ResourceLimits } from "../../contract/confinement.ts";
import { asBuffer } from "../../lib/bytes/bytes.ts";
import { formatLimit } from "../../lib/resource-limits.ts";

/** A limit that a command has reached. */
export interface MetLimit {
  readonly limit: keyof ResourceLimits;
  readonly allowed: number;
  readonly used?: number;
  /** Whether Toolcrib ended the command at this limit. Otherwise the kernel enforced the limit. */
  readonly wasEnded: boolean;
}

/** Describes the limit, the amount used, and the rule that allows more. */
export function describeMetLimit({ limit, allowed, used, wasEnded }: MetLimit): string {
  const [name, show] = shown[limit];
  const isBeyond = used !== undefined && used > allowed;
  const amount = isBeyond ? `${show(used)} used, ${show(allowed)} allowed` : show(allowed);
  const raised = formatLimit(limit, roundUp(limit, 2 * allowed));
  return `The command ${wasEnded ? "was ended at" : "reached"} its ${name} limit: ${amount}. The rule \`limit ${raised}\` allows more.`;
}

const shown: Readonly<Record<keyof ResourceLimits, readonly [string, (amount: number) => string]>> = {
  cpuSeconds: ["CPU time", showSeconds],
  memoryBytes: ["memory", showBytes],
  processes: ["process and thread", String],
  fileBytes: ["file size", showBytes],
  outputBytes: ["output", showBytes],
};

/** Returns the limit at which the kernel has killed a command, by its exit. */
export function limitOfSignal(exit: {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}): keyof ResourceLimits | undefined {
  return kernelSignals.find(({ signal, code }) => exit.signal === signal || exit.code === code)?.limit;
}

/** Detects the messages of shells and other programs about a file that became too large. */
export function reportsFileTooLarge(bytes: Uint8Array): boolean {
  const messages = ["File size limit exceeded", ": File too large", "[Errno 27]", "EFBIG"];
  return messages.some((message) => asBuffer(bytes).includes(message));
}

const kernelSignals = [
  { limit: "cpuSeconds", signal: "SIGXCPU", code: 128 + 24 },
  { limit: "fileBytes", signal: "SIGXFSZ", code: 128 + 25 },
] as const;

/** Rounds bytes up to whole MB or GB, other amounts to integers. */
function roundUp(limit: keyof ResourceLimits, amount: number): number {
  if (!limit.endsWith("Bytes")) return Math.ceil(amount);
  const unit = amount >= gigabyte ? gigabyte : amount >= megabyte ? megabyte : 1;
  return Math.ceil(amount / unit) * unit;
}

const megabyte = 1024 ** 2;
const gigabyte = 1024 ** 3;

/** Shows an amount in the units of rules. */
function showBytes(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power]}`;
}

function showSeconds(seconds: number): string {
  if (seconds >= 7200) return `${Number((seconds / 3600).toFixed(1))} hours`;
  return `${Number(seconds.toFixed(1))} s`;
}
