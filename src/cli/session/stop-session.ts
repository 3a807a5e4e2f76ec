import { setTimeout as pause } from "node:timers/promises";
import { ToolError } from "../../contract/error.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { runningProcess } from "../../system/process-identity.ts";
import type { SessionRecord, WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import { refuseProgramsOfTools } from "../approvals/ask-on-terminal.ts";
import type { Arguments } from "../command.ts";
import { stopCommand } from "../commands/stop.ts";
import { describeClient } from "../log/call-table.ts";
import { withJournal } from "../log/log.ts";
import { canEndSessions, endSessionOf } from "../mcp/session-stops.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { layTable, print, remark, toLocalTime } from "../terminal.ts";
import { knownSessions, matchSession, noSuchSession } from "./match-session.ts";

/** `toolcrib stop` without a session: lists the open ones, the latest first. */
export function listRunning(given: Arguments): Promise<number> {
  return withJournal(given, (journal, workspace) => {
    const open = openSessions(journal);
    const counts = journal.countCalls(open.map(({ session }) => session));
    const running = open.map((found) => ({
      session: found.session,
      client: found.client,
      pid: found.pid ?? null,
      openedAt: found.openedAt,
      calls: counts.get(found.session)?.calls ?? 0,
      canStop: refusalOf(found) === undefined,
    }));
    if (given.options.has("json")) printJson(running);
    else if (running.length === 0) remark(`Nothing runs in ${printableLine(workspace)}.\n`);
    else
      print(
        layTable(
          running.map(({ session, client, pid, openedAt, calls, canStop }) => [
            session,
            describeClient(client),
            `since ${toLocalTime(openedAt)}`,
            counted(calls, "call"),
            `process ${pid}${canStop ? "" : " (not stopped by this command)"}`,
          ]),
        ),
      );
    return 0;
  });
}

/** `toolcrib stop <session>`: ends the process of one session, or its part of a server, and waits for it. */
export async function stopSession(given: Arguments): Promise<number> {
  const [name = "", ...rest] = given.operands;
  refuseOperands(rest, stopCommand);
  refuseProgramsOfTools("stop sessions");
  return withJournal(given, async (journal) => {
    const { session, client, owner = "" } = findRunning(journal, name);
    const pid = runningProcess(owner);
    if (pid !== undefined && client?.transport === "http") await endSessionOf(pid, session);
    else if (pid !== undefined) await end(pid, owner);
    if (given.options.has("json")) printJson({ session, pid: pid ?? null, stopped: true });
    else print(`Stopped ${printableLine(session)}.\n`);
    return 0;
  });
}

function openSessions(journal: WorkspaceJournal): readonly SessionRecord[] {
  return journal
    .sessions()
    .filter(({ state, pid }) => state === "open" && pid !== process.pid)
    .toReversed();
}

function findRunning(journal: WorkspaceJournal, name: string): SessionRecord {
  const open = openSessions(journal);
  const session =
    matchSession(
      open.map((found) => found.session),
      name,
    ) ?? matchSession(knownSessions(journal), name);
  if (session === undefined) throw noSuchSession(name, journal);
  const found = open.find((one) => one.session === session);
  if (found === undefined)
    throw new ToolError("not-found", `The session ${session} is not running`, {
      hint: `To list running sessions, run: toolcrib stop`,
    });
  const refusal = refusalOf(found);
  if (refusal !== undefined) throw refusal;
  return found;
}

/** Returns why a session is not stopped from here; undefined when it is. */
function refusalOf({ session, client, pid, owner = "" }: SessionRecord): ToolError | undefined {
  const refuse = (reason: string, hint: string) =>
    new ToolError("unavailable", `The session ${session} ${reason}`, { hint });
  if (runningProcess(owner) === undefined)
    return refuse("runs in another container, or as another user", "Stop it there.");
  if (client?.transport === "http" && !canEndSessions(pid ?? 0))
    return refuse(
      `belongs to a server for several clients, process ${pid}`,
      `End it in its client, or end the whole server: kill ${pid}`,
    );
  if (client === null || client.kind === "library")
    return refuse(`is open in a program that uses the library, process ${pid}`, `End it there: kill ${pid}`);
  return undefined;
}

/** Interrupts the process as Ctrl-C would. A process that does not end is interrupted again, and then exits at once. */
async function end(pid: number, owner: string): Promise<void> {
  const start = monotonicMs();
  let signals = 0;
  while (runningProcess(owner) !== undefined) {
    const waited = monotonicMs() - start;
    if (waited > signals * patienceMs) {
      if (signals === maxSignals)
        throw new ToolError("timeout", `Process ${pid} did not end`, { hint: `To kill it: kill -9 ${pid}` });
      signal(pid);
      signals += 1;
    }
    await pause(pollMs);
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ESRCH") return;
    throw new ToolError("unavailable", `Process ${pid} cannot be stopped: ${(cause as Error).message}`, {
      hint: "Stop it as the user who started it.",
      cause,
    });
  }
}

const pollMs = 50;
const patienceMs = 5_000;
const maxSignals = 3;
