import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import { diffOfEdit, editFiles } from "./edit-files.ts";
import type { EditData } from "./edited-file.ts";
import { accessesOf } from "./touched-paths.ts";

export interface EditPatchInput {
  readonly patch: string;
}

/** Changes any number of files by a patch in the format v4a. */
export const editPatch: Tool<EditPatchInput, EditData> = {
  name: "edit.patch",
  summary:
    "Update, add, delete and move files by one patch, all or nothing. " +
    "Between `*** Begin Patch` and `*** End Patch` stands for each file `*** Update File: path` (below it perhaps " +
    "`*** Move to: path`), `*** Add File: path` or `*** Delete File: path`. An update has hunks: `@@`, perhaps with the " +
    "function or class they are in, then lines that begin with a space (context, about 3 around each change), - or +. " +
    "A new file has + lines only.",
  risk: "write",
  input: z.strictObject({
    patch: z
      .string()
      .check(z.minLength(1), z.describe("The patch, from `*** Begin Patch` to `*** End Patch`.")),
  }),
  limits: { maxChars: 20_000, keep: "both" },
  accesses: ({ patch }) => accessesOf({ kind: "patch", patch }),
  preview: ({ patch }, context) => diffOfEdit({ kind: "patch", patch }, {}, context),
  run: ({ patch }, context) => editFiles({ kind: "patch", patch }, {}, context),
};
