import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";

/** A part of an output that was kept whole. */
export interface OutputPart {
  readonly text: string;
  /** Of the whole. */
  readonly bytes: number;
  /** Where the next part begins; undefined at the end. */
  readonly next: number | undefined;
}

/** Where a part begins, and how much is wanted of it, in bytes; a megabyte if not said. */
export interface OutputRange {
  readonly offset?: number;
  readonly maxBytes?: number;
}

/** Reads in the folder of outputs. A part ends after a line, or at least after a character. */
export async function readOutput(
  kept: Pick<Environment, "info" | "readBytes">,
  handle: string,
  { offset = 0, maxBytes = 1024 * 1024 }: OutputRange = {},
): Promise<OutputPart> {
  if (!/^out_[a-z0-9]+$/.test(handle)) throw noSuchOutput(handle);
  const info = await kept.info(handle, { followLinks: false }).catch(() => undefined);
  if (info?.kind !== "file") throw noSuchOutput(handle);
  const part = Buffer.from(await kept.readBytes(handle, { offset, length: maxBytes }));
  const end = offset + part.length;
  if (end >= info.bytes || part.length === 0)
    return { text: part.toString(), bytes: info.bytes, next: undefined };
  const length = wholeLines(part);
  return { text: part.toString("utf8", 0, length), bytes: info.bytes, next: offset + length };
}

function wholeLines(part: Buffer): number {
  const afterLine = part.lastIndexOf(0x0a) + 1;
  if (afterLine > 0) return afterLine;
  let start = part.length;
  // Back to the first byte of the last character, which may not be all there.
  while (start > 1 && (part[start - 1]! & 0b1100_0000) === 0b1000_0000) start -= 1;
  return start > 1 ? start - 1 : part.length;
}

function noSuchOutput(handle: string): ToolError {
  return new ToolError("not-found", `There is no output ${JSON.stringify(handle)}`, {
    hint: "Outputs are kept for a week; make the call again.",
  });
}
