import { type SessionSummary, summariseSession } from "../../agent/records/summarise-session.ts";
import { ToolError } from "../../contract/error.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import type { Arguments } from "../command.ts";
import { sessionsCommand } from "../commands/sessions.ts";
import { withJournal } from "../log/list-calls.ts";
import { readCount, refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { layTable, print, remark, toLocalTime } from "../terminal.ts";
import type { Beginning } from "./session-options.ts";

/** `toolcrib sessions list` */
export async function listSessions(given: Arguments): Promise<number> {
  refuseOperands(given.operands, sessionsCommand);
  return withJournal(given, (desk, workspace) => {
    const sessions = tellSessions(desk, readCount(given, "limit") ?? 20);
    if (given.options.has("json")) printJson(sessions);
    else if (sessions.length > 0) print(layTable(sessions.map(toRow)));
    else
      remark(
        `No sessions in ${printableLine(workspace)} yet. Begin one: toolcrib run "…", or toolcrib chat\n`,
      );
    return 0;
  });
}

function toRow(session: ToldSession): readonly string[] {
  return [
    session.session,
    toLocalTime(session.lastAt),
    tellState(session),
    counted(session.turns, "turn"),
    printableLine(session.model ?? "?"),
    printableLine(shorten(session.task)),
  ];
}

function shorten(text: string): string {
  const characters = [
    ...text
      .slice(0, 4 * maxTaskChars)
      .replace(/\s+/g, " ")
      .trim(),
  ];
  return characters.length <= maxTaskChars
    ? characters.join("")
    : `${characters.slice(0, maxTaskChars).join("")}…`;
}

const maxTaskChars = 60;

/** A session as a person looks at it. */
export interface ToldSession extends Omit<SessionSummary, "isTurnOpen"> {
  /** "interrupted": its process is gone, and its last turn has not ended. */
  readonly state: "open" | "ended" | "interrupted";
  /** The number of the process that has it open. */
  readonly pid: number | null;
}

/** Newest first. */
export function tellSessions(desk: WorkspaceJournal, limit: number): readonly ToldSession[] {
  const open = new Map(
    desk.sessions().flatMap(({ session, state, pid }) => (state === "open" ? [[session, pid]] : [])),
  );
  return desk.conversations
    .list()
    .slice(0, limit)
    .map((info) => {
      const { isTurnOpen, ...summary } = summariseSession(desk.conversations, info);
      const state = open.has(info.session) ? "open" : isTurnOpen ? "interrupted" : "ended";
      return { ...summary, state, pid: open.get(info.session) ?? null };
    });
}

export function tellState({ state, pid }: ToldSession): string {
  return state === "open" ? `open in process ${pid}` : state;
}

/** The id of the session that a person means: by `last`, or by a beginning of it that no other has. */
export function findSession(given: Arguments, word: string): Promise<string> {
  return withJournal(given, (desk) => sessionMeant(desk, word));
}

/** A session has to be named. */
export function nameSession(word: string | undefined): string {
  if (word !== undefined) return word;
  throw new ToolError("invalid-input", "Name a session", {
    hint: "Their ids stand in: toolcrib sessions list. The latest is last.",
  });
}

/** So much of an id is no slip. */
const shortestBeginning = 2;

function sayMore(word: string): ToolError {
  return new ToolError("invalid-input", `"${word}" is too little of an id`, {
    hint: "Ids stand in: toolcrib sessions list. Give some letters after session_; the latest is last.",
  });
}

export function sessionMeant(desk: WorkspaceJournal, word: string): string {
  const known = desk.conversations.list().map(({ session }) => session);
  const [latest] = known;
  if (word === "last" && latest !== undefined) return latest;
  if (known.includes(word)) return word;
  if (word.replace(/^session_/, "").length < shortestBeginning || "session_".startsWith(word))
    throw sayMore(word);
  const fitting = known.filter((id) => id.startsWith(word) || id.startsWith(`session_${word}`));
  const [found, ...others] = fitting;
  if (found === undefined)
    throw new ToolError("not-found", `No session here has the id "${word}"`, {
      hint: "See which there are: toolcrib sessions list. Each belongs to the folder that it was held in.",
    });
  if (others.length === 0) return found;
  throw new ToolError("invalid-input", `${fitting.length} sessions begin with "${word}"`, {
    hint: `Give more of the id: ${fitting.slice(0, 5).join(", ")}.`,
  });
}

/** `toolcrib sessions resume <session> [task]` */
export async function resumeSession({ options, operands: [word, ...task] }: Arguments): Promise<number> {
  const given = { options, operands: task };
  return goOn(given, { resume: await findSession(given, nameSession(word)) });
}

/** `toolcrib sessions fork <session> [task]` */
export async function forkSession({ options, operands: [word, ...task] }: Arguments): Promise<number> {
  const given = { options, operands: task };
  const session = await findSession(given, nameSession(word));
  return goOn(given, { fork: { session, turn: readCount(given, "turn") } });
}

/** With a task like `toolcrib run`; without, a person talks on, as by `toolcrib chat`. */
async function goOn(given: Arguments, begin: Beginning): Promise<number> {
  const isTalk = given.operands.length === 0 && process.stdin.isTTY;
  if (isTalk) return (await import("../chat/chat.ts")).chat(given, begin);
  return (await import("./run-task.ts")).runTask(given, begin);
}

/** `toolcrib sessions rm <session> …`: all that are named, or none. */
export async function removeSessions(given: Arguments): Promise<number> {
  const { operands, options } = given;
  return withJournal(given, (desk) => {
    const words = [nameSession(operands[0]), ...operands.slice(1)];
    const sessions = [...new Set(words.map((word) => sessionMeant(desk, word)))];
    for (const session of sessions) desk.refuseOpen(session);
    for (const session of sessions) desk.conversations.remove(session);
    if (options.has("json")) printJson({ removed: sessions });
    else print(sessions.map((session) => `Removed ${session}.\n`).join(""));
    return 0;
  });
}
