import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Session } from "../../agent/index.ts";
import { ToolError } from "../../contract/error.ts";
import type { CallResult } from "../../toolcrib/index.ts";
import type { RunCheck } from "../fleet.ts";
import type { CheckResult } from "./outcome.ts";
import { checkedPath } from "./workspace.ts";

/** Runs the set-up command once. Its calls pass the same checks as those of the model. */
export async function runSetup(
  session: Session,
  command: string,
  minutes: number,
  signal: AbortSignal,
): Promise<{ readonly problem: string | undefined; readonly log: string }> {
  const { error, data, content } = await runShell(session, command, minutes, signal);
  if (data?.exitCode === 0) return { problem: undefined, log: content };
  const why = error === null ? `exit code ${data?.exitCode ?? "unknown"}` : explain(error);
  return { problem: `The set-up command failed: ${why}.`, log: content };
}

/** Writes the files of the check, runs its command, and restores what was there before. */
export async function runCheck(
  session: Session,
  { command, files, minutes }: RunCheck,
  workspace: string,
  signal: AbortSignal,
): Promise<CheckResult> {
  const restores: (() => void)[] = [];
  try {
    for (const [path, text] of Object.entries(files)) restores.unshift(writeCheckFile(workspace, path, text));
  } catch (error) {
    for (const restore of restores) restore();
    // The repository had no such obstacle: the model made it.
    const output = error instanceof Error ? error.message : String(error);
    return { exitCode: null, output, isTimeout: false, refusal: undefined };
  }
  try {
    const { data, error, content } = await runShell(session, command, minutes, signal);
    const isTimeout = error?.code === "timeout";
    const refusal =
      error === null || isTimeout ? undefined : `The check command did not run: ${explain(error)}.`;
    return { exitCode: data?.exitCode ?? null, output: content, isTimeout, refusal };
  } finally {
    for (const restore of restores) restore();
  }
}

/** Returns a function that restores the former content. */
function writeCheckFile(workspace: string, path: string, text: string): () => void {
  const file = checkedPath(workspace, path);
  const before = attempt(() => readFileSync(file));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return () => {
    attempt(() => {
      checkedPath(workspace, path);
      if (before) writeFileSync(file, before);
      else rmSync(file, { force: true });
    });
  };
}

function attempt<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

interface ShellData {
  readonly exitCode: number | null;
}

async function runShell(
  { toolcrib }: Session,
  command: string,
  minutes: number,
  signal: AbortSignal,
): Promise<CallResult<ShellData>> {
  const timeout_ms = Math.min(mostTimeoutMs, Math.max(1, Math.round(minutes * 60_000)));
  const result = await toolcrib.call("shell.run", { command, timeout_ms }, { signal });
  if (signal.aborted) throw new ToolError("cancelled", "The command was stopped");
  return result as CallResult<ShellData>;
}

/** The longest time of one `shell.run`. */
const mostTimeoutMs = 600_000;

/** A worker has no user who could approve a call: its rules have to allow the commands of its runs. */
function explain({ code, message, hint }: NonNullable<CallResult["error"]>): string {
  const advice =
    code === "needs-approval"
      ? "Start the worker with --rule 'allow run …' for this command, or with --mode yolo"
      : hint;
  return [message.replace(/\.$/, ""), advice?.replace(/\.$/, "")].filter((part) => part).join(". ");
}
