import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import type { AnchoredRequest } from "../../edit/edit-request.ts";
import { string } from "../fields.ts";
import type { EditData } from "./describe-edit.ts";
import { diffOfEdit, editFiles } from "./edit-files.ts";
import { replaceFields } from "./replace-fields.ts";
import { accessesOf } from "./touched-paths.ts";

const operations = ["replace", "delete", "insert_before", "insert_after"] as const;

const input = z.strictObject({
  path: z.string(),
  edits: z
    .array(
      z.strictObject({
        op: z.enum(operations),
        from: z.string().check(z.describe("Anchor of the first line: 12:k3f9.")),
        to: string("Anchor of the last line. Default: from."),
        text: string("New lines, without anchors."),
      }),
    )
    .check(z.minLength(1), z.maxLength(200)),
  expected_hash: replaceFields.expected_hash,
  hard_links: replaceFields.hard_links,
});

export const editAnchored: Tool<z.infer<typeof input>, EditData> = {
  name: "edit.anchored",
  description:
    "Replace, delete or insert whole lines, named by the anchors that file.read shows with `anchors: true`. All edits refer to the file as it was read; all or nothing. A stale anchor is refused with the current lines.",
  risk: "write",
  input,
  limits: { maxChars: 50_000, keep: "both" },
  accesses: (given) => accessesOf(requestOf(given)),
  preview: (given, context) => diffOfEdit(requestOf(given), { expectedHash: given.expected_hash }, context),
  run: async (given, context) => {
    const { expected_hash: expectedHash, hard_links: hardLinks } = given;
    try {
      return await editFiles(requestOf(given), { expectedHash, hardLinks, show: "anchors" }, context);
    } catch (error) {
      noteShown(error, context);
      throw error;
    }
  },
};

function requestOf({ path, edits }: z.infer<typeof input>): AnchoredRequest {
  return { kind: "anchored", path, edits };
}

/** Notes the lines that a refusal shows, so that the caller can send the edit again with their anchors. */
function noteShown(error: unknown, { seen }: ToolContext): void {
  if (!(error instanceof ToolError) || error.details?.kind !== "shows-lines") return;
  for (const part of error.details.parts) seen.note(error.details.path, part);
}
