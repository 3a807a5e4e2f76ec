import { blockText } from "../../code/blocks/expected-block.ts";
import type { CodeSymbol } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { isPlaceholder } from "../../text/edit/placeholder.ts";
import type { CodeFile } from "./code-file.ts";

/** Refuses new lines that stand for code instead of being code, unless the file has them too. */
export function refuseStandIns({ path, text }: CodeFile, old: CodeSymbol, block: string): void {
  const known = blockText(text, old);
  const standIn = block.split(/\r?\n/).find((line) => isPlaceholder(line) && !known.includes(line.trim()));
  if (standIn === undefined) return;
  throw new ToolError(
    "invalid-input",
    `${path}: the new code holds a placeholder instead of code: ${standIn.trim()}`,
    {
      hint: "Write the block out in full, or change only some of its lines with edit.replace.",
    },
  );
}
