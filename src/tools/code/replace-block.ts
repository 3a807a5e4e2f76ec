import * as z from "zod/mini";
import { findBlock } from "../../code/blocks/find-block.ts";
import { replaceBlock } from "../../code/blocks/replace-block.ts";
import { snippetOf } from "../../code/blocks/snippet.ts";
import type { CodeSymbol } from "../../contract/code.ts";
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
import {
  declaredIn,
  notesOnReplacement,
  refuseOtherBlock,
  refuseUnfit,
  settleLines,
} from "./settle-lines.ts";

const input = z.strictObject({
  path: pathField,
  ...blockFields,
  new_block: z.string().check(
    z.refine((block) => block.trim() !== "", {
      error: "is empty: to remove a block use code.delete_block",
    }),
    z.describe("With doc comments."),
  ),
  ...editFields,
});

export type ReplaceBlockInput = z.infer<typeof input>;

/** Replaces a function, class or other block. */
export const codeReplaceBlock: Tool<ReplaceBlockInput, BlockEditData> = {
  name: "code.replace_block",
  summary:
    "Replace a whole function, class, key or other block by name, with its attributes and doc comments. Indentation is fitted; the file must still parse. For a few lines use edit.replace.",
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

function planOf(input: ReplaceBlockInput, tell: (declared: CodeSymbol | undefined) => void): PlanCode {
  return async (file, context) => {
    const symbol = findBlock(file.path, file.outline, blockWanted(input));
    refuseOtherBlock(file, symbol, input);
    refuseUnfit(file, symbol, input.new_block);
    const changes = replaceBlock(file.text, file.outline, symbol, snippetOf(input.new_block));
    const settled = await settleLines(file, changes, context);
    const declared = declaredIn(settled.outline, settled, symbol);
    tell(declared);
    return { ...settled, notes: notesOnReplacement(file, symbol, declared) };
  };
}
