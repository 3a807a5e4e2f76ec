import { ToolError } from "../../contract/error.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import type { JournalReport } from "../../toolcrib/workspace-journal.ts";
import type { Arguments } from "../command.ts";
import { logCommand } from "../commands/log.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printFailure, printJson } from "../report.ts";
import { print } from "../terminal.ts";
import { withJournal } from "./list-calls.ts";

/** `toolcrib log verify` */
export async function verifyLog(given: Arguments): Promise<number> {
  refuseOperands(given.operands, logCommand);
  const head = given.options.get("head")?.toLowerCase();
  if (head !== undefined && !/^[0-9a-f]{64}$/.test(head))
    throw new ToolError("invalid-input", `--head must be a hash of 64 hex digits, not "${head}"`, {
      hint: "Use a head that `toolcrib log verify` printed.",
    });
  const report = await withJournal(given, (journal) => journal.verify({ head }));
  const isProven = report.fault === undefined && (head === undefined || report.noted !== undefined);
  if (given.options.has("json")) printJson({ ...report, isProven });
  else if (isProven) print(describeProof(report));
  else printFailure(describeFault(report));
  return isProven ? 0 : 1;
}

function describeProof({ records, pruned, head, noted }: JournalReport): string {
  const older = pruned === 0 ? "" : `, after ${counted(pruned, "older one")} deleted by age`;
  const proof =
    noted === undefined ? "" : `The given head is record ${noted}: nothing up to it was altered.\n`;
  return `${counted(records, "record")}${older}; none was altered, removed, added or moved.\n${proof}Head: ${head}\n`;
}

/** Without a fault, the given head is missing: the chain is intact, but another one. */
export function describeFault({ fault }: Pick<JournalReport, "fault">): {
  readonly message: string;
  readonly hint: string;
} {
  if (fault)
    return {
      message: `Record ${fault.sequence} ${fault.reason}.`,
      hint: "Do not rely on this record or later ones; the records before it are intact.",
    };
  return {
    message: "No record has the given head.",
    hint: "The journal was replaced or shortened since, or these records were deleted by age.",
  };
}
