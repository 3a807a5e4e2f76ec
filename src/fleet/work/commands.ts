import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Session } from "../../agent/index.ts";
import { ToolError } from "../../contract/error.ts";
import type { ProcessOutput, ProcessStatus } from "../../contract/process.ts";
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
  const { exitCode, output, error } = await runCommand(session, { command, minutes }, signal);
  if (exitCode === 0) return { problem: undefined, log: output };
  const why = error === null ? `exit code ${exitCode ?? "unknown"}` : explain(error);
  return { problem: `The set-up command failed: ${why}.`, log: output };
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
    const { exitCode, output, error } = await runCommand(session, { command, minutes }, signal);
    const isTimeout = error?.code === "timeout";
    const refusal =
      error === null || isTimeout ? undefined : `The check command did not run: ${explain(error)}.`;
    return { exitCode, output, isTimeout, refusal };
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

interface CommandEnd {
  readonly exitCode: number | null;
  readonly output: string;
  /** Why it did not run to its end. */
  readonly error: CallResult["error"];
}

/**
 * Runs a command: with `shell.run`, or as a process when it may take longer than `shell.run` waits. Such a process ends with
 * the session; that of a killed worker ends when the session is opened again.
 */
export async function runCommand(
  { toolcrib }: Pick<Session, "toolcrib">,
  { command, minutes }: { readonly command: string; readonly minutes: number },
  signal: AbortSignal,
  longestCallMs = 600_000,
): Promise<CommandEnd> {
  const call = async <Data>(tool: string, input: object) => {
    const result = await toolcrib.call(tool, input, { signal });
    if (signal.aborted) throw new ToolError("cancelled", "The command was stopped");
    return result as CallResult<Data>;
  };
  const timeout_ms = Math.min(longestProcessMs, Math.max(1, Math.round(minutes * 60_000)));
  if (timeout_ms <= longestCallMs) {
    const { data, content, error } = await call<{ exitCode: number | null }>("shell.run", {
      command,
      timeout_ms,
    });
    return { exitCode: data?.exitCode ?? null, output: content, error };
  }
  const started = { command, input: false, wait_ms: longestCallMs, timeout_ms, max_chars: 10_000 };
  const { data: status, content, error } = await call<ProcessStatus>("process.start", started);
  if (status === null || error !== null) return { exitCode: null, output: content, error };
  const ended = { status, output: content };
  while (ended.status.state !== "ended") {
    const waited = await call<ProcessOutput>("process.wait", {
      name: status.name,
      timeout_ms: longestCallMs,
    });
    if (waited.error !== null && waited.error.code !== "timeout")
      return { exitCode: null, output: waited.content, error: waited.error };
    if (waited.data !== null) Object.assign(ended, { status: waited.data.status, output: waited.content });
  }
  const { exitCode, durationMs } = ended.status;
  const { output } = ended;
  if (durationMs < timeout_ms) return { exitCode, output, error: null };
  const message = `The command was stopped after ${minutes} minutes`;
  return { exitCode, output, error: { code: "timeout", message, hint: null } };
}

/** The longest time of one `process.start`. */
const longestProcessMs = 24 * 3_600_000;

/** A worker has no user who could approve a call: its rules have to allow the commands of its runs. */
function explain({ code, message, hint }: NonNullable<CallResult["error"]>): string {
  const advice =
    code === "needs-approval"
      ? "Start the worker with --rule 'allow run …' for this command, or with --mode yolo"
      : hint;
  return [message.replace(/\.$/, ""), advice?.replace(/\.$/, "")].filter((part) => part).join(". ");
}
