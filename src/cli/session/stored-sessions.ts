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
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import type { Arguments } from "../command.ts";
import { sessionsCommand } from "../commands/sessions.ts";
import { withJournal } from "../log/log.ts";
import { readCount, refuseOperands } from "../parse-arguments.ts";
import { forReader, printContent, printJson } from "../report.ts";
import { layTable, paint, print, remark, shorten, toLocalTime } from "../terminal.ts";
import { matchSession, noSuchSession } from "./match-session.ts";
import type { SessionStart } from "./session-options.ts";

export async function listSessions(given: Arguments): Promise<number> {
  refuseOperands(given.operands, sessionsCommand);
  return withJournal(given, (journal, workspace) => {
    const sessions = listedSessions(journal, readCount(given, "limit") ?? 20);
    if (given.options.has("json")) printJson(sessions);
    else if (sessions.length > 0) print(layTable(sessions.map(toRow)));
    else remark(`No sessions in ${printableLine(workspace)} yet. To start one: toolcrib chat\n`);
    return 0;
  });
}

function toRow(session: ListedSession): readonly string[] {
  return [
    session.session,
    toLocalTime(session.lastAt),
    session.state === "open" ? `open in process ${session.pid}` : session.state,
    counted(session.turns, "turn"),
    printableLine(session.model ?? "?"),
    printableLine(shorten(session.task.slice(0, 240).replace(/\s+/g, " ").trim(), 60)),
  ];
}

/** A session as `toolcrib sessions --json` prints it. */
export interface ListedSession extends Omit<SessionSummary, "isTurnOpen"> {
  /** "interrupted" means that its process died during a turn. */
  readonly state: "open" | "ended" | "interrupted";
  /** The id of the process that has it open. */
  readonly pid: number | null;
}

/** Lists the sessions, newest first. */
export function listedSessions(journal: WorkspaceJournal, limit: number): readonly ListedSession[] {
  const open = new Map(
    journal.sessions().flatMap(({ session, state, pid }) => (state === "open" ? [[session, pid]] : [])),
  );
  return journal.conversations
    .list()
    .slice(0, limit)
    .map((info) => {
      const { isTurnOpen, ...summary } = summariseSession(journal.conversations, info);
      const state = open.has(info.session) ? "open" : isTurnOpen ? "interrupted" : "ended";
      return { ...summary, state, pid: open.get(info.session) ?? null };
    });
}

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
  if (name !== "last") throw noSuchSession(name);
  throw new ToolError("not-found", "This folder has no sessions", {
    hint: "To start one, run: toolcrib chat",
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
