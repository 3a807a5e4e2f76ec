import { ToolError } from "../../contract/error.ts";
import { counted, showSize } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { realWorkspace, userDirectories, workspaceDirectory } from "../../system/directories.ts";
import { policyFiles } from "../../system/policy-files.ts";
import { sandboxWanted } from "../../toolcrib/check-options.ts";
import { type JournalBudget, journalBudget, WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import type { Arguments } from "../command.ts";
import { onInterruption } from "../interruption.ts";
import { tellProgress } from "../progress.ts";
import { printJson, remarkWarnings } from "../report.ts";
import { layTable, paint, print } from "../terminal.ts";
import {
  examineCode,
  examineDisk,
  examineDocuments,
  examineFolders,
  examinePrograms,
  examineSearch,
} from "./examine-installation.ts";
import { type Examination, examineJournal } from "./examine-journal.ts";
import { examineRules, examineSandbox } from "./examine-sandbox.ts";
import { examineServers } from "./examine-servers.ts";
import { type Finding, note, well, wrong } from "./finding.ts";

/** `toolcrib doctor` */
export async function seeDoctor({ options }: Arguments): Promise<number> {
  const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
  const { state, config } = userDirectories();
  const want = sandboxWanted(options.get("sandbox"));
  const interruption = onInterruption();
  const { signal } = interruption;
  const { tell, stop } = tellProgress("doctor");
  const budget = journalBudget();
  try {
    tell("the journal");
    const journal = await seeJournal({ state, workspace }, budget, {
      signal,
      collects: options.has("collect"),
    });
    const rules = await examineRules({ workspace, state, config });
    tell("programs");
    const programs = await examinePrograms(workspace, signal);
    tell("code");
    const code = await examineCode({ workspace, state, config }, signal);
    tell("documents");
    const documents = await examineDocuments(signal);
    tell("MCP servers");
    const servers = await examineServers({ workspace, state, config }, signal);
    const { sandbox, boundary, ...attacked } = await examineSandbox({ want, signal, progress: tell });
    const folders = {
      state: workspaceDirectory(state, workspace),
      config,
      files: policyFiles(config, workspace),
    };
    const findings = [
      well("node", process.version),
      ...programs,
      well("workspace", workspace),
      ...examineFolders(folders),
      examineDisk(state, budget),
      ...journal.findings,
      ...rules,
      ...code,
      documents,
      examineSearch(process.env),
      ...servers,
      ...attacked.findings,
    ];
    stop();
    const isWell = findings.every((finding) => finding.state !== "wrong");
    if (options.has("json")) printJson({ isWell, findings, budget, ...journal.figures, sandbox, boundary });
    else print(show(findings));
    remarkWarnings(journal.warnings);
    return isWell ? 0 : 1;
  } finally {
    stop();
    interruption.stop();
  }
}

/** What keeps the journal from being used is found as well: that is when one asks. */
async function seeJournal(
  places: { readonly state: string; readonly workspace: string },
  budget: JournalBudget,
  { signal, collects }: { readonly signal: AbortSignal; readonly collects: boolean },
): Promise<Examination & { readonly warnings: readonly string[] }> {
  let desk: WorkspaceJournal | undefined;
  const collected: Finding[] = [];
  try {
    desk = new WorkspaceJournal(places);
    if (collects) collected.push(...(await collectNow(desk, budget, signal)));
    const { findings, figures } = await examineJournal(desk, budget, signal);
    return { findings: [...collected, ...findings], figures, warnings: desk.warnings };
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === "cancelled") throw error;
    const unusable = wrong("journal", error.message, error.hint ?? "Set this right first.");
    const figures = { proof: null, survey: null };
    return { findings: [...collected, unusable], figures, warnings: desk?.warnings ?? [] };
  } finally {
    desk?.close();
  }
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

/** Removes what is over the budget, and says what that was. */
export async function collectNow(
  desk: WorkspaceJournal,
  budget: JournalBudget,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const { blobs, bytes, records, conversations, waitsFor } = await desk.collect(budget, signal);
  const removed =
    blobs + records + conversations === 0
      ? "nothing was to be removed"
      : `removed ${counted(blobs, "content")} (${showSize(bytes)}), ${counted(records, "record")} and ${counted(conversations, "conversation")}`;
  if (waitsFor.length === 0) return [well("collection", removed)];
  const hint = "Try again when it has ended.";
  return [note("collection", `${removed}; the rest waits for ${waitsFor.join(", ")}, which runs`, hint)];
}
