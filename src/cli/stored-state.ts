import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ToolError } from "../contract/error.ts";
import { counted, showSize } from "../lib/text/format-quantity.ts";
import { printableLine } from "../lib/text/printable.ts";
import { statsAt } from "../system/attempt.ts";
import { allWorkspaceFiles, userDirectories, workspaceDirectory } from "../system/directories.ts";
import { WorkspaceJournal } from "../toolcrib/workspace-journal.ts";
import { confirm } from "./approvals/ask-on-terminal.ts";
import type { Arguments } from "./command.ts";
import { onInterruption } from "./interruption.ts";
import { workspaceIdOf } from "./options.ts";
import { refuseOperands } from "./parse-arguments.ts";
import { printJson } from "./report.ts";
import { canAsk, layTable, print, remark, toLocalTime } from "./terminal.ts";

/** The stored state of one workspace. */
interface StoredWorkspace {
  /** The real path or the name of the target; null when the journal does not say. */
  readonly workspace: string | null;
  readonly folder: string;
  readonly bytes: number;
  /** Milliseconds since 1970; null without any call. */
  readonly usedAt: number | null;
  /** Whether a running program uses it. */
  readonly isOpen: boolean;
}

export async function listState({ options, operands }: Arguments): Promise<number> {
  refuseOperands(operands, { name: "state list" });
  const stored = storedWorkspaces();
  if (options.has("json")) printJson(stored);
  else if (stored.length === 0) remark("Nothing is stored.\n");
  else {
    print(layTable(stored.map(toRow)));
    const bytes = stored.reduce((sum, each) => sum + each.bytes, 0);
    remark(`${counted(stored.length, "workspace")}, ${showSize(bytes)}\n`);
  }
  return 0;
}

export async function deleteState(given: Arguments): Promise<number> {
  const { options, operands } = given;
  refuseOperands(operands, { name: "state delete" });
  const wanted = options.has("all") ? storedWorkspaces() : [storedOf(workspaceIdOf(options))].flat();
  const [open] = wanted.filter(({ isOpen }) => isOpen);
  if (open !== undefined && !options.has("all")) throw inUse(open);
  const deleted = wanted.filter(({ isOpen }) => !isOpen);
  if (deleted.length === 0) {
    if (options.has("json")) printJson([]);
    else remark("Nothing is stored.\n");
    return 0;
  }
  if (!options.has("yes")) await ask(deleted, given);
  for (const { folder } of deleted) rmSync(folder, { recursive: true, force: true });
  if (options.has("json")) printJson(deleted);
  else remark(`Deleted ${describe(deleted)}.\n`);
  for (const each of wanted.filter(({ isOpen }) => isOpen))
    remark(`Kept ${nameOf(each)}: a running program uses it.\n`);
  return 0;
}

/** Deleting cannot be undone, so it needs an answer or `--yes`. */
async function ask(deleted: readonly StoredWorkspace[], { options }: Arguments): Promise<void> {
  const question = `Delete ${describe(deleted)}? Its calls can no longer be undone.`;
  const hint = `To delete it, run: toolcrib state delete${options.has("all") ? " --all" : ""} --yes`;
  if (!canAsk(options)) throw new ToolError("needs-approval", question, { hint });
  const interruption = onInterruption();
  try {
    if (await confirm(question, interruption.signal)) return;
  } finally {
    interruption.stop();
  }
  throw new ToolError("denied", "Nothing was deleted");
}

function storedWorkspaces(): readonly StoredWorkspace[] {
  return allWorkspaceFiles(userDirectories().state)
    .map(({ journal }) => inspect(dirname(journal)))
    .sort((one, other) => other.bytes - one.bytes);
}

function storedOf(workspace: string): readonly StoredWorkspace[] {
  const folder = workspaceDirectory(userDirectories().state, workspace);
  return statsAt(folder) === undefined ? [] : [{ ...inspect(folder), workspace }];
}

function inspect(folder: string): StoredWorkspace {
  const files = allWorkspaceFiles(userDirectories().state).find(({ journal }) => dirname(journal) === folder);
  const bytes = bytesIn(folder);
  // Opening a journal that is missing would make one.
  if (files === undefined || !statsAt(files.journal))
    return { workspace: null, folder, bytes, usedAt: null, isOpen: false };
  const journal = new WorkspaceJournal({ files });
  try {
    const sessions = journal.sessions();
    const isHere = (path: string) =>
      basename(workspaceDirectory(userDirectories().state, path)) === basename(folder);
    const named = sessions.findLast(({ workspace }) => workspace !== null && isHere(workspace));
    return {
      workspace: named?.workspace ?? null,
      folder,
      bytes,
      usedAt: journal.calls({ limit: 1 })[0]?.startedAt ?? null,
      isOpen: sessions.some(({ state }) => state === "open"),
    };
  } finally {
    journal.close();
  }
}

function bytesIn(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.reduce((sum, name) => {
    const stats = statsAt(join(folder, name));
    return sum + (stats?.isFile() ? stats.size : 0);
  }, 0);
}

function toRow(stored: StoredWorkspace): readonly string[] {
  const { bytes, usedAt, isOpen } = stored;
  return [
    nameOf(stored),
    showSize(bytes),
    usedAt === null ? "" : toLocalTime(usedAt).slice(0, 16),
    isOpen ? "in use" : "",
  ];
}

function nameOf({ workspace, folder }: StoredWorkspace): string {
  return printableLine(workspace ?? basename(folder));
}

function describe(deleted: readonly StoredWorkspace[]): string {
  const bytes = showSize(deleted.reduce((sum, each) => sum + each.bytes, 0));
  const [only] = deleted;
  return deleted.length === 1 && only
    ? `what is stored about ${nameOf(only)} (${bytes})`
    : `what is stored about ${counted(deleted.length, "workspace")} (${bytes})`;
}

function inUse(stored: StoredWorkspace): ToolError {
  return new ToolError("unavailable", `A running program uses ${nameOf(stored)}`, {
    hint: "See what runs: toolcrib stop",
  });
}
