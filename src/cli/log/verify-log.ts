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
  if (head !== undefined && !/^[0-9a-f]{64}$/.test(head)) {
    throw new ToolError("invalid-input", `"${head}" is no head`, {
      hint: "Give the 64 characters that `toolcrib log verify` printed then.",
    });
  }
  const report = await withJournal(given, (desk) => desk.verify(head === undefined ? {} : { head }));
  const isProven = report.fault === undefined && (head === undefined || report.noted !== undefined);
  if (given.options.has("json")) printJson({ ...report, isProven });
  else if (isProven) print(tellProof(report));
  else printFailure(tellFault(report));
  return isProven ? 0 : 1;
}

function tellProof({ records, pruned, head, noted }: JournalReport): string {
  const older = pruned === 0 ? "" : `, after ${counted(pruned, "older one")} that were removed by age`;
  const proof =
    noted === undefined ? "" : `The noted head is record ${noted}: nothing up to it was altered.\n`;
  return `${counted(records, "record")}${older}; none was altered, removed, added or moved.\n${proof}Head: ${head}\n`;
}

/** The noted head may be missing although every record fits to the next: then the whole chain is another one. */
export function tellFault({ fault }: Pick<JournalReport, "fault">): {
  readonly message: string;
  readonly hint: string;
} {
  if (fault) {
    return {
      message: `Record ${fault.sequence} ${fault.reason}.`,
      hint: "From there on the journal proves nothing. What stands before it is as it was written.",
    };
  }
  return {
    message: "No record has the noted head.",
    hint: "The journal was replaced or shortened since it was noted, or records up to it were removed by age.",
  };
}
