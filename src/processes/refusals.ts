import { ToolError } from "../contract/error.ts";
import type { WaitCondition } from "../contract/process.ts";
import { type BackgroundProcess, describeEnd } from "./background-process.ts";
import { readLog } from "./read-log.ts";

export function died(kept: BackgroundProcess, when: string): ToolError {
  return new ToolError(
    "unavailable",
    `${kept.name} was started, but ${describeEnd(kept.knownStatus)} ${when}`,
    {
      hint: hintOfDeath(kept),
      output: lastLines(kept),
    },
  );
}

function hintOfDeath(kept: BackgroundProcess): string {
  const { exitCode, remarks } = kept.knownStatus;
  const why =
    exitCode === 0
      ? "Start it so that it stays in the foreground."
      : "Fix the error it printed, then start it again.";
  return [...remarks, why].join(" ");
}

export function notReady(kept: BackgroundProcess, wanted: string, timeoutMs: number): ToolError {
  const { name } = kept;
  return new ToolError(
    "timeout",
    `${name} was started, but was not ready within ${timeoutMs / 1000} s: still waiting for ${wanted}`,
    {
      hint:
        `It is still running: wait longer with process.wait { "name": "${name}", "until": "ready" }, ` +
        `look with process.output, or end it with process.stop.`,
      output: lastLines(kept),
    },
  );
}

export function notInTime(kept: BackgroundProcess, condition: WaitCondition): ToolError {
  const message = `${kept.name} has not ${describeCondition(condition)} within ${condition.timeoutMs / 1000} s`;
  return new ToolError("timeout", message, {
    hint: "It is still running: wait with a larger timeout_ms, look with process.output, or end it with process.stop.",
    output: lastLines(kept),
  });
}

export function describeCondition({ until, line }: WaitCondition): string {
  if (until === "exit") return "ended";
  if (until === "ready") return "become ready";
  return line === undefined ? "printed anything" : `printed a line like "${line}"`;
}

export function neverPrinted(kept: BackgroundProcess, pattern: string): ToolError {
  return new ToolError(
    "no-match",
    `${kept.name} ${describeEnd(kept.knownStatus)} without printing a line like "${pattern}"`,
    {
      hint: `See its output with process.output { "name": "${kept.name}" }.`,
      output: lastLines(kept),
    },
  );
}

export function neverReady(name: string): ToolError {
  return new ToolError("invalid-input", `${name} was started without "ready", so it never becomes ready`, {
    hint: 'Wait for a line instead: { "until": "output", "line": "listening" }.',
  });
}

function lastLines({ log }: BackgroundProcess): string {
  return readLog(log, { maxChars: 4_000 }).text;
}
