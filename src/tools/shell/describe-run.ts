import { constants } from "node:os";
import { ToolError } from "../../contract/error.ts";
import { showPath } from "../../lib/text/printable.ts";
import type { CommandRun } from "./run-command.ts";
import { waysToAnswer } from "./watch-for-prompt.ts";

export const usualTimeoutMs = 120_000;
export const maxTimeoutMs = 600_000;

/** Shows a failed exit, the output, and remarks. */
export function describeRun(run: CommandRun): string {
  const { shown } = run;
  return [
    describeExit(run) ?? [],
    shown.text === "" ? "[no output]" : withoutLastLineEnd(shown.text),
    describeSession(run),
    surroundingsOf(run),
  ]
    .flat()
    .join("\n");
}

/** Shows the folder of the session's shell and, the first time, how a user joins it. */
function describeSession({ cwd, attach, isNewSession }: CommandRun): readonly string[] {
  if (cwd === undefined) return [];
  const way = isNewSession && attach !== undefined ? `; a user can join it with: ${attach}` : "";
  return [`[The session is in ${showPath(cwd)}${way}]`];
}

/** Shows remarks, and the sandbox level unless it is bwrap. */
export function surroundingsOf({
  remarks,
  sandbox,
}: Pick<CommandRun, "remarks" | "sandbox">): readonly string[] {
  return [
    ...remarks.map((remark) => `[${remark}]`),
    ...(sandbox === "bwrap" ? [] : [`[sandbox: ${sandbox}]`]),
  ];
}

function withoutLastLineEnd(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

/** Returns the error for a command that timed out, with its output. */
export function outOfTime(
  run: CommandRun,
  {
    timeoutMs,
    quietTimeoutMs = 0,
  }: { readonly timeoutMs: number; readonly quietTimeoutMs?: number | undefined },
): ToolError {
  if (run.wantedInput)
    return new ToolError("timeout", "The command waited for input, which it cannot get, and was stopped", {
      hint: waysToAnswer,
      forUser: { hint: "Give the answer in advance, such as with a flag." },
      output: outputOf(run),
      kept: run.kept,
    });
  const [how, fix] = run.wasQuiet
    ? [`printed nothing for ${quietTimeoutMs / 1000} s`, "Make it print its progress"]
    : [
        `did not finish within ${timeoutMs / 1000} s`,
        timeoutMs < maxTimeoutMs
          ? `Give a larger \`timeout_ms\` (at most ${maxTimeoutMs})`
          : `${maxTimeoutMs / 1000} s is the longest time limit: split it into shorter commands`,
      ];
  return new ToolError("timeout", `The command ${how} and was stopped`, {
    hint: `${fix}, or run it with \`background\`.`,
    forUser: { hint: `${fix}.` },
    details: run.wasQuiet
      ? undefined
      : { kind: "command-timeout", timeoutMs, stdout: run.shown.stdout, stderr: run.shown.stderr },
    output: outputOf(run),
    kept: run.kept,
  });
}

/** Returns the error for a command that was ended because its call ended. */
export function endedWithCall(run: CommandRun, reason: unknown): ToolError {
  const { code, message, hint } =
    reason instanceof ToolError ? reason : new ToolError("cancelled", "The call was cancelled");
  return new ToolError(code, message, {
    hint: code === "timeout" ? "Allow the call more time, or run the command with process.start." : hint,
    forUser: code === "timeout" ? { hint: "Allow the call more time." } : undefined,
    output: outputOf(run),
    kept: run.kept,
  });
}

/** Returns the output with remarks, because the command may have waited for a host that was refused. */
function outputOf(run: CommandRun): string {
  const { text } = run.shown;
  return [text === "" ? [] : withoutLastLineEnd(text), surroundingsOf(run)].flat().join("\n");
}

export interface CommandExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Describes the exit in one sentence, with its usual meaning; undefined on success. */
export function describeExit({ exitCode, signal }: CommandExit): string | undefined {
  if (exitCode === 0) return undefined;
  if (signal !== null) return `Ended by ${signal}${meaning(signals[signal])}.`;
  if (exitCode === null) return "Ended without an exit code.";
  const byNumber = Object.entries(constants.signals).find(([, number]) => number + 128 === exitCode)?.[0];
  if (byNumber !== undefined) return `Exit code ${exitCode}: ${byNumber}${meaning(signals[byNumber])}.`;
  return `Exit code ${exitCode}${meaning(exitCodes[exitCode])}.`;
}

function meaning(text: string | undefined): string {
  return text === undefined ? "" : `: ${text}`;
}

const exitCodes: Readonly<Record<number, string>> = {
  124: "the time limit of `timeout` expired",
  126: "a program was found but could not be run",
  127: "a command was not found",
};

const signals: Readonly<Record<string, string>> = {
  SIGINT: "interrupted",
  SIGABRT: "it aborted, for example after a failed assertion",
  SIGBUS: "it crashed",
  SIGFPE: "it crashed, for example after a division by zero",
  SIGILL: "it crashed",
  SIGKILL: "out of memory, a limit, or killed by another process",
  SIGPIPE: "the reader of its output has exited",
  SIGSEGV: "it crashed",
  SIGSYS: "the sandbox blocked a system call",
  SIGTERM: "another process asked it to exit",
  SIGXCPU: "its CPU time limit was exceeded",
  SIGXFSZ: "a file became larger than allowed",
};
