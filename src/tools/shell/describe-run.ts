import { ToolError } from "../../contract/error.ts";
import { showPath } from "../../lib/show-path.ts";
import { describeExit } from "./describe-exit.ts";
import type { CommandRun } from "./run-command.ts";

/** How long a command may run. */
export const usualTimeoutMs = 120_000;
export const maxTimeoutMs = 600_000;

/** How it ended, when not well; what it said; what else there is to know. */
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

/** Where its shell is, and how a person joins it, which is said once. */
function describeSession({ cwd, attach, isNewSession }: CommandRun): readonly string[] {
  if (cwd === undefined) return [];
  const way = isNewSession && attach !== undefined ? `; a person joins it with: ${attach}` : "";
  return [`[The session is in ${showPath(cwd)}${way}]`];
}

/** Remarks, and the level of the sandbox where it is not the best. */
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

/** A command whose time was up, with what it said until then. */
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
    output: saidBy(run),
    kept: run.kept,
  });
}

/** The same of a command that was ended with its call. */
export function endedWithCall(run: CommandRun, reason: unknown): ToolError {
  const { code, message, hint } =
    reason instanceof ToolError ? reason : new ToolError("cancelled", "The call was cancelled");
  return new ToolError(code, message, {
    hint:
      code === "timeout" ? "Allow the call more time. To let the command run on use process.start." : hint,
    output: saidBy(run),
    kept: run.kept,
  });
}

/** With what else there is to know: what it waited for may be a host that it was refused. */
function saidBy(run: CommandRun): string {
  const { text } = run.shown;
  return [text === "" ? [] : withoutLastLineEnd(text), surroundingsOf(run)].flat().join("\n");
}
