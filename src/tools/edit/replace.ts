import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import { diffOfEdit, editFiles } from "./edit-files.ts";
import type { EditData } from "./edited-file.ts";
import {
  faultInEdits,
  type ReplaceFields,
  refuseFault,
  replaceFields,
  toReplaceRequest,
} from "./replace-fields.ts";
import { accessesOf } from "./touched-paths.ts";

export interface EditReplaceInput extends ReplaceFields {
  readonly path: string;
}

/** Changes text in one file. */
export const editReplace: Tool<EditReplaceInput, EditData> = {
  name: "edit.replace",
  summary:
    "Replace text in a file. What to find must be there exactly once, unless `all` or `expect_count` is given. " +
    "Slips in indentation, line ends and quotes are forgiven in finding; all else in the file stays as it is. " +
    "For changes of several files at once use edit.patch.",
  risk: "write",
  input: z
    .strictObject({
      path: z.string().check(z.describe("File to edit, relative to the workspace or absolute.")),
      ...replaceFields,
    })
    .check(refuseFault(faultInEdits)),
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
