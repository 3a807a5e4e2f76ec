import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import { diffOfEdit, editFiles } from "./edit-files.ts";
import type { EditData } from "./edited-file.ts";
import { accessesOf } from "./touched-paths.ts";

export interface EditDiffInput {
  readonly diff: string;
}

/** Applies a unified diff. */
export const editDiff: Tool<EditDiffInput, EditData> = {
  name: "edit.diff",
  summary:
    "Apply a unified diff, from git or plain, to any number of files, all or nothing. Line numbers and counts are only " +
    "hints: context and removed lines have to fit one place. New, deleted and renamed files and modes work as in git.",
  risk: "write",
  input: z.strictObject({
    diff: z
      .string()
      .check(
        z.minLength(1),
        z.describe("The diff: `--- a/path`, `+++ b/path`, then hunks that begin with `@@`."),
      ),
  }),
  limits: { maxChars: 20_000, keep: "both" },
  accesses: ({ diff }) => accessesOf({ kind: "diff", diff }),
  preview: ({ diff }, context) => diffOfEdit({ kind: "diff", diff }, {}, context),
  run: ({ diff }, context) => editFiles({ kind: "diff", diff }, {}, context),
};
