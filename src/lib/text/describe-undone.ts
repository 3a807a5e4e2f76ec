import type { ChangedFile, UndoneChanges } from "../../contract/history.ts";
import { counted } from "./format-quantity.ts";
import { showPath } from "./printable.ts";

interface UndoRequest {
  readonly redo?: boolean | undefined;
  readonly dry_run?: boolean | undefined;
}

/** Returns whether a redo can revert this undo. */
export function canRedo({ files }: UndoneChanges, { redo, dry_run }: UndoRequest): boolean {
  return files.length > 0 && !redo && !dry_run;
}

/** Lists the undone changes for every reader, without a hint. */
export function describeUndone(
  { calls, files, notes }: UndoneChanges,
  { redo, dry_run }: UndoRequest,
): string {
  if (files.length === 0) return notes.join("\n");
  const verb = dry_run ? "Would undo" : "Undid";
  const what = calls.length > 3 ? counted(calls.length, "call") : calls.join(", ");
  return [
    `${redo ? `${verb} the undo ${what}` : `${verb} ${what}`}, ${counted(files.length, "path")}:`,
    ...(dry_run ? files.map(({ diff }) => diff.trimEnd()) : files.map(describeFile)),
    ...notes,
  ].join("\n");
}

function describeFile({ path, before, after, movedFrom }: ChangedFile): string {
  if (movedFrom !== undefined) return `moved ${showPath(movedFrom)} back to ${showPath(path)}`;
  if (before.kind === "nothing") return `recreated ${showPath(path)}`;
  return after.kind === "nothing" ? `removed ${showPath(path)}` : `restored ${showPath(path)}`;
}
