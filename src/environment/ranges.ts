import type { LineRange } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Refuses line numbers and limits that make no sense. */
export function checkLineRange({ first, count, maxBytes }: LineRange): void {
  if (!Number.isSafeInteger(first) || first === 0) {
    throw new ToolError("invalid-input", `There is no line ${first}`, {
      hint: "Lines count from 1; negative numbers count from the end.",
    });
  }
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new ToolError("invalid-input", `${count} lines cannot be read`, {
      hint: "Ask for at least one line.",
    });
  }
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1) {
    throw new ToolError("invalid-input", `${maxBytes} bytes are no limit`, {
      hint: "Allow at least one byte.",
    });
  }
}

export function checkByteRange({ offset, length }: ByteRange): void {
  if (Number.isSafeInteger(offset) && offset >= 0 && Number.isSafeInteger(length) && length >= 0) return;
  throw new ToolError("invalid-input", `${length} bytes from ${offset} on cannot be read`, {
    hint: "Offset and length are whole numbers from 0 on.",
  });
}
