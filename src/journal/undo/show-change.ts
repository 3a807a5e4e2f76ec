import type { Environment } from "../../contract/environment.ts";
import type { PathGuard } from "../../contract/guard.ts";
import type { ChangedFile, EntryState } from "../../contract/history.ts";
import { diffContents } from "../../edit/rewrite/show-diff.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import { isSameContent } from "../entry-states.ts";
import type { Contents } from "./contents.ts";
import type { Phase } from "./net-changes.ts";
import type { UndoPlan } from "./plan-undo.ts";

/** Returns a unified diff with numbered hunks, or a description of content that is not text. */
export async function showChange(
  path: string,
  before: EntryState,
  after: EntryState,
  contents: Contents,
): Promise<string> {
  const lines = [...describeEntry("-", path, before, after), ...describeEntry("+", path, after, before)];
  if (before.kind === after.kind && octal(before) !== octal(after))
    lines.push(`permissions of ${showPath(path)}: ${octal(before)} → ${octal(after)}`);
  return lines.map((line) => `${line}\n`).join("") + numberHunks(await diffOf(path, before, after, contents));
}

async function diffOf(
  path: string,
  before: EntryState,
  after: EntryState,
  contents: Contents,
): Promise<string> {
  if ((before.kind !== "file" && after.kind !== "file") || isSameContent(before, after)) return "";
  const [old, recent] = await Promise.all([contents.peek(before), contents.peek(after)]);
  if (old === undefined || recent === undefined)
    return `${showPath(path)}: ${sizeOf(before)} → ${sizeOf(after)}, too large to show or no longer stored\n`;
  const diff = diffContents({ path, before: old, after: recent });
  return diff === "" ? `${old === "nothing" ? "+" : "-"} empty file ${showPath(path)}\n` : diff;
}

/** Adds the number after the second @@, where git expects a heading. */
function numberHunks(diff: string): string {
  let number = 0;
  return diff.replace(/^(@@ .* @@)$/gm, (header) => {
    number += 1;
    return `${header} hunk ${number}`;
  });
}

function describeEntry(
  sign: "-" | "+",
  path: string,
  state: EntryState,
  other: EntryState,
): readonly string[] {
  if (state.kind === "link") return [`${sign} link ${showPath(path)} → ${showPath(state.target)}`];
  if (state.kind !== "directory" || other.kind === "directory") return [];
  return [`${sign} directory ${showPath(path)}/ (${octal(state)})`];
}

function octal(state: EntryState): string {
  return "mode" in state ? state.mode.toString(8) : "";
}

function sizeOf(state: EntryState): string {
  return state.kind === "file" ? showSize(state.bytes) : "nothing";
}

export interface ShowContext {
  readonly environment: Environment;
  readonly contents: Contents;
  /** The guard. Old contents of files that must not be read are not shown either. */
  readonly guard?: PathGuard | undefined;
}

/** Returns the changes of calls, file by file, oldest first. */
export async function showPhases(
  phases: readonly Phase[],
  context: ShowContext,
): Promise<readonly ChangedFile[]> {
  const files: ChangedFile[] = [];
  for (const { nets, move } of phases.toReversed()) {
    if (move) files.push(movedFile(move.from, move.to, move.state));
    for (const { path, pieces } of nets) {
      for (const { before, after } of pieces.toReversed())
        files.push(await showFile(path, before, after, context));
    }
  }
  return files;
}

/** Returns the changes of an undo, applied or planned. Diffs are made only with a context, for dry runs. */
export async function showPlan(
  { phases }: UndoPlan,
  context: ShowContext | undefined,
): Promise<readonly ChangedFile[]> {
  const files: ChangedFile[] = [];
  for (const { steps, move } of phases) {
    for (const { path, now: before, wanted: after } of steps)
      files.push(context ? await showFile(path, before, after, context) : { path, before, after, diff: "" });
    if (move) files.push(movedFile(move.to, move.from, move.state));
  }
  return files;
}

async function showFile(
  path: string,
  before: EntryState,
  after: EntryState,
  context: ShowContext,
): Promise<ChangedFile> {
  const diff = whyHidden(path, context) ?? (await showChange(path, before, after, context.contents));
  return { path, before, after, diff };
}

/** Returns a line that replaces the diff of a file that must not be read. */
export function whyHidden(path: string, { environment, guard }: ShowContext): string | undefined {
  const refusal = guard?.("read", `${environment.workspace}/${path}`);
  return refusal && `${showPath(path)} ${refusal.reason} (${refusal.rule}): not shown\n`;
}

function movedFile(movedFrom: string, path: string, state: EntryState): ChangedFile {
  const diff = `moved ${showPath(movedFrom)} to ${showPath(path)}\n`;
  return { path, before: state, after: state, movedFrom, diff };
}
