import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import type { EditData } from "./describe-edit.ts";
import { diffOfEdit, editFiles } from "./edit-files.ts";
import { accessesOf } from "./touched-paths.ts";

const input = z.strictObject({
  patch: z.string().check(z.minLength(1)),
});

export const editPatch: Tool<z.infer<typeof input>, EditData> = {
  name: "edit.patch",
  description:
    "Change one or more files with one patch, all or nothing: `*** Begin Patch`, then per file `*** Update File: path` (optionally `*** Move to: path`), `*** Add File: path` or `*** Delete File: path`, then `*** End Patch`. An update has hunks: `@@`, then lines that start with a space (about 3 lines of context), - or +. A new file has only + lines.",
  risk: "write",
  input,
  limits: { maxChars: 20_000, keep: "both" },
  accesses: ({ patch }) => accessesOf({ kind: "patch", patch }),
  preview: ({ patch }, context) => diffOfEdit({ kind: "patch", patch }, {}, context),
  run: ({ patch }, context) => editFiles({ kind: "patch", patch }, {}, context),
};
