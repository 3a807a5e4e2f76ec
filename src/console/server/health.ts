import { join } from "node:path";
import { showSize } from "../../lib/text/format-quantity.ts";
import { statsAt } from "../../system/attempt.ts";
import { namesIn } from "../../system/directories.ts";
import { WorkspaceIndex } from "../../toolcrib/workspace-index.ts";
import type { HealthReport, VerifyResult } from "../api.ts";
import type { ConsoleServices } from "./services.ts";
import type { Workspaces } from "./workspaces.ts";

/** Runs doctor for a workspace, and measures what is stored about it. */
export async function readHealth(
  workspaces: Workspaces,
  id: string,
  { commands, directories }: Pick<ConsoleServices, "commands" | "directories">,
  signal: AbortSignal,
): Promise<HealthReport> {
  const workspace = workspaces.reachable(id);
  const [examined, survey] = await Promise.all([
    commands.examine(workspace, signal),
    workspaces.read(id, (journal) => journal.survey()),
  ]);
  const index = new WorkspaceIndex({ workspace, ...directories }).size;
  return {
    ...examined,
    disk: [
      { name: "Journal", bytes: survey.bytes },
      { name: "Former contents of files", bytes: survey.contents.bytes },
      { name: "Conversations, in the journal", bytes: survey.conversations.bytes },
      { name: "Stored outputs", bytes: sizeOfFiles(workspaces.files(id).outputs) },
      { name: "Code index", bytes: index ?? 0 },
    ],
    index: index === undefined ? null : `${showSize(index)}, built on demand`,
  };
}

function sizeOfFiles(folder: string): number {
  return namesIn(folder).reduce((sum, name) => sum + (statsAt(join(folder, name))?.size ?? 0), 0);
}

/** Checks the hash chain of a journal. */
export async function verifyChain(workspaces: Workspaces, id: string): Promise<VerifyResult> {
  const { records, head, fault } = await workspaces.read(id, (journal) => journal.verify({}));
  return {
    isIntact: fault === undefined,
    records,
    head,
    faults: fault === undefined ? [] : [`Record ${fault.sequence} ${fault.reason}.`],
  };
}
