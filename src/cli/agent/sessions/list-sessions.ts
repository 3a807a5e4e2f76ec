import { counted } from "../../../lib/counted.ts";
import { printableLine } from "../../../lib/printable.ts";
import type { Arguments } from "../../command.ts";
import { sessionsCommand } from "../../commands/sessions.ts";
import { atDesk } from "../../log/desk.ts";
import { readCount, refuseOperands } from "../../parse-arguments.ts";
import { printJson } from "../../report.ts";
import { layTable } from "../../table.ts";
import { print, remark } from "../../terminal.ts";
import { toLocalTime } from "../../time.ts";
import { type ToldSession, tellSessions, tellState } from "./tell-session.ts";

/** `toolcrib sessions list` */
export async function listSessions(given: Arguments): Promise<number> {
  refuseOperands(given.operands, sessionsCommand);
  return atDesk(given, (desk, workspace) => {
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
