import { blockText } from "../../code/blocks/block-text.ts";
import type { CodeSymbol } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { isPlaceholder } from "../../edit/diagnose/placeholder.ts";
import { refuseHalfCharacters } from "../../edit/source.ts";
import type { CodeFile } from "./code-file.ts";

/** Refuses new code that no file of text can hold, or that only stands for code. */
export function refuseUnfit({ path, text }: CodeFile, old: CodeSymbol, block: string): void {
  refuseHalfCharacters(block);
  if (block.includes("\0")) throw holdsNul(path);
  const known = blockText(text, old);
  const standIn = block.split(/\r?\n/).find((line) => isPlaceholder(line) && !known.includes(line.trim()));
  if (standIn !== undefined) throw standsForCode(path, standIn);
}

function holdsNul(path: string): ToolError {
  return new ToolError(
    "invalid-input",
    `${path}: the new code holds a NUL character, as only binary files do`,
    {
      hint: "Write it as an escape of the language, or leave it out.",
    },
  );
}

function standsForCode(path: string, line: string): ToolError {
  const message = `${path}: the new code holds a placeholder instead of code: ${line.trim()}`;
  return new ToolError("invalid-input", message, {
    hint: "Write the block out in full, or change only some of its lines with edit.replace.",
  });
}
