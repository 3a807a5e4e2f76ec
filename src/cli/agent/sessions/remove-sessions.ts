import type { Arguments } from "../../command.ts";
import { atDesk } from "../../log/desk.ts";
import { printJson } from "../../report.ts";
import { print } from "../../terminal.ts";
import { nameSession, sessionMeant } from "./find-session.ts";

/** `toolcrib sessions rm <session> …`: all that are named, or none. */
export async function removeSessions(given: Arguments): Promise<number> {
  const { operands, options } = given;
  return atDesk(given, (desk) => {
    const words = [nameSession(operands[0]), ...operands.slice(1)];
    const sessions = [...new Set(words.map((word) => sessionMeant(desk, word)))];
    for (const session of sessions) desk.refuseOpen(session);
    for (const session of sessions) desk.conversations.remove(session);
    if (options.has("json")) printJson({ removed: sessions });
    else print(sessions.map((session) => `Removed ${session}.\n`).join(""));
    return 0;
  });
}
