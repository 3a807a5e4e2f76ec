import * as z from "zod/mini";
import type { ReplaceRequest } from "../../text/edit/edit-request.ts";

/** One text for another. */
export interface TextEdit {
  readonly find: string;
  readonly replace: string;
  readonly all?: boolean | undefined;
  readonly expect_count?: number | undefined;
}

/** What to change in one file: one edit, or a list of them. */
export interface ReplaceFields {
  readonly path?: string | undefined;
  readonly find?: string | undefined;
  readonly replace?: string | undefined;
  readonly all?: boolean | undefined;
  readonly expect_count?: number | undefined;
  readonly edits?: TextEdit[] | undefined;
  readonly expected_hash?: string | undefined;
}

const find = z
  .string()
  .check(
    z.describe(
      "Text to replace, copied from the file without line numbers, with enough around it to be there only once. " +
        "Empty only to fill an empty or new file.",
    ),
  );
const replace = z.string().check(z.describe("The new text, literally; empty removes what was found."));
const all = z.optional(z.boolean().check(z.describe("Replace every place; false if not given.")));
const expectCount = z.optional(
  z
    .int()
    .check(z.minimum(1), z.describe("How many places there must be; all of them are replaced, or none.")),
);

/** The fields as models are told of them. */
export const replaceFields = {
  find: z.optional(find),
  replace: z.optional(replace),
  all,
  expect_count: expectCount,
  edits: z.optional(
    z
      .array(z.strictObject({ find, replace, all, expect_count: expectCount }))
      .check(
        z.minLength(1),
        z.maxLength(200),
        z.describe(
          "Instead of `find` and `replace`: several edits of the file as it is, together or not at all.",
        ),
      ),
  ),
  expected_hash: z.optional(
    z
      .string()
      .check(
        z.regex(/^[0-9a-f]{8,64}$/i, { error: "give a SHA-256 in hex, or at least its first 8 digits" }),
        z.describe("SHA-256 of the file, or its first digits: refuse when it holds anything else."),
      ),
  ),
};

/** What is wrong with the choice of fields. */
export function faultInEdits({ find, replace, all, expect_count, edits }: ReplaceFields): string | undefined {
  const isSingle = [find, replace, all, expect_count].some((field) => field !== undefined);
  if (isSingle && edits !== undefined) return "give either `find` and `replace`, or `edits`, not both";
  if (!isSingle && edits === undefined) return "give `find` and `replace`, or `edits`";
  if (edits === undefined && find === undefined) return "`find` is missing: the text to replace";
  if (edits === undefined && replace === undefined)
    return "`replace` is missing: the new text, empty to remove";
  return undefined;
}

/** The request behind fields that have no fault. */
export function toReplaceRequest(fields: ReplaceFields): ReplaceRequest {
  const { path = "", find = "", replace = "", all, expect_count, edits } = fields;
  const wanted = edits ?? [{ find, replace, all, expect_count }];
  return {
    kind: "replace",
    path,
    edits: wanted.map(({ expect_count: expectCount, ...edit }) => ({ ...edit, expectCount })),
  };
}

/** A check of a whole input. */
export function refuseFault<Input>(
  faultIn: (input: Input) => string | undefined,
): (payload: z.core.ParsePayload<Input>) => void {
  return ({ value, issues }) => {
    const message = faultIn(value);
    if (message !== undefined) issues.push({ code: "custom", message, input: value });
  };
}
