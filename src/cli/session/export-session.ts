import { writeFileSync } from "node:fs";
import { extname } from "node:path";
import { type ExportFormat, exportSession } from "../../agent/records/export/export-session.ts";
import { ToolError } from "../../contract/error.ts";
import type { Arguments } from "../command.ts";
import { sessionsCommand } from "../commands/sessions.ts";
import { withJournal } from "../log/list-calls.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { forReader, printJson } from "../report.ts";
import { print, remark } from "../terminal.ts";
import { nameSession, sessionMeant } from "./stored-sessions.ts";

/** `toolcrib sessions export <session>` */
export async function exportToFile(given: Arguments): Promise<number> {
  const [word, ...rest] = given.operands;
  refuseOperands(rest, sessionsCommand);
  const { options } = given;
  const file = options.get("output");
  const format = (options.get("format") ?? formatOf(file)) as ExportFormat;
  return withJournal(given, (desk) => {
    const session = sessionMeant(desk, nameSession(word));
    const withSecrets = options.has("with-secrets");
    const text = exportSession(session, desk.conversations.entries(session), format, { withSecrets });
    if (file !== undefined) write(file, text);
    if (options.has("json"))
      printJson({ session, format, file: file ?? null, ...(file === undefined && { text }) });
    else if (file === undefined) print(forReader(1, text));
    else remark(`Written to ${forReader(2, file)}.\n`);
    return 0;
  });
}

function formatOf(file = ""): ExportFormat {
  const known: Readonly<Record<string, ExportFormat>> = {
    ".html": "html",
    ".htm": "html",
    ".jsonl": "jsonl",
  };
  return known[extname(file).toLowerCase()] ?? "markdown";
}

/** For nobody else to read, and never over what is there. */
function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code === "EEXIST";
    throw new ToolError(
      isThere ? "already-exists" : "unavailable",
      isThere ? `${file} is there already` : `${file} cannot be written: ${(cause as Error).message}`,
      { hint: isThere ? "Name another file, or remove it first." : "Name another place.", cause },
    );
  }
}
