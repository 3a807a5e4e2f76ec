import { redactText } from "../../policy/redaction/redact.ts";
import { MemoryEnvironment } from "../../toolcrib/index.ts";
import { OpenPolicy } from "../../toolcrib/open-policy.ts";
import { folderOf } from "../../toolcrib/workspace-journal.ts";
import type { FileDiff, OutputPage } from "../api.ts";
import { toFileDiff } from "../read-diff.ts";
import type { Workspaces } from "./workspaces.ts";

/** Returns the changes of a call. Contents of files that tools must not read are left out, and secrets redacted. */
export async function readChanges(
  workspaces: Workspaces,
  { workspace: id, callId, config }: { workspace: string; callId: string; config: string },
): Promise<readonly FileDiff[]> {
  const workspace = workspaces.path(id);
  if (workspace === null) return [];
  // The files of a target are not read: it may be off, and its history is shown anyway.
  const folder = folderOf(workspace);
  const environment = workspace === folder ? undefined : new MemoryEnvironment({ workspace: folder });
  const { state } = workspaces;
  const { guard } = await OpenPolicy.open({ workspace: folder, id: workspace, environment, state, config });
  const files = await workspaces.read(id, (journal) => journal.changedFiles(callId, { workspace, guard }));
  // The whole diff is searched, because a private key has many lines.
  return files.map((file) => toFileDiff({ ...file, diff: redactText(file.diff) }));
}

/** Returns a part of a stored output of this workspace. Secrets were redacted when it was stored. */
export async function readOutput(
  workspaces: Workspaces,
  workspace: string,
  handle: string,
  offset = 0,
): Promise<OutputPage> {
  const part = await workspaces.read(workspace, (journal) =>
    journal.readOutput(handle, { offset, maxBytes: outputPageBytes }),
  );
  const { text, bytes, next = null } = part;
  return { handle, text, offset, bytes, next };
}

const outputPageBytes = 128 * 1024;
