import type { SmartFile } from "../../../code/smart/locate.ts";
import type { TextLocation } from "../../../code/smart/location.ts";
import { ToolError } from "../../../contract/error.ts";
import type { PreviewContext } from "../../../contract/tool.ts";
import { type Source, sourcesOf } from "../../../edit/source.ts";
import { asBuffer } from "../../../lib/bytes/bytes.ts";
import { byteOrderMarkLength, encodingOf } from "../../../lib/text/encoding.ts";
import { listLines } from "../show-lines.ts";

/** A file's current content, with its outline if a grammar parses it. */
export interface ReadFile extends SmartFile {
  readonly bytes: Uint8Array;
}

export async function readSmartFile(path: string, context: PreviewContext): Promise<ReadFile> {
  const { environment, signal } = context;
  const { bytes } = await environment.readFile(path, { maxBytes, signal });
  if (encodingOf(bytes) === "binary")
    throw new ToolError("unsupported", `${path} is a binary file, which has no lines to edit`, {
      hint: "Use edit.replace with text that matches byte for byte.",
    });
  const [source] = sourcesOf(path, bytes) as Generator<Source>;
  const text = source!.text.utf8.toString();
  return { path, bytes, source: source!, text, ...(await outlineIn(path, text, context)) };
}

const maxBytes = 32 * 1024 * 1024;

/** Returns no outline for a file that cannot be parsed, because it still has lines and text. */
async function outlineIn(
  path: string,
  text: string,
  { code, signal }: PreviewContext,
): Promise<Pick<ReadFile, "outline" | "unread">> {
  try {
    return { outline: await code.outline({ path, text }, { signal }) };
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError) || !unreadable.has(error.code)) throw error;
    return { outline: undefined, unread: error.code === "unsupported" ? undefined : error.message };
  }
}

const unreadable: ReadonlySet<string> = new Set(["unsupported", "unavailable", "too-large", "timeout"]);

/**
 * Refuses line numbers if the lines up to the last one have changed since the caller saw them, because they would
 * select other lines. A caller that never saw the lines is trusted.
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
    const range = listLines([{ first: firstLine, last: lastLine }]);
    throw new ToolError("stale", `${path} has changed at ${range} since you last saw it`, {
      hint: "Nothing was written. Read the file again, or give the location as text or a symbol.",
    });
  }
}
