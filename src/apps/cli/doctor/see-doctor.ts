import { JournalDesk, journalBudget } from "../../../door/journal-desk.ts";
import { realWorkspace, userDirectories, workspaceDirectory } from "../../../environment/directories.ts";
import { policyFiles } from "../../../environment/policy-files.ts";
import { printableLine } from "../../../text/printable.ts";
import type { Arguments } from "../command.ts";
import { onInterruption } from "../interruption.ts";
import { printJson, remarkWarnings } from "../report.ts";
import { layTable } from "../table.ts";
import { paint, print } from "../terminal.ts";
import { collectNow } from "./collect-now.ts";
import { examineFolders } from "./examine-folders.ts";
import { examineJournal } from "./examine-journal.ts";
import { examineRules } from "./examine-rules.ts";
import type { Finding } from "./finding.ts";
import { note, well } from "./finding.ts";

/** `toolcrib doctor` */
export async function seeDoctor({ options }: Arguments): Promise<number> {
  const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
  const { state, config } = userDirectories();
  const interruption = onInterruption();
  const { signal } = interruption;
  const desk = new JournalDesk({ state, workspace });
  const budget = journalBudget();
  const collected = options.has("collect") ? await collectNow(desk, budget, signal) : [];
  const journal = await examineJournal(desk, budget, signal);
  desk.close();
  const findings = [
    well("node", process.version),
    well("workspace", workspace),
    ...examineFolders({
      state: workspaceDirectory(state, workspace),
      config,
      files: policyFiles(config, workspace),
    }),
    ...collected,
    ...journal.findings,
    ...(await examineRules({ workspace, state, config })),
    note(
      "sandbox",
      "none: commands are not confined by the system",
      "What they may do is judged and asked, not enforced.",
    ),
  ];
  interruption.stop();
  const isWell = findings.every((finding) => finding.state !== "wrong");
  if (options.has("json")) printJson({ isWell, findings, budget, ...journal.figures });
  else print(show(findings));
  remarkWarnings(desk.warnings);
  return isWell ? 0 : 1;
}

function show(findings: readonly Finding[]): string {
  return layTable(
    findings.flatMap(({ state, about, message, hint }) => [
      [paintState(state), about, printableLine(message)],
      ...(hint === undefined ? [] : [[paint(1, "green", "     "), "", printableLine(hint)]]),
    ]),
  );
}

/** Padded here: to a table, colours have a width. */
function paintState(state: Finding["state"]): string {
  return paint(1, ({ well: "green", note: "yellow", wrong: "red" } as const)[state], state.padEnd(5));
}
