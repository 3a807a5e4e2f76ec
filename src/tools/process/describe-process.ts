import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { ProcessOutput, ProcessStatus } from "../../contract/process.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { plainTerminalText } from "../../lib/text/terminal-text.ts";
import { amount } from "../fields.ts";
import { describeExit } from "../shell/describe-run.ts";

/** Describes a process in one line: "web has been running for 2 min and is ready: 127.0.0.1:3000." */
export function describeProcess(status: ProcessStatus): string {
  return [`${status.name} ${describeState(status)}${describePorts(status)}.`, ...describeStall(status)].join(
    " ",
  );
}

function describeState({ kind, state, exitCode, signal, durationMs }: ProcessStatus): string {
  const time = showDuration(durationMs);
  if (kind === "shell" && state !== "ended") return `is a shell, open for ${time}`;
  switch (state) {
    case "starting":
      return `has been running for ${time}, not ready yet`;
    case "ready":
      return `has been running for ${time} and is ready`;
    case "running":
      return `has been running for ${time}`;
    case "ended": {
      if (signal !== null) return `was killed by ${signal} after ${time}`;
      return `exited after ${time}${exitCode === null ? "" : ` with exit code ${exitCode}`}`;
    }
  }
}

/** Lists the ports. A port in a sandbox may have another number outside. */
function describePorts({ ports, state }: ProcessStatus): string {
  if (ports.length === 0 || state === "ended") return "";
  const addresses = ports.map(({ port, address }) =>
    address.endsWith(`:${port}`) ? address : `port ${port} at ${address}`,
  );
  return `: ${addresses.join(", ")}`;
}

/** Returns why the command of a process failed; undefined while it runs, and on success. */
export function failureOf(status: ProcessStatus): string | undefined {
  return status.state === "ended" ? describeExit(status) : undefined;
}

/** Describes signs that a process makes no progress. */
function describeStall({ state, quietMs, waitsForInput }: ProcessStatus): string[] {
  if (state === "ended") return [];
  const stall: string[] = [];
  if (quietMs >= stallMs) stall.push(`No output for ${showDuration(quietMs)}.`);
  if (waitsForInput) stall.push("It is waiting for input.");
  return stall;
}

const stallMs = 60_000;

function showDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

export const nameField = z.string().check(z.minLength(1));

export const maxCharsField = (usual: string) =>
  amount(1, 1_000_000, `Approximate maximum. Default ${usual}.`);

/** A cursor that stands for the end of the output shown so far. */
export const lastCursor = z.literal("last");

/** Waits until a process ends or the time is up. A timeout is not an error. */
export async function untilEnded(
  name: string,
  waitMs: number,
  { processes, signal, progress, output }: ToolContext,
): Promise<void> {
  try {
    await processes.wait(
      name,
      { until: "exit", timeoutMs: Math.max(waitMs, 1) },
      { signal, progress, output },
    );
  } catch (error) {
    const isPatient = error instanceof ToolError && error.code === "timeout" && !signal.aborted;
    if (!isPatient) throw error;
  }
}

/** Shows the output of a process, with a note on missing output before it. */
export function showOutput({ text, from, lost, status }: ProcessOutput): string {
  const shown = plainTerminalText(text);
  const before = lost > 0 ? [`[${missing(lost, status.output)}]`] : [];
  return [
    ...before,
    shown === "" ? `[No ${from === 0 ? "" : "new "}output.]` : shown.replace(/\n$/, ""),
  ].join("\n");
}

/** Returns how to read newer output, for calls that do more than read output. */
export function continuationAfter({ cursor, status }: ProcessOutput): { readonly continuation?: string } {
  if (status.state === "ended") return {};
  return { continuation: `Read newer output with process.output and cursor ${cursor}.` };
}

function missing(lost: number, handle: string | null): string {
  const what = `${counted(lost, "byte")} before this ${lost === 1 ? "is" : "are"} no longer in memory`;
  return handle === null ? `${what}.` : `${what}; file.read ${handle} has them.`;
}
