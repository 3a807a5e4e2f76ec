import * as z from "zod/mini";
import { findBlock } from "../../code/blocks/find-block.ts";
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
import { refuseOtherBlock } from "./settle-lines.ts";
import { settleReplacement } from "./settle-replacement.ts";

const input = z.strictObject({
  path: pathField,
  ...blockFields,
  new_block: z.string().check(
    z.refine((block) => block.trim() !== "", {
      error: "is empty; to remove a block use code.delete_block or edit.replace",
    }),
    z.describe(
      "The whole new block. Attributes and doc comments above the old one stay unless it has its own.",
    ),
  ),
  ...editFields,
});

export type ReplaceBlockInput = z.infer<typeof input>;

export const codeReplaceBlock: Tool<ReplaceBlockInput, BlockEditData> = {
  name: "code.replace_block",
  description:
    "Replace a whole function, class, key or other block by name. Adjusts indentation. The file must still parse. For a few lines use edit.replace.",
  risk: "execute",
  input,
  limits: { maxChars: 20_000, keep: "both" },
  timeoutMs: projectToolsTimeoutMs,
  accesses: changeAccesses,
  narrow: changeAccessesNeeded,
  preview: (input, context) => diffOfChange(input, planOf(input), context),
  run: async (input, context) => blockAnswer(await changeCode(input, planOf(input), context)),
};

function planOf(input: ReplaceBlockInput): PlanCode<DeclaringEdit> {
  return async (file, context) => {
    const symbol = findBlock(file.path, file.outline, blockWanted(input));
    const verifiedStart = refuseOtherBlock(file, symbol, input);
    return settleReplacement(file, symbol, { newBlock: input.new_block, verifiedStart }, context);
  };
}
