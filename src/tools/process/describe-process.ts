import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { ProcessOutput, ProcessStatus } from "../../contract/process.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { plainTerminalText } from "../../lib/text/terminal-text.ts";
import { integer } from "../fields.ts";

/** One line about a process: "web is ready for 2 min: 127.0.0.1:3000. Waits for input." */
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
      return `runs for ${time}, not ready yet`;
    case "ready":
      return `runs for ${time} and is ready`;
    case "running":
      return `runs for ${time}`;
    case "ended": {
      if (signal !== null) return `was ended by ${signal} after ${time}`;
      return `ended after ${time}${exitCode === null ? "" : ` with exit code ${exitCode}`}`;
    }
  }
}

/** A port in the sandbox may have another number outside. */
function describePorts({ ports, state }: ProcessStatus): string {
  if (ports.length === 0 || state === "ended") return "";
  const places = ports.map(({ port, address }) =>
    address.endsWith(`:${port}`) ? address : `port ${port} at ${address}`,
  );
  return `: ${places.join(", ")}`;
}

/** Signs that it makes no progress. */
function describeStall({ state, quietMs, waitsForInput }: ProcessStatus): string[] {
  if (state === "ended") return [];
  const stall: string[] = [];
  if (quietMs >= stallMs) stall.push(`It has said nothing for ${showDuration(quietMs)}.`);
  if (waitsForInput) stall.push("It waits for input.");
  return stall;
}

const stallMs = 60_000;

function showDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

export const nameField: z.ZodMiniString = z.string().check(z.minLength(1));

export function maxCharsField(usual: string): z.ZodMiniOptional<z.ZodMiniNumberFormat> {
  return integer(1, 1_000_000, `About how much; ${usual} if not given.`);
}

export const waitField: z.ZodMiniOptional<z.ZodMiniNumberFormat> = integer(
  0,
  600_000,
  "Wait for its end, at most this long.",
);

/** Output that was not shown before. */
export const lastCursor: z.ZodMiniLiteral<"last"> = z.literal("last");

/** Waits for the end of a process; a timeout is not a failure. */
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

/** The output of a process for a model, with a note on what is missing before it. */
export function showOutput({ text, from, lost, status }: ProcessOutput): string {
  const shown = plainTerminalText(text);
  const before = lost > 0 ? [`[${missing(lost, status.output)}]`] : [];
  return [
    ...before,
    shown === "" ? `[It said nothing${from === 0 ? "" : " more"}.]` : shown.replace(/\n$/, ""),
  ].join("\n");
}

/** For callers that got output as a side effect. */
export function whereToGoOn({ cursor, status }: ProcessOutput): { readonly continuation?: string } {
  if (status.state === "ended") return {};
  return { continuation: `See what comes after this with process.output and cursor ${cursor}.` };
}

function missing(lost: number, handle: string | null): string {
  const what = `${counted(lost, "byte")} before this ${lost === 1 ? "is" : "are"} no longer held`;
  return handle === null ? `${what}.` : `${what}; file.read ${handle} has them.`;
}
