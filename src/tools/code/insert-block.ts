import * as z from "zod/mini";
import { headOf } from "../../code/blocks/describe-block.ts";
import { findBlock } from "../../code/blocks/find-block.ts";
import { insertBlock } from "../../code/blocks/insert-block.ts";
import { snippetOf } from "../../code/blocks/snippet.ts";
import type { CodeSymbol } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { Tool } from "../../contract/tool.ts";
import {
  type BlockEditData,
  blockAnswer,
  blockFields,
  blockWanted,
  changeAccesses,
  changeOptions,
  editFields,
  pathField,
  sameIn,
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

/** Inserts new code next to a block, or into it. */
export const codeInsertBlock: Tool<InsertBlockInput, BlockEditData> = {
  name: "code.insert_block",
  summary:
    "Insert code before, after or inside a named block. Indentation is fitted; the file must still parse.",
  risk: "execute",
  input,
  limits: { maxChars: 20_000, keep: "both" },
  timeoutMs: projectToolsTimeoutMs,
  accesses: changeAccesses,
  preview: (input, context) =>
    diffOfChange(
      input.path,
      planOf(input, () => {}),
      changeOptions(input),
      context,
    ),

  async run(input, context) {
    let declared: CodeSymbol | undefined;
    const plan = planOf(input, (symbol) => {
      declared = symbol;
    });
    const changed = await changeCode(input.path, plan, changeOptions(input), context);
    return blockAnswer(changed, (outline) => sameIn(outline, declared));
  },
};

function planOf(input: InsertBlockInput, tell: (declared: CodeSymbol | undefined) => void): PlanCode {
  return async (file, context) => {
    const { path, text, outline } = file;
    const symbol = findBlock(path, outline, blockWanted(input));
    refuseOtherBlock(file, symbol, input);
    refuseUnfit(file, symbol, input.snippet);
    const { position = "after" } = input;
    const changes = insertBlock({ text, outline, symbol, position, snippet: snippetOf(input.snippet) });
    if (changes.length === 0) throw holdsNothing(path, symbol);
    const settled = await settleLines(file, changes, context);
    tell(declaredIn(settled.outline, settled));
    return { ...settled, notes: [] };
  };
}

function holdsNothing(path: string, symbol: CodeSymbol): ToolError {
  return new ToolError("unsupported", `${path}: ${headOf(symbol)} has no inside to insert code into`, {
    hint: "Insert before or after it, or replace it with code.replace_block.",
  });
}
