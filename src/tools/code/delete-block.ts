import * as z from "zod/mini";
import { type Splice, spliced } from "../../code/blocks/block-change.ts";
import { deleteBlock } from "../../code/blocks/delete-block.ts";
import { findBlock } from "../../code/blocks/find-block.ts";
import { damageOf } from "../../code/blocks/judge-change.ts";
import { describeBlock, headOf } from "../../code/blocks/list-blocks.ts";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { reworded, type ToolError } from "../../contract/error.ts";
import type { PreviewContext, Tool } from "../../contract/tool.ts";
import type { BlockEditData } from "./block-answer.ts";
import {
  type BlockFields,
  blockFields,
  blockWanted,
  changeAccesses,
  changeOptions,
  type EditFields,
  editFields,
  pathField,
} from "./block-fields.ts";
import { type CodeEdit, changeCode, diffOfChange, type PlanCode } from "./change-code.ts";
import type { CodeFile } from "./code-file.ts";
import { damaged } from "./damaged.ts";
import { projectToolsTimeoutMs } from "./project-tools/change-checked.ts";
import { refuseOtherBlock } from "./refuse-other-block.ts";

export interface DeleteBlockInput extends BlockFields, EditFields {}

/** Takes a function, class or other block out of a file. */
export const codeDeleteBlock: Tool<DeleteBlockInput, BlockEditData> = {
  name: "code.delete_block",
  summary:
    "Delete a whole function, class, field, key or other block by its kind and name, with the attributes and doc comments " +
    "above it, its comma and the blank lines that only it needed. The file must still parse.",
  risk: "execute",
  input: z.strictObject({ path: pathField, ...blockFields, ...editFields }),
  limits: { maxChars: 20_000, keep: "both" },
  timeoutMs: projectToolsTimeoutMs,
  accesses: changeAccesses,
  preview: (input, context) => diffOfChange(input.path, planOf(input), changeOptions(input), context),

  async run(input, context) {
    const { files, description } = await changeCode(input.path, planOf(input), changeOptions(input), context);
    return { data: { files, block: undefined }, text: description };
  },
};

function planOf(input: DeleteBlockInput): PlanCode {
  return async (file, context) => {
    const symbol = findBlock(file.path, file.outline, blockWanted(input));
    refuseOtherBlock(file, symbol, input);
    const notes = [`deleted ${describeBlock(file.outline, symbol)}`];
    return { ...(await firstThatParses(file, symbol, context)), notes };
  };
}

async function firstThatParses(
  file: CodeFile,
  symbol: CodeSymbol,
  { code, signal }: PreviewContext,
): Promise<Omit<CodeEdit, "notes">> {
  const { path, text, outline } = file;
  let refusal: ToolError | undefined;
  for (const splices of deleteBlock(text, outline, symbol)) {
    const after = spliced(text, splices);
    const outlineAfter = await code.outline({ path, text: after }, { signal });
    const damage = damageOf(outline, outlineAfter, splices);
    if (!damage) return { splices, outline: outlineAfter };
    refusal ??= explain(damaged(path, after, damage), file, symbol, splices);
  }
  throw refusal;
}

/** Where a block may not be empty, as in Python, its last statement cannot go. */
function explain(
  refusal: ToolError,
  { path, text, outline }: CodeFile,
  symbol: CodeSymbol,
  splices: readonly Splice[],
): ToolError {
  const holder = holderOf(outline, symbol);
  if (!holder?.inside) return refusal;
  const { start, end } = holder.inside;
  const [splice] = splices;
  const rest =
    text.slice(start, Math.max(start, splice!.start)) + text.slice(Math.min(end, splices.at(-1)!.end), end);
  if (rest.trim() !== "") return refusal;
  return reworded(refusal, {
    message: `${path}: ${headOf(symbol)} is all that ${headOf(holder)} holds, which may not be empty`,
    hint: "Nothing was written. Delete what holds it, or put something in its place with code.replace_block.",
  });
}

function holderOf({ symbols }: Outline, { parent }: CodeSymbol): CodeSymbol | undefined {
  return parent === undefined ? undefined : symbols[parent];
}
