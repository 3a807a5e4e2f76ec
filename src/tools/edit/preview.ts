import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import type { EditRequest } from "../../edit/edit-request.ts";
import type { EditData } from "./describe-edit.ts";
import { previewEdit } from "./edit-files.ts";
import { faultInEdits, isGiven, refuseFault, replaceFields, toReplaceRequest } from "./replace-fields.ts";
import { previewAccessesOf } from "./touched-paths.ts";

const fields = z.strictObject({
  path: z.optional(z.string()),
  ...replaceFields,
  patch: z.optional(z.string()),
  diff: z.optional(z.string()),
});

export type EditPreviewInput = z.infer<typeof fields>;

export const editPreview: Tool<EditPreviewInput, EditData> = {
  name: "edit.preview",
  description:
    "Show what an edit would change without changing it. Takes the fields of edit.replace, or `patch` (edit.patch), or `diff` (edit.diff).",
  risk: "read",
  input: fields.check(refuseFault(faultIn)),
  limits: { maxChars: 20_000, keep: "both" },
  accesses: (input) => previewAccessesOf(requestOf(input)),
  run: (input, context) => previewEdit(requestOf(input), { expectedHash: input.expected_hash }, context),
};

function faultIn({ patch, diff, hard_links, ...replacement }: EditPreviewInput): string | undefined {
  const isReplacement = Object.values(replacement).some(isGiven);
  if ([isGiven(patch), isGiven(diff), isReplacement].filter(Boolean).length !== 1)
    return "give one of the three: `path` with `find` and `replace` or `edits`, `patch`, or `diff`";
  if (!isReplacement) return undefined;
  return replacement.path === undefined ? "`path` is missing: the file to edit" : faultInEdits(replacement);
}

function requestOf(input: EditPreviewInput): EditRequest {
  const { patch, diff } = input;
  if (patch) return { kind: "patch", patch };
  return diff ? { kind: "diff", diff } : toReplaceRequest(input);
}
