import * as z from "zod/mini";
import type { ReplaceRequest } from "../../edit/edit-request.ts";
import { flag, string } from "../fields.ts";

export const replaceFields = {
  find: string(
    "Exact text in the file, without line numbers; must be unique. Empty only for an empty or new file.",
  ),
  replace: z.optional(z.string()),
  all: flag("Replace every occurrence."),
  expect_count: z.optional(
    z.int().check(z.minimum(1), z.describe("Replace all; there must be exactly this many.")),
  ),
  edits: z.optional(
    z
      .array(
        z.strictObject({
          find: z.string(),
          replace: z.string(),
          all: z.optional(z.boolean()),
          expect_count: z.optional(z.int().check(z.minimum(1))),
        }),
      )
      .check(z.maxLength(200), z.describe("Instead: several edits, all or nothing.")),
  ),
  exact: flag("Match byte for byte."),
  first: flag("Replace only the first occurrence."),
  expected_hash: z.optional(
    z
      .string()
      .check(
        z.regex(/^[0-9a-fA-F]{8,64}$/, { error: "must be a SHA-256 in hex, or at least its first 8 digits" }),
        z.describe("SHA-256 of the file, or its first digits; refuse other content."),
      ),
  ),
  hard_links: z.optional(
    z.enum(["break", "keep"]).check(z.describe("keep: also change other hard links. Default break.")),
  ),
};

export type ReplaceFields = { path?: string | undefined } & z.infer<z.ZodMiniObject<typeof replaceFields>>;

/** Describes an invalid combination of fields. Some models fill every field, so an empty field counts as absent. */
export function faultInEdits(fields: ReplaceFields): string | undefined {
  const { find, replace, all, expect_count, edits = [], first } = fields;
  const isSingle = [find, replace, all, expect_count].some(isGiven);
  if (first && (edits.length > 0 || all || expect_count !== undefined))
    return "give `first` only with `find` and `replace`";
  if (edits.length > 0) return isSingle ? "give `find` and `replace`, or `edits`, not both" : undefined;
  if (find === undefined && replace === undefined) return "give `find` and `replace`, or `edits`";
  if (find === undefined) return "`find` is missing: the text to replace";
  return replace === undefined ? "`replace` is missing: the new text, empty to remove" : undefined;
}

export function isGiven(field: unknown): boolean {
  return Array.isArray(field) ? field.length > 0 : field !== undefined && field !== "" && field !== false;
}

/** Converts checked fields to a request. */
export function toReplaceRequest(fields: ReplaceFields): ReplaceRequest {
  const { path = "", find = "", replace = "", all, expect_count, edits, exact, first } = fields;
  const wanted = edits?.length ? edits : [{ find, replace, all, expect_count }];
  return {
    kind: "replace",
    path,
    edits: wanted.map(({ expect_count: expectCount, ...edit }) => ({ ...edit, expectCount, exact, first })),
  };
}

/** Returns a check that reports the fault that `faultIn` finds in a whole input. */
export function refuseFault<Input>(
  faultIn: (input: Input) => string | undefined,
): (payload: z.core.ParsePayload<Input>) => void {
  return ({ value, issues }) => {
    const message = faultIn(value);
    if (message !== undefined) issues.push({ code: "custom", message, input: value });
  };
}
