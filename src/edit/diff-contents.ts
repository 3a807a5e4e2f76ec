import { detectEncoding, detectionBytes } from "../lib/encoding.ts";
import { diffRuns } from "./diff-runs.ts";
import type { Change, FilePlan } from "./edit-request.ts";
import type { LineTable } from "./line-table.ts";
import { showDiff } from "./show-diff.ts";
import { type Source, sourcesOf } from "./source.ts";

/** One file, as it is and as it will be; "nothing" where there is none. */
export interface Contents {
  readonly path: string;
  readonly before: Uint8Array | "nothing";
  readonly after: Uint8Array | "nothing";
}

/** Two contents of a file as a unified diff; a line says so where one of them is no text. Empty when they are alike. */
export function diffContents({ path, before, after }: Contents): string {
  if (before === "nothing" && after === "nothing") return "";
  if (isBinary(before) || isBinary(after))
    return sameBytes(before, after) ? "" : `Binary file ${path} differs\n`;
  const plan = { path, notes: [], changes: changesBetween(path, before, after) };
  return showDiff(withContents(plan, before, after));
}

function withContents(
  plan: Pick<FilePlan, "path" | "notes" | "changes">,
  before: Contents["before"],
  after: Contents["after"],
): FilePlan {
  if (before === "nothing") return { ...plan, action: "add", after: after as Uint8Array };
  if (after === "nothing") return { ...plan, action: "delete", before };
  return { ...plan, action: "update", before, after };
}

function changesBetween(
  path: string,
  before: Contents["before"],
  after: Contents["after"],
): readonly Change[] {
  return diffRuns(linesOf(path, before), linesOf(path, after)).map(
    ({ oldStart, oldEnd, newStart, newEnd }) => ({
      firstLine: oldStart + 1,
      removedLines: oldEnd - oldStart,
      addedLines: newEnd - newStart,
      tier: "exact",
    }),
  );
}

/** Line ends included. */
function linesOf(path: string, bytes: Contents["before"]): readonly string[] {
  if (bytes === "nothing") return [];
  const [source] = sourcesOf(path, bytes) as Generator<Source>;
  const { lines }: { lines: LineTable } = source!;
  return Array.from({ length: lines.count }, (_, line) => lines.text(line) + lines.lineEnd(line));
}

function isBinary(bytes: Contents["before"]): boolean {
  if (bytes === "nothing") return false;
  return (
    detectEncoding(bytes.subarray(0, detectionBytes), { complete: bytes.length <= detectionBytes }) ===
    "binary"
  );
}

function sameBytes(before: Contents["before"], after: Contents["after"]): boolean {
  return before !== "nothing" && after !== "nothing" && Buffer.compare(before, after) === 0;
}
