import { blockHash, blockText, hasHash, isBlock } from "../../code/blocks/block-text.ts";
import { headOf } from "../../code/blocks/describe-block.ts";
import type { CodeSymbol } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { diffRuns } from "../../edit/diff-runs.ts";
import { showRuns } from "../edit/show-runs.ts";
import type { EditFields } from "./block-fields.ts";
import type { CodeFile } from "./code-file.ts";

/** Refuses a block that is not what its caller expects. */
export function refuseOtherBlock({ path, text }: CodeFile, symbol: CodeSymbol, expected: EditFields): void {
  const { expected_old_hash: hash, expected_old_block: block } = expected;
  if (block !== undefined && block.trim() !== "" && !isBlock(text, symbol, block)) {
    throw stale(
      `${path}: ${headOf(symbol)} is not the expected block:\n${difference(block, blockText(text, symbol))}`,
    );
  }
  if (hash !== undefined && hash !== "" && !hasHash(text, symbol, hash)) {
    throw stale(
      `${path}: ${headOf(symbol)} does not have the expected hash ${hash}, but ${blockHash(text, symbol)}`,
    );
  }
}

function stale(message: string): ToolError {
  return new ToolError("stale", message, {
    hint: "Nothing was written. Read the block again with code.read_symbol, then edit it as it is now.",
  });
}

function difference(expected: string, found: string): string {
  const [before, after] = [linesOf(expected), linesOf(found)];
  return showRuns(before, after, diffRuns(before, after));
}

function linesOf(text: string): readonly string[] {
  return text
    .trim()
    .split(/\r?\n/)
    .map((line) => `${line}\n`);
}
