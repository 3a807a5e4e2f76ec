import type { Session } from "../../agent/index.ts";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ProcessOutput, ProcessStatus } from "../../contract/process.ts";
import { type CallResult, openLocalEnvironment } from "../../toolcrib/index.ts";
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

/** Stops the background processes of the model. They could change what the patch and the check read. */
export async function stopProcesses({ toolcrib }: Session): Promise<void> {
  const processes = await toolcrib.processes();
  for (const { name, state } of processes)
    if (state !== "ended") await toolcrib.call("process.stop", { name });
}

/** Writes the files of the check, runs its command, and restores what was there before. */
export async function runCheck(
  session: Session,
  { command, files, minutes }: RunCheck,
  workspace: string,
  signal: AbortSignal,
): Promise<CheckResult> {
  // It never leaves the workspace and waits for no pipe, whatever the model has put in the way.
  const environment = openLocalEnvironment({ workspace });
  const restores: (() => Promise<unknown>)[] = [];
  try {
    const obstacle = await writeCheckFiles(environment, files, restores);
    // The repository had no such obstacle: the model made it.
    if (obstacle !== undefined)
      return { exitCode: null, output: obstacle, isTimeout: false, refusal: undefined };
    const { exitCode, output, error } = await runCommand(session, { command, minutes }, signal);
    const isTimeout = error?.code === "timeout";
    const refusal =
      error === null || isTimeout ? undefined : `The check command did not run: ${explain(error)}.`;
    return { exitCode, output, isTimeout, refusal };
  } finally {
    for (const restore of restores) await restore().catch(() => {});
    await environment.close();
  }
}

/** Adds how to restore each file that it writes. Returns why one could not be written. */
async function writeCheckFiles(
  environment: Environment,
  files: RunCheck["files"],
  restores: (() => Promise<unknown>)[],
): Promise<string | undefined> {
  try {
    for (const [path, text] of Object.entries(files))
      restores.unshift(await writeCheckFile(environment, path, text));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns a function that restores the former content. */
async function writeCheckFile(
  environment: Environment,
  path: string,
  text: string,
): Promise<() => Promise<unknown>> {
  checkedPath(environment.workspace, path);
  const before = await environment.readFile(path, { maxBytes: mostBytes }).catch((error: unknown) => {
    if (error instanceof ToolError && error.code === "not-found") return undefined;
    throw error;
  });
  await environment.writeFile(path, Buffer.from(text), { durable: false });
  return async () => {
    checkedPath(environment.workspace, path);
    if (before === undefined) await environment.delete(path);
    else await environment.writeFile(path, before.bytes, { durable: false });
  };
}

/** The largest file that a file of the check may replace. */
const mostBytes = 64 * 1024 * 1024;

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
