import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ToolError } from "../../contract/error.ts";
import { newIdentifier } from "../../lib/identifier.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import { makePrivateDirectory, realWorkspace, userDirectories } from "../../system/directories.ts";
import { socketNames } from "../../system/private-socket.ts";
import { type DetachedProcess, startDetached } from "../../system/start-detached.ts";
import { attachSocket } from "./attach-session.ts";
import { socketFolder } from "./live-protocol.ts";

export interface RunToStart {
  /** The folder; undefined for a workspace on a target. */
  readonly workspace?: string | undefined;
  readonly target?: string | undefined;
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
  /** How long the process may take to open its session. Default: a minute. */
  readonly openWithinMs?: number | undefined;
  /** How long a process that is busy while it starts may take to answer before it is asked again. Default: 2 s. */
  readonly helloMs?: number | undefined;
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
  const { variables = process.env, task, program = ownProgram() } = wanted;
  const [file = "", ...words] = program;
  const folder = socketFolder(userDirectories(variables).state);
  const workspace = wanted.target === undefined ? realWorkspace(wanted.workspace ?? "") : undefined;
  makePrivateDirectory(folder);
  const before = new Set(socketNames(folder));
  const started = startDetached(file, [...words, ...wordsFor({ ...wanted, workspace })], {
    // Settings of a project on this machine do not apply to a target. Programs in the current folder are not used, so
    // it is not the home folder, which has `.local/bin`.
    cwd: workspace ?? folder,
    env: variables,
    input: task,
    outputFile: join(folder, `${newIdentifier("run")}.json`),
  });
  try {
    const session = await untilOpen(started, folder, before, wanted);
    return { session, pid: started.pid! };
  } finally {
    started.release();
  }
}

function wordsFor({
  workspace,
  // Without it, the user's config.toml could put the folder on a target.
  target = "local",
  model,
  mode,
  resume,
  approvalWaitMs = dayMs,
}: RunToStart): readonly string[] {
  const options = { workspace, target, model, mode, resume, "approval-wait-ms": approvalWaitMs };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return ["run", "-", "--json", ...given.map(([name, value]) => `--${name}=${value}`)];
}

function ownProgram(): readonly string[] {
  return [process.execPath, ...process.execArgv, process.argv[1] ?? ""];
}

/** Waits for the socket of the process, and returns its session. Kills a process that opens none in time. */
async function untilOpen(
  started: DetachedProcess,
  folder: string,
  seen: Set<string>,
  { openWithinMs: withinMs = minuteMs, helloMs }: RunToStart,
): Promise<string> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    // A short task may be over before its socket is found, so the end is noticed first and then looked into.
    const { hasEnded } = started;
    for (const name of socketNames(folder).filter((each) => !seen.has(each))) {
      const attached = await attachSocket(folder, name, helloMs);
      // A process that is busy while it starts is asked again.
      if (attached === undefined) continue;
      seen.add(name);
      attached.close();
      if (attached.hello.pid === started.pid) return attached.hello.session;
    }
    if (hasEnded) return sessionOf(started.output());
    if (performance.now() > giveUpAt) {
      started.kill();
      throw new ToolError(
        "timeout",
        `The run opened no session within ${withinMs / 1000} s, so it was stopped.`,
        {
          hint: "Try it in a terminal: toolcrib run",
        },
      );
    }
    await pause(pollMs);
  }
}

const pollMs = 40;
const minuteMs = 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;

/** Returns the session of a run that is over already. Throws its failure when it opened none. */
function sessionOf(output: string): string {
  const report = tryParseJson(output);
  const { session, error } = isRecord(report) ? report : {};
  if (typeof session === "string") return session;
  const { message, hint } = isRecord(error) ? error : {};
  throw new ToolError("unavailable", typeof message === "string" ? message : "The run ended at once", {
    hint: typeof hint === "string" ? hint : "Try it in a terminal: toolcrib run",
  });
}
