import { ToolError } from "../contract/error.ts";
import type { WaitCondition } from "../contract/process.ts";
import { type BackgroundProcess, describeEnd } from "./background-process.ts";
import { readLog } from "./read-log.ts";

export function died(kept: BackgroundProcess, when: string): ToolError {
  return new ToolError("unavailable", `${kept.name} was started, but ${describeEnd(kept.status)} ${when}`, {
    hint: hintOfDeath(kept),
    output: lastLines(kept),
  });
}

function hintOfDeath(kept: BackgroundProcess): string {
  const { exitCode, remarks } = kept.status;
  const why =
    exitCode === 0
      ? "What goes to the background by itself must be started so that it stays in the foreground."
      : "Set right what it says, then start it again.";
  return [...remarks, why].join(" ");
}

export function notReady(kept: BackgroundProcess, wanted: string, timeoutMs: number): ToolError {
  const { name } = kept;
  return new ToolError(
    "timeout",
    `${name} was started, but was not ready within ${timeoutMs / 1000} s: it lacks ${wanted}`,
    {
      hint:
        `It still runs: go on waiting with process.wait { "name": "${name}", "until": "ready" }, ` +
        `look with process.output, or end it with process.stop.`,
      output: lastLines(kept),
    },
  );
}

export function notInTime(kept: BackgroundProcess, condition: WaitCondition): ToolError {
  const message = `${kept.name} has not ${describeCondition(condition)} within ${condition.timeoutMs / 1000} s`;
  return new ToolError("timeout", message, {
    hint: "It still runs: wait again with a larger timeout_ms, look with process.output, or end it with process.stop.",
    output: lastLines(kept),
  });
}

/** What it should have done. */
export function describeCondition({ until, line }: WaitCondition): string {
  if (until === "exit") return "ended";
  if (until === "ready") return "become ready";
  return line === undefined ? "said more" : `said a line like "${line}"`;
}

export function neverSaid(kept: BackgroundProcess, pattern: string): ToolError {
  return new ToolError(
    "no-match",
    `${kept.name} ${describeEnd(kept.status)} without a line like "${pattern}"`,
    {
      hint: `See all that it said with process.output { "name": "${kept.name}" }.`,
      output: lastLines(kept),
    },
  );
}

export function neverReady(name: string): ToolError {
  return new ToolError("invalid-input", `Nobody said how to know that ${name} is ready`, {
    hint: 'Wait for a line instead: { "until": "output", "line": "listening" }; or start it with "ready".',
  });
}

function lastLines({ log }: BackgroundProcess): string {
  return readLog(log, { maxChars: 4_000 }).text;
}
