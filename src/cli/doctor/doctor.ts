import type { Environment } from "../../contract/environment.ts";
import { ToolError, textForUser } from "../../contract/error.ts";
import { counted, showSize } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { realWorkspace, userDirectories, workspaceDirectory } from "../../system/directories.ts";
import { policyFiles } from "../../system/policy-files.ts";
import { sandboxWanted } from "../../toolcrib/check-options.ts";
import { type JournalBudget, journalBudget, WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import type { Arguments } from "../command.ts";
import { addConfig, configOf } from "../config/with-config.ts";
import { workspaceIdOf } from "../options.ts";
import { withProgress } from "../progress.ts";
import { printJson, remarkWarnings } from "../report.ts";
import { columnsOf, isTerminal, paint, print, wrapWords } from "../terminal.ts";
import {
  examineCode,
  examineDescriptors,
  examineDisk,
  examineDocuments,
  examineFolders,
  examineLanguageServers,
  examinePrograms,
  examineSearch,
  examineSettings,
} from "./examine-installation.ts";
import { type Examination, examineJournal } from "./examine-journal.ts";
import { examineClients, examineServers } from "./examine-mcp.ts";
import { examineModels } from "./examine-models.ts";
import { examineRules, examineSandbox, type SandboxExamination } from "./examine-sandbox.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

export async function runDoctor(given: Arguments): Promise<number> {
  // Mistakes are findings here, and stop every other command.
  const configured = await addConfig(given, ["sandbox"], await configOf(given));
  const { options } = configured;
  const budget = journalBudget();
  const target = options.has("target") ? { target: workspaceIdOf(options) } : {};
  const { findings, journal, sandbox, boundary } = await withProgress("doctor", (update, signal) =>
    examine(configured, update, signal),
  );
  const isWell = findings.every((finding) => finding.state !== "wrong");
  if (options.has("json"))
    printJson({ ...target, isWell, findings, budget, ...journal.figures, sandbox, boundary });
  else print(`${showFindings(findings, isTerminal(1) ? columnsOf(1) : Infinity)}\n${verdict(findings)}\n`);
  remarkWarnings(journal.warnings);
  return isWell ? 0 : 1;
}

interface FullExamination extends SandboxExamination {
  readonly journal: StateExamination;
}

/** Examines everything, with progress. */
export async function examine(
  given: Pick<Arguments, "options">,
  update: (message: string) => void,
  signal: AbortSignal,
): Promise<FullExamination> {
  const { options } = given;
  if (options.has("target"))
    return (await import("./examine-target.ts")).examineTarget(given, update, signal);
  const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
  const { state, config } = userDirectories();
  const folders = { workspace, state, config };
  const want = sandboxWanted(options.get("sandbox"));
  update("the journal, programs and the sandbox");
  const [journal, settings, programs, code, languages, documents, models, servers, attacked] =
    await Promise.all([
      examineState(folders, journalBudget(), { signal, collects: options.has("collect") }),
      examineSettings(workspace, config),
      examinePrograms(workspace, signal),
      examineCode(folders, signal),
      examineLanguageServers(workspace),
      examineDocuments(signal),
      examineModels(config, process.env),
      examineServers(folders, signal),
      examineSandbox({ want, signal, progress: update }),
    ]);
  const findings = [
    ok("node", process.version),
    ...examineDescriptors(),
    ...programs,
    ok("workspace", workspace),
    ...journal.findings,
    ...settings,
    ...code,
    languages,
    documents,
    examineSearch(process.env),
    ...models,
    ...servers,
    ...(await examineClients(workspace, process.env)),
    ...attacked.findings,
  ];
  return { ...attacked, findings, journal };
}

/**
 * Examines what Toolcrib stores on this machine: its folders, the journal and the rules. Starts no program. On a target,
 * the workspace is the name of the target, and the rules of the project come from there.
 */
export async function examineState(
  folders: Folders,
  budget: JournalBudget,
  options: {
    readonly signal: AbortSignal;
    readonly collects: boolean;
    readonly environment?: Environment | undefined;
  },
): Promise<StateExamination> {
  const { workspace, state, config } = folders;
  const { environment } = options;
  const journal = await checkJournal(folders, budget, options);
  const rules = await examineRules({
    ...{ state, config, environment, id: workspace },
    workspace: environment?.workspace ?? workspace,
  });
  const files = policyFiles(config, workspace);
  const findings = [
    ...examineFolders({ state: workspaceDirectory(state, workspace), config, files }),
    examineDisk(state, budget),
    ...journal.findings,
    ...rules,
  ];
  return { ...journal, findings };
}

interface StateExamination extends Examination {
  readonly warnings: readonly string[];
}

interface Folders {
  readonly workspace: string;
  readonly state: string;
  readonly config: string;
}

/** Examines the journal. An unusable journal is a finding, too. */
async function checkJournal(
  folders: Folders,
  budget: JournalBudget,
  { signal, collects }: { readonly signal: AbortSignal; readonly collects: boolean },
): Promise<StateExamination> {
  let journal: WorkspaceJournal | undefined;
  const collected: Finding[] = [];
  try {
    journal = new WorkspaceJournal(folders);
    if (collects) collected.push(await collectNow(journal, budget, signal));
    const { findings, figures } = await examineJournal(journal, budget, signal);
    return { findings: [...collected, ...findings], figures, warnings: journal.warnings };
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === "cancelled") throw error;
    const { message, hint } = textForUser(error);
    const unusable = problem("journal", message, hint ?? "Fix this first.");
    const figures = { proof: null, survey: null };
    return { findings: [...collected, unusable], figures, warnings: journal?.warnings ?? [] };
  } finally {
    journal?.close();
  }
}

