import type * as mini from "zod/mini";
import type { Describing } from "../zod-mini.ts";

/** Which ignore files count. */
export interface Filtering {
  readonly respect_git_ignore?: boolean | undefined;
  readonly respect_gemini_ignore?: boolean | undefined;
}

export function filtering(z: Describing): mini.ZodMiniOptional<mini.ZodMiniType<Filtering>> {
  return z.optional(z.strictObject(filteringFields(z)).check(z.describe("Which ignore files count.")));
}

export function filteringFields(
  z: Describing,
): Record<keyof Filtering, mini.ZodMiniOptional<mini.ZodMiniBoolean>> {
  return {
    respect_git_ignore: z.optional(
      z.boolean().check(z.describe("False: also what .gitignore leaves out; true if not given.")),
    ),
    respect_gemini_ignore: z.optional(
      z.boolean().check(z.describe("Makes no difference: .geminiignore is not read.")),
    ),
  };
}

export function takesIgnored(options: Filtering | undefined): boolean {
  return options?.respect_git_ignore === false;
}
