import { resolve } from "node:path";
import type { Diff, ToolCallContent, ToolCallLocation } from "@agentclientprotocol/sdk";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import { printable } from "../../lib/text/printable.ts";
import { plainTerminalText } from "../../lib/text/terminal-text.ts";
import { truncateText } from "../../lib/text/truncate.ts";

/** A change for the editor: each hunk of a unified diff is one `diff`, with the line where it begins. */
export interface ShownChanges {
  readonly diffs: readonly (Diff & { readonly type: "diff" })[];
  readonly locations: readonly ToolCallLocation[];
}

/** Reads unified diffs. Counts the lines of each hunk, because a line of a file may look like a header. */
export function readDiffs(text: string, workspace: string): ShownChanges {
  const diffs: ShownChanges["diffs"][number][] = [];
  const locations: ToolCallLocation[] = [];
  const lines = text.split("\n");
  let [before, after] = ["", ""];
  for (let index = 0; index < lines.length && diffs.length < maxDiffs; index += 1) {
    const line = lines[index]!;
    if (line.startsWith("--- ")) before = nameIn(line);
    else if (line.startsWith("+++ ")) after = nameIn(line);
    const header = hunkHeader.exec(line);
    if (header === null) continue;
    const hunk = readHunk(lines, index + 1, header);
    index = hunk.end;
    const path = resolve(workspace, after === nothing ? before : after);
    const oldText = before === nothing ? null : hunk.oldText;
    diffs.push({ type: "diff", path, oldText, newText: hunk.newText });
    locations.push({ path, line: Math.max(1, Number(header[3])) });
  }
  return { diffs, locations };
}

const nothing = "/dev/null";
const maxDiffs = 100;
const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Returns the path without the `a/` or `b/` of git, and without a time stamp. */
function nameIn(line: string): string {
  const [name = ""] = line.slice(4).split("\t", 1);
  const plain = name.startsWith('"') ? String(tryParseJson(name) ?? name) : name;
  return plain === nothing ? plain : plain.replace(/^[ab]\//, "");
}

function readHunk(lines: readonly string[], start: number, [, , old = "1", , fresh = "1"]: RegExpExecArray) {
  const [oldLines, newLines]: [string[], string[]] = [[], []];
  let end = "\n";
  let index = start;
  for (; index < lines.length; index += 1) {
    const line = lines[index]!;
    const isWhole = oldLines.length >= Number(old) && newLines.length >= Number(fresh);
    if (line.startsWith("\\")) end = "";
    else if (isWhole || line === "") break;
    if (line.startsWith("\\")) continue;
    if (!line.startsWith("+")) oldLines.push(line.slice(1));
    if (!line.startsWith("-")) newLines.push(line.slice(1));
  }
  const textOf = (part: readonly string[]) => (part.length === 0 ? "" : part.join("\n") + end);
  return { oldText: textOf(oldLines), newText: textOf(newLines), end: index - 1 };
}

/** Returns output as a code block, shortened. */
export function textContent(output: string, kind: string): ToolCallContent[] {
  const { text } = truncateText(
    plainTerminalText(output),
    limits,
    ({ chars }) => `[… ${chars} characters not shown …]`,
  );
  if (text.trim() === "") return [];
  const block = fenced(text, kind === "execute" ? "console" : "");
  return [{ type: "content", content: { type: "text", text: block } }];
}

const limits = { maxChars: 20_000, maxLines: 400, keep: "both" } as const;

/**
 * Returns a Markdown code block with a fence that the text does not contain, so that text from files, commands and models
 * cannot leave it.
 */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${printable(text).trimEnd()}\n${fence}`;
}
