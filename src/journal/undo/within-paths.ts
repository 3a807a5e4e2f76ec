import { posix } from "node:path";
import { ToolError } from "../../contract/error.ts";
import { liesIn } from "../entry-states.ts";
import type { RecordedChange } from "../journal.ts";

/** Only what was changed at some paths, or in them; all without any. Paths are as a caller gives them. */
export function withinPaths(
  changes: readonly RecordedChange[],
  paths: readonly string[] | undefined,
  workspace: string,
): readonly RecordedChange[] {
  if (paths === undefined) return changes;
  const folders = paths.map((path) => posix.relative(workspace, posix.resolve(workspace, path)));
  const isIn = ({ path, moved }: RecordedChange, among: readonly string[]) =>
    liesIn(path, among) || (moved !== undefined && liesIn(moved, among));
  const missing = folders.find((folder) => !changes.some((change) => isIn(change, [folder])));
  if (missing !== undefined) throw notChanged(missing, changes);
  return changes.filter((change) => isIn(change, folders));
}

function notChanged(path: string, changes: readonly RecordedChange[]): ToolError {
  const names = [...new Set(changes.map((change) => change.path))];
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  return new ToolError("not-found", `${path} was not changed by these calls`, {
    hint: `They changed: ${names.slice(0, 10).join(", ")}${more}.`,
  });
}
