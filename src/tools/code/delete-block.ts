import * as z from "zod/mini";
import { type Splice, spliced } from "../../code/blocks/block-change.ts";
import { damageOf } from "../../code/blocks/change-damage.ts";
import { deleteBlock } from "../../code/blocks/delete-block.ts";
import { describeBlock, headOf } from "../../code/blocks/describe-block.ts";
import { findBlock } from "../../code/blocks/find-block.ts";
import type { CodeSymbol } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { PreviewContext, Tool } from "../../contract/tool.ts";
import {
  type BlockEditData,
  blockFields,
  blockWanted,
  changeAccesses,
  changeAccessesNeeded,
  editFields,
  pathField,
} from "./block-fields.ts";
import { type CodeEdit, changeCode, diffOfChange, type PlanCode } from "./change-code.ts";
import type { CodeFile } from "./code-file.ts";
import { projectToolsTimeoutMs } from "./project-tools/change-checked.ts";
import { damaged, refuseOtherBlock } from "./settle-lines.ts";

const input = z.strictObject({ path: pathField, ...blockFields, ...editFields });

export type DeleteBlockInput = z.infer<typeof input>;

export const codeDeleteBlock: Tool<DeleteBlockInput, BlockEditData> = {
  name: "code.delete_block",
  description:
    "Delete a whole function, class, key or other block by name, with its attributes and doc comments. The file must still parse.",
  risk: "execute",
  input,
  limits: { maxChars: 20_000, keep: "both" },
  timeoutMs: projectToolsTimeoutMs,
  accesses: changeAccesses,
  narrow: changeAccessesNeeded,
  preview: (input, context) => diffOfChange(input, planOf(input), context),

  async run(input, context) {
    const { files, description } = await changeCode(input, planOf(input), context);
    return { data: { files, block: undefined }, text: description };
  },
};

function planOf(input: DeleteBlockInput): PlanCode<CodeEdit> {
  return async (file, context) => {
    const symbol = findBlock(file.path, file.outline, blockWanted(input));
    refuseOtherBlock(file, symbol, input);
    const notes = [`deleted ${describeBlock(file.outline, symbol)}`];
    return { ...(await firstThatParses(file, symbol, context)), notes };
  };
}

/** Returns the most likely way to delete the block after which the file still parses. */
export async function firstThatParses(
  file: CodeFile,
  symbol: CodeSymbol,
  { code, signal }: PreviewContext,
): Promise<Omit<CodeEdit, "notes">> {
  const { path, text, outline } = file;
  let refusal: ToolError | undefined;
  for (const splices of deleteBlock(text, outline, symbol)) {
    const emptied = emptiedBy(splices, file, symbol);
    // Python's grammar allows an empty body, Python does not.
    if (emptied && outline.language === "python") throw mayNotBeEmpty(path, symbol, emptied);
    const after = spliced(text, splices);
    const outlineAfter = await code.outline({ path, text: after }, { signal });
    const damage = damageOf(file, outlineAfter, splices);
    if (!damage) return { splices, outline: outlineAfter };
    refusal ??= emptied ? mayNotBeEmpty(path, symbol, emptied) : damaged(path, after, damage);
  }
  throw refusal;
}

/** Returns the parent of the block if the deletion leaves it empty. */
function emptiedBy(
  splices: readonly Splice[],
  { text, outline }: CodeFile,
  { parent }: CodeSymbol,
): CodeSymbol | undefined {
  const holder = parent === undefined ? undefined : outline.symbols[parent];
  if (!holder?.inside) return undefined;
  const { start, end } = holder.inside;
  const from = Math.max(start, Math.min(...splices.map((splice) => splice.start)));
  const to = Math.min(end, Math.max(...splices.map((splice) => splice.end)));
  return (text.slice(start, from) + text.slice(to, end)).trim() === "" ? holder : undefined;
}

function mayNotBeEmpty(path: string, symbol: CodeSymbol, holder: CodeSymbol): ToolError {
  const message = `${path}: ${headOf(holder)} must not be empty, and ${headOf(symbol)} is all it contains`;
  return new ToolError("invalid-input", message, {
    hint: "Nothing was written. Delete the enclosing block, or replace this one with code.replace_block.",
  });
}
