import { realWorkspace, userDirectories } from "../../system/directories.ts";
import { WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import type { Arguments } from "../command.ts";
import { remarkWarnings } from "../report.ts";

/** Looks into the journal of the workspace that is meant, and then says what a person has to know. */
export async function atDesk<Result>(
  { options }: Arguments,
  look: (desk: WorkspaceJournal, workspace: string) => Result | Promise<Result>,
): Promise<Result> {
  const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
  const desk = new WorkspaceJournal({ state: userDirectories().state, workspace });
  try {
    return await look(desk, workspace);
  } finally {
    desk.close();
    remarkWarnings(desk.warnings);
  }
}
