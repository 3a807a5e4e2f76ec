import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ToolError } from "../../contract/error.ts";
import { newIdentifier } from "../../lib/identifier.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import { attempt } from "../../system/attempt.ts";
import { makePrivateDirectory, realWorkspace, userDirectories } from "../../system/directories.ts";
import { attachSocket } from "./attach-session.ts";
import { type LiveHello, socketFolder, socketNames } from "./live-protocol.ts";

export interface RunToStart {
  readonly workspace: string;
  /** The task, or the next message of a resumed session. */
  readonly task: string;
  /** `provider/name`. Default: the configured model, or that of the resumed session. */
  readonly model?: string | undefined;
  readonly mode?: string | undefined;
  /** The session to resume. */
  readonly resume?: string | undefined;
  /** The program that runs `toolcrib`. Default: this one. */
  readonly program?: readonly string[] | undefined;
  /** The environment variables of the process. Default: those of this process. */
  readonly variables?: NodeJS.ProcessEnv | undefined;
  /** How long each question waits for an answer. Default: a day. */
  readonly approvalWaitMs?: number | undefined;
}

export interface StartedRun {
  readonly session: string;
  readonly pid: number;
}

/**
 * Starts `toolcrib run` as a process of its own, which outlives this one. It has no terminal: its questions wait for
 * `toolcrib approve` or the console. Resolves when the session is open; rejects with the failure when it cannot be opened.
 */
export async function startRun(wanted: RunToStart): Promise<StartedRun> {
  const folder = socketFolder(userDirectories(wanted.variables).state);
  makePrivateDirectory(folder);
  const report = join(folder, `${newIdentifier("run")}.json`);
  const output = openSync(report, "wx", 0o600);
  const before = new Set(socketNames(folder));
  try {
    const child = spawnRun(wanted, output);
    const { session } = await untilOpen(child, { folder, before, report });
    child.unref();
    return { session, pid: child.pid! };
  } finally {
    closeSync(output);
    attempt(() => unlinkSync(report));
  }
}

function spawnRun(wanted: RunToStart, output: number): ChildProcess {
  const { workspace, task, model, mode, resume, approvalWaitMs = dayMs } = wanted;
  const [command = "", ...words] = wanted.program ?? ownProgram();
  const option = (name: string, value: string | undefined) =>
    value === undefined ? [] : [`--${name}=${value}`];
  const options = [
    ...option("model", model),
    ...option("mode", mode),
    ...option("resume", resume),
    ...option("approval-wait-ms", String(approvalWaitMs)),
    ...option("workspace", realWorkspace(workspace)),
  ];
  const child = spawn(command, [...words, "run", "-", "--json", ...options], {
    cwd: realWorkspace(workspace),
    env: wanted.variables,
    detached: true,
    stdio: ["pipe", output, "ignore"],
  });
  // A process that cannot be started, or that reads nothing, ends, which `untilOpen` reports.
  child.on("error", () => {});
  child.stdin?.on("error", () => {}).end(task);
  return child;
}

function ownProgram(): readonly string[] {
  return [process.execPath, ...process.execArgv, process.argv[1] ?? ""];
}

/** Waits for the socket of the process. */
async function untilOpen(
  child: ChildProcess,
  {
    folder,
    before,
    report,
  }: { readonly folder: string; readonly before: Set<string>; readonly report: string },
): Promise<Pick<LiveHello, "session">> {
  const isEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  for (;;) {
    // A short task may be over before its socket is found, so the end is noticed first and then looked into.
    const wasEnded = isEnded();
    for (const name of socketNames(folder)) {
      if (before.has(name)) continue;
      before.add(name);
      const attached = await attachSocket(folder, name);
      if (attached === undefined) continue;
      attached.close();
      if (attached.hello.pid === child.pid) return attached.hello;
    }
    if (wasEnded) return endedRun(attempt(() => readFileSync(report, "utf8")) ?? "");
    await pause(pollMs);
  }
}

const pollMs = 40;
const dayMs = 24 * 60 * 60 * 1000;

/** Returns the session of a run that is over already. Throws its failure when it opened none. */
function endedRun(text: string): Pick<LiveHello, "session"> {
  const report = tryParseJson(text);
  const { session, error } = isRecord(report) ? report : {};
  if (typeof session === "string") return { session };
  const { message, hint } = isRecord(error) ? error : {};
  throw new ToolError("unavailable", typeof message === "string" ? message : "The run ended at once", {
    hint: typeof hint === "string" ? hint : "Try it in a terminal: toolcrib run",
  });
}
