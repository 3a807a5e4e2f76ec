import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ConversationEntry } from "../../contract/conversations.ts";
import { ToolError } from "../../contract/error.ts";
import type { Run } from "../../fleet/fleet.ts";
import { readArtifact } from "../../fleet/read-artifact.ts";
import { RunFolder } from "../../fleet/work/run-folder.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import { allWorkspaceFiles } from "../../system/directories.ts";
import { redactValue, WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import { fleetFolder } from "./open-store.ts";

/** The folder in which workers of this machine keep workspaces and sessions. */
export function workFolderOf(options: ReadonlyMap<string, string>): string {
  return resolve(options.get("folder") ?? join(fleetFolder(), "work"));
}

/** The folder or address of artifacts. */
export function artifactsOf(options: ReadonlyMap<string, string>): string {
  const given = options.get("artifacts");
  if (given === undefined) return join(fleetFolder(), "artifacts");
  return /^s3:\/\//i.test(given) ? given : resolve(given);
}

/** Reads an artifact of an ended run; empty when the run has no such artifact. */
export async function readRunFile(run: Run, name: string): Promise<Buffer> {
  const { artifacts = null, artifactNames = [] } = run.result ?? {};
  if (artifacts === null || !artifactNames.includes(name)) return Buffer.alloc(0);
  const found = await readArtifact(run, name, maxArtifactBytes);
  if (found !== undefined) return found;
  throw new ToolError("unavailable", `${name} of ${run.id} cannot be read.`, {
    hint: `Run this on the machine that has ${artifacts}.`,
  });
}

const maxArtifactBytes = 256 * 1024 * 1024;

/** Returns the conversation of a run: from its artifacts, or as far as its worker on this machine has come. */
export async function conversationOf(run: Run, workFolder: string): Promise<readonly ConversationEntry[]> {
  const kept = (await readRunFile(run, "session.jsonl")).toString();
  if (kept !== "")
    return kept.split("\n").map(tryParseJson).filter(isRecord) as unknown as ConversationEntry[];
  const [files] = allWorkspaceFiles(new RunFolder(workFolder, run).state);
  if (run.session !== null && files !== undefined && existsSync(files.journal)) {
    const journal = new WorkspaceJournal({ files });
    try {
      return journal.conversations
        .entries(run.session)
        .map((kept) => ({ ...kept, entry: redactValue(kept.entry) }));
    } finally {
      journal.close();
    }
  }
  throw new ToolError("not-found", `No conversation of ${run.id} is on this machine`, {
    hint:
      run.session === null
        ? "The run has not started."
        : "Run this on the worker's machine, with its --folder.",
  });
}
