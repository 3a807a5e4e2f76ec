import { counted } from "../../text/counted.ts";
import type { EditedFile } from "./edited-file.ts";
import { boundDiff, type LineSpan, listLines } from "./show-lines.ts";

/** What was done, or would be, as the model is told. */
export function describeEdit(files: readonly EditedFile[], mood: "done" | "planned"): string {
  return files.map((file) => describeFile(file, mood)).join("\n");
}

function describeFile(file: EditedFile, mood: "done" | "planned"): string {
  const verb = verbs[file.action][mood];
  const head = `${verb} ${subjectOf(file)}${hashesOf(file)}`;
  const isShown = file.changes.length > 0 && (file.action === "update" || file.action === "move");
  return [
    `${head}${isShown ? ":" : "."}`,
    ...file.notes.map((note) => `(${note})`),
    ...(isShown ? [boundDiff(file.diff)] : []),
  ].join("\n");
}

const verbs = {
  add: { done: "Created", planned: "Would create" },
  update: { done: "Edited", planned: "Would edit" },
  delete: { done: "Deleted", planned: "Would delete" },
  move: { done: "Moved", planned: "Would move" },
} as const;

function subjectOf({ action, path, from, target, changes, mode }: EditedFile): string {
  const name = target === undefined ? path : `${path} (a link: the file is ${target})`;
  const places = listLines(spansAfter(changes));
  const permissions = mode === undefined ? "" : `, mode ${mode.toString(8)}`;
  switch (action) {
    case "add":
      return `${name}, ${counted(changes[0]?.addedLines ?? 0, "line")}${permissions}`;
    case "delete":
      return `${name}, ${counted(changes[0]?.removedLines ?? 0, "line")}`;
    case "update":
      return changes.length === 0 ? `${name}${permissions}` : `${name} at ${places}${permissions}`;
    case "move":
      return `${from} to ${name}${changes.length === 0 ? "" : `, changed at ${places}`}${permissions}`;
  }
}

/** The changed lines as they are numbered afterwards; where lines only went, the one that is there now. */
function spansAfter(changes: EditedFile["changes"]): readonly LineSpan[] {
  let growth = 0;
  return changes.map(({ firstLine, removedLines, addedLines }) => {
    const first = firstLine + growth;
    growth += addedLines - removedLines;
    return { first, last: Math.max(first, first + addedLines - 1) };
  });
}

/** As many digits as tell contents apart and can be given back as the expected hash. */
const shownDigits = 12;

function hashesOf({ beforeHash, afterHash }: EditedFile): string {
  const [before, after] = [beforeHash, afterHash].map((hash) => hash?.slice(0, shownDigits));
  if (before === undefined) return ` (${after})`;
  if (after === undefined) return ` (was ${before})`;
  return before === after ? ` (${after})` : ` (${before} → ${after})`;
}
