import type { TextLocation } from "../../../code/smart/location.ts";
import { ToolError } from "../../../contract/error.ts";
import type { PreviewContext } from "../../../contract/tool.ts";
import { asBuffer } from "../../../lib/as-buffer.ts";
import { byteOrderMarkLength } from "../../../lib/encoding.ts";
import { listLines } from "../show-lines.ts";
import type { ReadFile } from "./smart-file.ts";

/**
 * Refuses line numbers of lines that its caller has seen otherwise, up to the last that is named: what is at these numbers
 * now is something else. Who has never seen them is believed.
 */
export async function refuseOutdatedNumbers(
  { path, bytes, source }: ReadFile,
  { firstLine, lastLine }: TextLocation,
  { seen }: PreviewContext,
): Promise<void> {
  const { lines, text } = source;
  const content = asBuffer(bytes);
  const start = (line: number) => text.fileOffset(lines.start(line - 1));
  const mark = byteOrderMarkLength(bytes);
  for (const part of await seen.recall(path)) {
    const { first, count } =
      part.lines === "all" ? { first: 1, count: Number.POSITIVE_INFINITY } : part.lines;
    if (first > lastLine || first + count <= firstLine) continue;
    const from = first === 1 ? mark : start(first);
    const named = Math.min(start(lastLine + 1) - from, part.bytes.length);
    if (content.subarray(from, from + named).equals(part.bytes.subarray(0, named))) continue;
    const said = listLines([{ first: firstLine, last: lastLine }]);
    throw new ToolError("stale", `${path}: at ${said} is no longer what you last saw there`, {
      hint: "Nothing was written. Read the file again, or name the place by text or a symbol.",
    });
  }
}
