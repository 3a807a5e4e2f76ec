import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import type { EditData } from "./describe-edit.ts";
import { diffOfEdit, editFiles } from "./edit-files.ts";
import { faultInEdits, refuseFault, replaceFields, toReplaceRequest } from "./replace-fields.ts";
import { accessesOf } from "./touched-paths.ts";

const fields = z.strictObject({
  path: z.string(),
  ...replaceFields,
});

export const editReplace: Tool<z.infer<typeof fields>, EditData> = {
  name: "edit.replace",
  description:
    "Replace text in a file. `find` must occur exactly once, unless `all` or `expect_count` is given; differences in indentation and quotes are tolerated. For several files use edit.patch.",
  risk: "write",
  input: fields.check(refuseFault(faultInEdits)),
  limits: { maxChars: 20_000, keep: "both" },
  accesses: (input) => accessesOf(toReplaceRequest(input)),
  preview: (input, context) =>
    diffOfEdit(toReplaceRequest(input), { expectedHash: input.expected_hash }, context),
  run: (input, context) =>
    editFiles(
      toReplaceRequest(input),
      { expectedHash: input.expected_hash, hardLinks: input.hard_links },
      context,
    ),
};
