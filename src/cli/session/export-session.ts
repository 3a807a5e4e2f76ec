import { writeFileSync } from "node:fs";
import { extname } from "node:path";
import { type ExportFormat, exportSession } from "../../agent/records/export/export-session.ts";
import { ToolError } from "../../contract/error.ts";
import type { Arguments } from "../command.ts";
import { sessionsCommand } from "../commands/sessions.ts";
import { withJournal } from "../log/list-calls.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { forReader, printContent, printJson } from "../report.ts";
import { remark } from "../terminal.ts";
import { matchSession, requireSession } from "./stored-sessions.ts";

/** `toolcrib sessions export <session>` */
export async function exportToFile(given: Arguments): Promise<number> {
  const [name, ...rest] = given.operands;
  refuseOperands(rest, sessionsCommand);
  const { options } = given;
  const file = options.get("output");
  const format = (options.get("format") ?? formatOf(file)) as ExportFormat;
  return withJournal(given, (journal) => {
    const session = matchSession(journal, requireSession(name));
    const withSecrets = options.has("with-secrets");
    const text = exportSession(session, journal.conversations.entries(session), format, { withSecrets });
    if (file !== undefined) write(file, text);
    if (options.has("json"))
      printJson({ session, format, file: file ?? null, text: file === undefined ? text : undefined });
    else if (file === undefined) printContent(text);
    else remark(`Wrote ${forReader(2, file)}.\n`);
    return 0;
  });
}

function formatOf(file = ""): ExportFormat {
  const extension = extname(file).toLowerCase();
  if (extension === ".html" || extension === ".htm") return "html";
  return extension === ".jsonl" ? "jsonl" : "markdown";
}

/** Readable only by the user. Never overwrites a file. */
function write(file: string, text: string): void {
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
