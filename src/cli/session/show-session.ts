import { withoutSecrets } from "../../agent/records/export/export-session.ts";
import {
  type TranscriptCall,
  type TranscriptItem,
  toTranscript,
} from "../../agent/records/export/transcript.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { Arguments } from "../command.ts";
import { sessionsCommand } from "../commands/sessions.ts";
import { withJournal } from "../log/list-calls.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { paint, print, toLocalTime } from "../terminal.ts";
import { matchSession, requireSession } from "./stored-sessions.ts";

/** `toolcrib sessions show <session>` */
export async function showSession(given: Arguments): Promise<number> {
  const [name, ...rest] = given.operands;
  refuseOperands(rest, sessionsCommand);
  const { options } = given;
  return withJournal(given, (journal) => {
    const session = matchSession(journal, requireSession(name));
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
      return paint(1, "dim", `Reasoning:\n${indent(shorten(item.text, limit))}`);
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
    text.includes("\n") ? `  ${name}:\n${indent(shorten(text, limit), "    ")}` : `  ${name}: ${text}`,
  );
  const end =
    answer === undefined
      ? [paint(1, "yellow", "  no answer")]
      : [
          answer.isError ? paint(1, "red", "  failed:") : paint(1, "dim", "  answer:"),
          indent(shorten(answer.text, limit), "    "),
          ...(answer.images.length > 0 ? [`    (${counted(answer.images.length, "image")})`] : []),
        ];
  return [`${paint(1, "bold", "Call")} ${printableLine(name)}`, ...given, ...end].join("\n");
}

function indent(text: string, by = "  "): string {
  return text.trimEnd().replace(/^/gm, by);
}

function shorten(text: string, limit: number | undefined): string {
  const lines = text.trimEnd().split("\n");
  if (limit === undefined || lines.length <= limit + 1) return text;
  return [...lines.slice(0, limit), `… ${counted(lines.length - limit, "more line")} (--all)`].join("\n");
}
