import type { EntryState } from "../../contract/history.ts";
import { diffContents } from "../../edit/rewrite/show-diff.ts";
import { showPath } from "../../lib/show-path.ts";
import { showSize } from "../../lib/show-size.ts";
import { isSameContent } from "../entry-states.ts";
import type { Contents } from "./contents.ts";

/** What became of a path, as a unified diff with its hunks numbered, or in words where it is no text. */
export async function showChange(
  path: string,
  before: EntryState,
  after: EntryState,
  contents: Contents,
): Promise<string> {
  const words = [...sayEntry("-", path, before, after), ...sayEntry("+", path, after, before)];
  if (before.kind === after.kind && octal(before) !== octal(after))
    words.push(`permissions of ${showPath(path)}: ${octal(before)} → ${octal(after)}`);
  return words.map((line) => `${line}\n`).join("") + numberHunks(await diffOf(path, before, after, contents));
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
    return `${showPath(path)}: ${sizeOf(before)} → ${sizeOf(after)}, too large to be shown or no longer kept\n`;
  const diff = diffContents({ path, before: old, after: recent });
  return diff === "" ? `${old === "nothing" ? "+" : "-"} empty file ${showPath(path)}\n` : diff;
}

/** Git takes what stands behind the second @@ for a heading. */
function numberHunks(diff: string): string {
  let number = 0;
  return diff.replace(/^(@@ .* @@)$/gm, (header) => {
    number += 1;
    return `${header} hunk ${number}`;
  });
}

function sayEntry(sign: "-" | "+", path: string, state: EntryState, other: EntryState): readonly string[] {
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
