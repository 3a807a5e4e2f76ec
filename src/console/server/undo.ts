import { ToolError } from "../../contract/error.ts";
import type { UndoneChanges } from "../../contract/history.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import type { UndoRequest, UndoResult } from "../api.ts";
import { toFileDiff } from "./read-diff.ts";
import type { Workspaces } from "./workspaces.ts";

/** Undoes for the user, who may undo the calls of every session. The undo is a recorded call, which can be undone too. */
export async function undo(
  workspaces: Workspaces,
  request: UndoRequest,
  { config, version }: { readonly config: string; readonly version: string },
): Promise<UndoResult> {
  const input = toInput(request);
  const crib = await openToolcrib({
    workspace: workspaces.folder(request.workspace),
    stateDirectory: workspaces.state,
    configDirectory: config,
    mode: "yolo",
    undoScope: "workspace",
    client: { kind: "console", version },
  });
  try {
    const { data, error, callId } = await crib.call("journal.undo", input);
    if (error !== null) throw new ToolError(error.code, error.message, { hint: withoutFields(error.hint) });
    const { calls, files, notes, leftAlone, commits = [] } = data as UndoneChanges;
    return {
      callId: request.dryRun ? null : callId,
      ...{ calls, notes, leftAlone, commits },
      files: files.map(toFileDiff),
    };
  } finally {
    await crib.close();
  }
}

function toInput(request: UndoRequest): object {
  const { calls, session, redo, paths, hunk, merge, skipChanged, dryRun } = request;
  const selections = [calls, session, redo].filter((given) => given !== undefined);
  if (selections.length !== 1 || calls?.length === 0)
    throw new ToolError("invalid-input", "Give exactly one of `calls`, `session` and `redo`.");
  const selection = redo ? { redo } : { call: session ?? calls!.join(" ") };
  return { ...selection, paths, hunk, merge, skip_changed: skipChanged, dry_run: dryRun };
}

/** Hints for models name fields; the page has switches of the same names. */
function withoutFields(hint: string | null): string | undefined {
  return hint?.replace(/`(\w+): true`/g, (_, name: string) => `“${name.replaceAll("_", " ")}”`);
}