/** Formats findings, each on one line; long messages and hints wrap below it. */
export function showFindings(findings: readonly Finding[], columns: number): string {
  const width = Math.max(...findings.map(({ about }) => about.length));
  const left = labelWidth + width + 4;
  return findings
    .map(({ state, about, message, hint }) => {
      const texts = hint === undefined ? [message] : [message, hint];
      const lines = texts.flatMap((text) => wrapWords(printableLine(text), Math.max(columns - left, 30)));
      const [label, tone] = labels[state];
      const head = `${paint(1, tone, label.padEnd(labelWidth))}  ${about.padEnd(width)}  `;
      return `${head}${lines.join(`\n${" ".repeat(left)}`)}\n`;
    })
    .join("");
}

const labels = {
  well: ["ok", "green"],
  note: ["warning", "yellow"],
  wrong: ["problem", "red"],
} as const;

const labelWidth = "warning".length;

/** Returns the last line, which sums up all findings. */
export function verdict(findings: readonly Finding[]): string {
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  const [problems, warnings] = [count("wrong"), count("note")];
  if (problems > 0) return `${counted(problems, "problem")} found, ${counted(warnings, "warning")}.`;
  return warnings > 0 ? `No problems found, ${counted(warnings, "warning")}.` : "No problems found.";
}

/** Deletes what exceeds the budget. */
async function collectNow(
  journal: WorkspaceJournal,
  budget: JournalBudget,
  signal: AbortSignal,
): Promise<Finding> {
  const { blobs, bytes, records, conversations, waitsFor } = await journal.collect(budget, signal);
  const removed =
    blobs + records + conversations === 0
      ? "nothing to delete"
      : `deleted ${counted(blobs, "old content")} (${showSize(bytes)}), ${counted(records, "record")} and ${counted(conversations, "conversation")}`;
  if (waitsFor.length === 0) return ok("collection", removed);
  return warning(
    "collection",
    `${removed}; ${waitsFor.join(", ")} is still running and keeps the rest`,
    "Try again when it has ended.",
  );
}
