import * as z from "zod/mini";
import { headOf } from "../../code/blocks/describe-block.ts";
import { findBlock } from "../../code/blocks/find-block.ts";
import { insertBlock } from "../../code/blocks/insert-block.ts";
import { snippetOf } from "../../code/blocks/snippet.ts";
import { ToolError } from "../../contract/error.ts";
import type { Tool } from "../../contract/tool.ts";
import {
  type BlockEditData,
  blockAnswer,
  blockFields,
  blockWanted,
  changeAccesses,
  changeAccessesNeeded,
  type DeclaringEdit,
  editFields,
  pathField,
} from "./block-fields.ts";
import { changeCode, diffOfChange, type PlanCode } from "./change-code.ts";
import { projectToolsTimeoutMs } from "./project-tools/change-checked.ts";
import { declaredIn, refuseOtherBlock, refuseUnfit, settleLines } from "./settle-lines.ts";

const input = z.strictObject({
  path: pathField,
  ...blockFields,
  position: z.optional(
    z.enum(["before", "after", "inside_start", "inside_end"]).check(z.describe("Default after.")),
  ),
  snippet: z
    .string()
    .check(z.refine((snippet) => snippet.trim() !== "", { error: "is empty: give the code to insert" })),
  ...editFields,
});

export type InsertBlockInput = z.infer<typeof input>;

export const codeInsertBlock: Tool<InsertBlockInput, BlockEditData> = {
  name: "code.insert_block",
  description:
    "Insert code before, after or inside a named block. Adjusts indentation. The file must still parse.",
  risk: "execute",
  input,
  limits: { maxChars: 20_000, keep: "both" },
  timeoutMs: projectToolsTimeoutMs,
  accesses: changeAccesses,
  narrow: changeAccessesNeeded,
  preview: (input, context) => diffOfChange(input, planOf(input), context),
  run: async (input, context) => blockAnswer(await changeCode(input, planOf(input), context)),
};

function planOf(input: InsertBlockInput): PlanCode<DeclaringEdit> {
  return async (file, context) => {
    const { path, text, outline } = file;
    const symbol = findBlock(path, outline, blockWanted(input));
    refuseOtherBlock(file, symbol, input);
    refuseUnfit(file, symbol, input.snippet);
    const { position = "after" } = input;
    const changes = insertBlock({ text, outline, symbol, position, snippet: snippetOf(input.snippet) });
    if (changes.length === 0)
      throw new ToolError("unsupported", `${path}: ${headOf(symbol)} has no body to insert code into`, {
        hint: "Insert before or after it, or replace it with code.replace_block.",
      });
    const settled = await settleLines(file, changes, context);
    return { ...settled, declared: declaredIn(settled.outline, settled), notes: [] };
  };
}
