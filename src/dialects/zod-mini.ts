import type * as mini from "zod/mini";
import {
  array,
  boolean,
  describe,
  enum as enumeration,
  int,
  maximum,
  maxLength,
  minimum,
  minLength,
  number,
  optional,
  refine,
  regex,
  strictObject,
  string,
} from "zod/mini";

/** How dialects describe their arguments. The whole of `zod/mini` would bring the messages of fifty languages. */
export interface Describing
  extends Pick<
    typeof mini,
    | "array"
    | "boolean"
    | "describe"
    | "enum"
    | "int"
    | "maxLength"
    | "minLength"
    | "optional"
    | "refine"
    | "regex"
    | "strictObject"
    | "string"
  > {
  text(description: string, bounds?: { readonly min?: number }): mini.ZodMiniString;
  optionalText(
    description: string,
    bounds?: { readonly min?: number },
  ): mini.ZodMiniOptional<mini.ZodMiniString>;
  optionalInt(description: string, bounds?: Bounds): mini.ZodMiniOptional<mini.ZodMiniNumberFormat>;
  optionalNumber(description: string): mini.ZodMiniOptional<mini.ZodMiniNumber>;
  optionalFlag(description: string): mini.ZodMiniOptional<mini.ZodMiniBoolean>;
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

export const zod: Describing = {
  array,
  boolean,
  describe,
  enum: enumeration,
  int,
  maxLength,
  minLength,
  optional,
  refine,
  regex,
  strictObject,
  string,
  text,
  optionalText: (description, bounds) => optional(text(description, bounds)),
  optionalInt: (description, { min, max } = {}) => {
    const least = min === undefined ? int() : int().check(minimum(min));
    const bounded = max === undefined ? least : least.check(maximum(max));
    return optional(bounded.check(describe(description)));
  },
  optionalNumber: (description) => optional(number().check(describe(description))),
  optionalFlag: (description) => optional(boolean().check(describe(description))),
};

function text(description: string, { min }: { readonly min?: number } = {}): mini.ZodMiniString {
  const bounded = min === undefined ? string() : string().check(minLength(min));
  return bounded.check(describe(description));
}
