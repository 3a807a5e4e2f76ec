import { ToolError } from "../../contract/error.ts";
import { showPath } from "../../lib/text/printable.ts";
import type { CommandRun } from "./run-command.ts";

export const usualTimeoutMs = 120_000;
export const maxTimeoutMs = 600_000;

/** A failed exit, the output, and remarks. */
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

/** The folder of its shell, and once how a user joins it. */
function describeSession({ cwd, attach, isNewSession }: CommandRun): readonly string[] {
  if (cwd === undefined) return [];
  const way = isNewSession && attach !== undefined ? `; a person joins it with: ${attach}` : "";
  return [`[The session is in ${showPath(cwd)}${way}]`];
}

/** Remarks, and the sandbox level if it is not the best. */
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

/** The error for a command that timed out, with its output. */
export function outOfTime(
  run: CommandRun,
  {
    timeoutMs,
    quietTimeoutMs = 0,
  }: { readonly timeoutMs: number; readonly quietTimeoutMs?: number | undefined },
): ToolError {
  const [how, way] = run.wasQuiet
    ? [`said nothing for ${quietTimeoutMs / 1000} s`, "Let it say how it gets on"]
    : [
        `did not finish within ${timeoutMs / 1000} s`,
        `Give a larger \`timeout_ms\` (at most ${maxTimeoutMs})`,
      ];
  return new ToolError("timeout", `The command ${how} and was ended`, {
    hint: `${way}, or let it run on with \`background\`.`,
    details: run.wasQuiet ? undefined : { kind: "command-timeout" },
    output: outputOf(run),
    kept: run.kept,
  });
}

/** The error for a command that was ended with its call. */
export function endedWithCall(run: CommandRun, reason: unknown): ToolError {
  const { code, message, hint } =
    reason instanceof ToolError ? reason : new ToolError("cancelled", "The call was cancelled");
  return new ToolError(code, message, {
    hint:
      code === "timeout" ? "Allow the call more time. To let the command run on use process.start." : hint,
    output: outputOf(run),
    kept: run.kept,
  });
}

/** With remarks: it may have waited for a host that was refused. */
function outputOf(run: CommandRun): string {
  const { text } = run.shown;
  return [text === "" ? [] : withoutLastLineEnd(text), surroundingsOf(run)].flat().join("\n");
}

export interface CommandExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** One sentence with the usual meaning; undefined on success. */
export function describeExit({ exitCode, signal }: CommandExit): string | undefined {
  if (exitCode === 0) return undefined;
  if (signal !== null) return `Ended by ${signal}${meaning(signals[signal])}.`;
  if (exitCode === null) return "Ended without an exit code.";
  const byNumber = Object.entries(signalNumbers).find(([, number]) => number + 128 === exitCode)?.[0];
  if (byNumber !== undefined) return `Exit code ${exitCode}: ${byNumber}${meaning(signals[byNumber])}.`;
  return `Exit code ${exitCode}${meaning(exitCodes[exitCode])}.`;
}

function meaning(words: string | undefined): string {
  return words === undefined ? "" : `: ${words}`;
}

const exitCodes: Readonly<Record<number, string>> = {
  124: "as `timeout` says when time is up",
  126: "a program was found but could not be run",
  127: "a command was not found",
};

const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGSYS: 31,
};

const signals: Readonly<Record<string, string>> = {
  SIGINT: "interrupted",
  SIGABRT: "it gave up, an assertion failed for example",
  SIGBUS: "it crashed",
  SIGFPE: "it crashed, by a division by zero for example",
  SIGILL: "it crashed",
  SIGKILL: "out of memory, or a limit was met, or somebody ended it",
  SIGPIPE: "who read its output has gone",
  SIGSEGV: "it crashed",
  SIGSYS: "the sandbox forbids what it asked of the system",
  SIGTERM: "somebody asked it to end",
  SIGXCPU: "its CPU time was used up",
  SIGXFSZ: "a file became larger than allowed",
};
