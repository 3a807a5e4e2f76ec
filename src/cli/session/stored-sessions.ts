import { writeFileSync } from "node:fs";
import { extname } from "node:path";
import {
  type ExportFormat,
  exportSession,
  withoutSecrets,
} from "../../agent/records/export/export-session.ts";
import {
  type TranscriptCall,
  type TranscriptItem,
  toTranscript,
} from "../../agent/records/export/transcript.ts";
import { type SessionSummary, summariseSession } from "../../agent/records/summarise-session.ts";
import { ToolError } from "../../contract/error.ts";
import { commandsOnTarget } from "../../lib/text/commands-on-target.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { ClientInfo, SessionRecord, WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import type { Arguments } from "../command.ts";
import { sessionsCommand } from "../commands/sessions.ts";
import { describeClient } from "../log/call-table.ts";
import { withJournal } from "../log/log.ts";
import { placeName } from "../options.ts";
import { readCount, refuseOperands } from "../parse-arguments.ts";
import { forReader, printContent, printJson } from "../report.ts";
import { layTable, paint, print, remark, shorten, toLocalTime } from "../terminal.ts";
import { knownSessions, matchSession, noSuchSession } from "./match-session.ts";
import type { SessionStart } from "./session-options.ts";

export async function listSessions(given: Arguments): Promise<number> {
  refuseOperands(given.operands, sessionsCommand);
  return withJournal(given, (journal, workspace) => {
    const limit = readCount(given, "limit") ?? 20;
    const sessions = [...listedSessions(journal, limit), ...listedClients(journal)]
      .sort((one, other) => other.lastAt - one.lastAt)
      .slice(0, limit);
    if (given.options.has("json")) printJson(sessions);
    else if (sessions.length > 0) print(layTable(sessions.map(toRow)));
    else
      remark(
        `No sessions in ${printableLine(workspace)} yet. ${commandsOnTarget("To start one: toolcrib chat", workspace)}\n`,
      );
    return 0;
  });
}

function toRow(session: ListedSession): readonly string[] {
  return [
    session.session,
    toLocalTime(session.lastAt),
    session.state === "open" ? `open in process ${session.pid}` : session.state,
    session.entries === 0 ? counted(session.calls, "call") : counted(session.turns, "turn"),
    session.entries === 0 ? describeClient(session.client) : printableLine(session.model ?? "?"),
    printableLine(shorten(session.task.slice(0, 240).replace(/\s+/g, " ").trim(), 60)),
  ];
}

/** A session as `toolcrib sessions --json` prints it. */
export interface ListedSession extends Omit<SessionSummary, "isTurnOpen"> {
  /** "interrupted" means that its process died during a turn. */
  readonly state: "open" | "ended" | "interrupted";
  /** The id of the process that has it open. */
  readonly pid: number | null;
  /** The program that has, or had, it open; null when an earlier version recorded it. */
  readonly client: ClientInfo | null;
  readonly calls: number;
}

/** Lists the conversations, newest first. */
export function listedSessions(journal: WorkspaceJournal, limit: number): readonly ListedSession[] {
  const records = new Map(journal.sessions().map((record) => [record.session, record]));
  const listed = journal.conversations.list().slice(0, limit);
  const counts = journal.countCalls(listed.map(({ session }) => session));
  return listed.map((info) => {
    const { isTurnOpen, ...summary } = summariseSession(journal.conversations, info);
    const record = records.get(info.session);
    const isOpen = record?.state === "open";
    return {
      ...summary,
      state: isOpen ? "open" : isTurnOpen ? "interrupted" : "ended",
      pid: (isOpen ? record.pid : undefined) ?? null,
      client: record?.client ?? null,
      calls: counts.get(info.session)?.calls ?? 0,
    };
  });
}

