import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import { string } from "../fields.ts";
import type { EditData } from "./describe-edit.ts";
import { diffOfEdit, editFiles } from "./edit-files.ts";
import { accessesOf } from "./touched-paths.ts";

const input = z.strictObject({
  diff: z.string().check(z.minLength(1)),
  path: string("Apply it to this file, whatever name it contains."),
});

export const editDiff: Tool<z.infer<typeof input>, EditData> = {
  name: "edit.diff",
  description: "Apply a unified diff to one or more files, all or nothing. Line numbers are only hints.",
  risk: "write",
  input,
  limits: { maxChars: 20_000, keep: "both" },
  accesses: (input) => accessesOf({ kind: "diff", ...input }),
  preview: (input, context) => diffOfEdit({ kind: "diff", ...input }, {}, context),
  run: (input, context) => editFiles({ kind: "diff", ...input }, {}, context),
};
