import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { ToolError } from "../contract/error.ts";
import { isExhaustion } from "../lib/exhaustion.ts";
import { counted, showSize } from "../lib/text/format-quantity.ts";
import { printableLine } from "../lib/text/printable.ts";
import { attemptQuietly, statsAt } from "../system/attempt.ts";
import {
  allWorkspaceFiles,
  namesIfReadable,
  userDirectories,
  workspaceDirectory,
} from "../system/directories.ts";
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
  /** The ids of the processes that use it, as far as they are known. */
  readonly heldBy: readonly number[];
  /** Why its journal cannot be read; null when it can. */
  readonly damage: string | null;
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
  if (deleted.length > 0 && !options.has("yes")) await ask(deleted, given);
  for (const { folder } of deleted) rmSync(folder, { recursive: true, force: true });
  if (options.has("json")) printJson(deleted);
  else if (wanted.length === 0) remark("Nothing is stored.\n");
  else if (deleted.length > 0) remark(`Deleted ${describe(deleted)}.\n`);
  for (const each of wanted.filter(({ isOpen }) => isOpen))
    remark(`Kept ${nameOf(each)}: ${describeHolders(each)}.\n`);
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
  const holders = processesWithFilesIn(folder);
  const unknown = {
    workspace: null,
    folder,
    bytes,
    usedAt: null,
    isOpen: holders.length > 0,
    heldBy: holders,
  };
  if (files === undefined || !statsAt(files.journal)) return { ...unknown, damage: null };
  let journal: WorkspaceJournal | undefined;
  try {
    // Opening such a journal would replace it.
    if (!isDatabase(files.journal)) return { ...unknown, damage: "it is not a database" };
    journal = new WorkspaceJournal({ files });
    const sessions = journal.sessions();
    const isHere = (path: string) =>
      basename(workspaceDirectory(userDirectories().state, path)) === basename(folder);
    const named = sessions.findLast(({ workspace }) => workspace !== null && isHere(workspace));
    const open = sessions.filter(({ state }) => state === "open");
    return {
      workspace: named?.workspace ?? null,
      folder,
      bytes,
      usedAt: journal.calls({ limit: 1 })[0]?.startedAt ?? null,
      isOpen: open.length + holders.length > 0,
      heldBy: [...new Set([...open.flatMap(({ pid }) => pid ?? []), ...holders])],
      damage: null,
    };
  } catch (error) {
    if (isExhaustion(error)) throw error;
    return { ...unknown, damage: error instanceof Error ? error.message : String(error) };
  } finally {
    journal?.close();
  }
}

/** Whether a file begins like a database of SQLite; an empty one counts. */
function isDatabase(file: string): boolean {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const head = Buffer.alloc(16);
    const length = readSync(descriptor, head);
    return length === 0 || head.toString("latin1") === "SQLite format 3\0";
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Finds the processes of this user with an open file in a folder. A program that has only read is not recorded in the
 * journal. Only on Linux.
 */
function processesWithFilesIn(folder: string): readonly number[] {
  return namesIfReadable("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) =>
      namesIfReadable(`/proc/${pid}/fd`).some((descriptor) =>
        attemptQuietly(() => readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.startsWith(`${folder}/`),
      ),
    )
    .map(Number);
}

function describeHolders({ heldBy }: StoredWorkspace): string {
  const named = heldBy.map((pid) => {
    const words = attemptQuietly(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"))?.split("\0") ?? [];
    const command = words.map((word) => basename(word)).join(" ");
    return command.trim() === "" ? `${pid}` : `${pid} (${printableLine(command).trim().slice(0, 60)})`;
  });
  if (named.length === 0) return "a running program uses it";
  return `process${named.length > 1 ? "es" : ""} ${named.join(", ")} use${named.length > 1 ? "" : "s"} it`;
}

function bytesIn(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.reduce((sum, name) => {
    const stats = statsAt(join(folder, name));
    return sum + (stats?.isFile() ? stats.size : 0);
  }, 0);
}

function toRow(stored: StoredWorkspace): readonly string[] {
  const { bytes, usedAt, isOpen, damage } = stored;
  return [
    nameOf(stored),
    showSize(bytes),
    usedAt === null ? "" : toLocalTime(usedAt).slice(0, 16),
    [...(isOpen ? ["in use"] : []), ...(damage === null ? [] : [`damaged: ${printableLine(damage)}`])].join(
      ", ",
    ),
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
  return new ToolError("unavailable", `${nameOf(stored)} is not deleted: ${describeHolders(stored)}`, {
    hint: "End it first. To see what runs: toolcrib stop",
  });
}