/** Lists recent MCP clients, and programs and commands that are open. */
function listedClients(journal: WorkspaceJournal): readonly ListedSession[] {
  const conversations = new Set(journal.conversations.list().map(({ session }) => session));
  const found = journal.sessions().filter((record) => !conversations.has(record.session) && isListed(record));
  const counts = journal.countCalls(found.map(({ session }) => session));
  const used = found.filter(({ session, state }) => state === "open" || counts.has(session));
  return used.map(({ session, openedAt: startedAt, state, pid = null, client }) => {
    const { calls, lastAt } = counts.get(session) ?? { calls: 0, lastAt: startedAt };
    return {
      ...{ session, startedAt, lastAt, model: null, turns: 0, task: "", parent: null, entries: 0, bytes: 0 },
      ...{ pid, client, calls },
      state: state === "open" ? "open" : state === "died" ? "interrupted" : "ended",
    };
  });
}

/** Whether a session without a conversation is listed: while it is open, and an MCP client also for a day. */
function isListed({ state, client, openedAt }: SessionRecord): boolean {
  return state === "open" || (client?.kind === "mcp" && Date.now() - openedAt < recentMs);
}

const recentMs = 24 * 60 * 60 * 1000;

/** Returns the session id for `last`, an id, or a unique beginning of one. */
export function findSession(given: Arguments, name: string): Promise<string> {
  return withJournal(given, (journal) => findConversation(journal, name));
}

function requireSession(name: string | undefined): string {
  if (name !== undefined) return name;
  throw new ToolError("invalid-input", "A session id is missing", {
    hint: "Use `last`, or an id from: toolcrib sessions list",
  });
}

function findConversation(journal: WorkspaceJournal, name: string): string {
  const known = journal.conversations.list().map(({ session }) => session);
  const found = name === "last" ? known[0] : matchSession(known, name);
  if (found !== undefined) return found;
  const other = name === "last" ? undefined : matchSession(knownSessions(journal), name);
  if (other !== undefined)
    throw new ToolError("not-found", `The session ${other} has no conversation`, {
      hint: `To list its calls: toolcrib log --session ${other}`,
    });
  if (name !== "last") throw noSuchSession(name, journal);
  throw new ToolError("not-found", `No session of ${placeName(journal.workspace)} is stored`, {
    hint: `To start one, run: toolcrib chat`,
  });
}

export async function resumeSession({ options, operands: [name, ...task] }: Arguments): Promise<number> {
  const given = { options, operands: task };
  return continueSession(given, { resume: await findSession(given, requireSession(name)) });
}

export async function forkSession({ options, operands: [name, ...task] }: Arguments): Promise<number> {
  const given = { options, operands: task };
  const session = await findSession(given, requireSession(name));
  return continueSession(given, { fork: { session, turn: readCount(given, "turn") } });
}

/** Continues a session: with a task like `toolcrib run`, without one like `toolcrib chat`. */
async function continueSession(given: Arguments, start: SessionStart): Promise<number> {
  const isChat = given.operands.length === 0 && process.stdin.isTTY;
  if (isChat) return (await import("../chat/chat.ts")).chat(given, start);
  return (await import("./run-task.ts")).runTask(given, start);
}

/** Runs `toolcrib sessions rm <session> …`, which deletes all of these sessions or none. */
export async function removeSessions(given: Arguments): Promise<number> {
  const { operands, options } = given;
  return withJournal(given, (journal) => {
    const names = [requireSession(operands[0]), ...operands.slice(1)];
    const sessions = [...new Set(names.map((name) => findConversation(journal, name)))];
    for (const session of sessions) journal.refuseOpen(session);
    for (const session of sessions) journal.conversations.remove(session);
    if (options.has("json")) printJson({ removed: sessions });
    else print(sessions.map((session) => `Deleted ${session}.\n`).join(""));
    return 0;
  });
}

export async function showSession(given: Arguments): Promise<number> {
  const [name, ...rest] = given.operands;
  refuseOperands(rest, sessionsCommand);
  const { options } = given;
  return withJournal(given, (journal) => {
    const session = findConversation(journal, requireSession(name));
    const stored = journal.conversations.entries(session);
    const entries = options.has("with-secrets") ? stored : withoutSecrets(stored);
    if (options.has("json")) {
      printJson({ session, entries });
      return 0;
    }
    const { start, turns } = toTranscript(session, entries);
    print(`${paint(1, "bold", session)}  ${printableLine(start?.model ?? "unknown model")}\n`);
    if (start?.parent)
      print(`Forked from ${printableLine(start.parent.session)} after turn ${start.parent.turn}.\n`);
    for (const { number, startedAt, items } of turns) {
      print(`\n${paint(1, "bold", `Turn ${number}`)}  ${paint(1, "dim", toLocalTime(startedAt))}\n`);
      for (const item of items) print(`${format(item, options.has("all") ? undefined : maxLines)}\n`);
    }
    return 0;
  });
}

const maxLines = 8;

function format(item: TranscriptItem, limit: number | undefined): string {
  switch (item.kind) {
    case "user":
      return `${paint(1, "green", `${speakers[item.source]}:`)}\n${indent(item.text)}`;
    case "text":
      return `${paint(1, "green", "Model:")}\n${indent(item.text)}`;
    case "reasoning":
      return paint(1, "dim", `Reasoning:\n${indent(firstLines(item.text, limit))}`);
    case "note":
      return paint(1, "yellow", item.text);
    case "call":
      return formatCall(item, limit);
  }
}

const speakers = {
  input: "User",
  "follow-up": "User, following up",
  steering: "User, meanwhile",
  notice: "Notice",
} as const;

function formatCall({ name, arguments: fields, answer }: TranscriptCall, limit: number | undefined): string {
  const given = fields.map(({ name, text }) =>
    text.includes("\n") ? `  ${name}:\n${indent(firstLines(text, limit), "    ")}` : `  ${name}: ${text}`,
  );
  const end =
    answer === undefined
      ? [paint(1, "yellow", "  no answer")]
      : [
          answer.isError ? paint(1, "red", "  failed:") : paint(1, "dim", "  answer:"),
          indent(firstLines(answer.text, limit), "    "),
          ...(answer.images.length > 0 ? [`    (${counted(answer.images.length, "image")})`] : []),
        ];
  return [`${paint(1, "bold", "Call")} ${printableLine(name)}`, ...given, ...end].join("\n");
}

function indent(text: string, by = "  "): string {
  return text.trimEnd().replace(/^/gm, by);
}

function firstLines(text: string, limit: number | undefined): string {
  const lines = text.trimEnd().split("\n");
  if (limit === undefined || lines.length <= limit + 1) return text;
  return [...lines.slice(0, limit), `… ${counted(lines.length - limit, "more line")} (--all)`].join("\n");
}

export async function exportToFile(given: Arguments): Promise<number> {
  const [name, ...rest] = given.operands;
  refuseOperands(rest, sessionsCommand);
  const { options } = given;
  const file = options.get("output");
  const format = (options.get("format") ?? formatOf(file)) as ExportFormat;
  return withJournal(given, (journal) => {
    const session = findConversation(journal, requireSession(name));
    const withSecrets = options.has("with-secrets");
    const text = exportSession(session, journal.conversations.entries(session), format, { withSecrets });
    if (file !== undefined) writePrivately(file, text);
    if (options.has("json"))
      printJson({ session, format, file: file ?? null, text: file === undefined ? text : undefined });
    else if (file === undefined) printContent(text);
    else remark(`Wrote ${forReader(2, file)}.\n`);
    return 0;
  });
}

export function formatOf(file = ""): ExportFormat {
  const extension = extname(file).toLowerCase();
  if (extension === ".html" || extension === ".htm") return "html";
  return extension === ".jsonl" ? "jsonl" : "markdown";
}

/** Creates a file that only the user can read. Never overwrites a file. */
export function writePrivately(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === "EEXIST";
    throw new ToolError(
      exists ? "already-exists" : "unavailable",
      exists ? `${file} already exists` : `${file} cannot be written: ${(cause as Error).message}`,
      { hint: exists ? "Choose another file, or delete it first." : "Choose another file.", cause },
    );
  }
}
