import type * as mini from "zod/mini";
import {
  array,
  boolean,
  describe,
  enum as enumeration,
  int,
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

/** The parts of `zod/mini` that dialects use. Importing all of it would load the messages of fifty languages. */
export const zod = {
  ...{ array, boolean, describe, enum: enumeration, int, maxLength, minLength },
  ...{ optional, refine, regex, strictObject, string, text },
  optionalText: (description: string, bounds?: Bounds) => optional(text(description, bounds)),
  /** Has no maximum: the canonical tool lowers a greater number to its own. */
  optionalInt: (description: string, { min }: Bounds = {}) => {
    const bounded = min === undefined ? int() : int().check(minimum(min));
    return optional(bounded.check(describe(description)));
  },
  optionalNumber: (description: string) => optional(number().check(describe(description))),
  optionalFlag: (description: string) => optional(boolean().check(describe(description))),
};

export type Describing = typeof zod;

interface Bounds {
  readonly min?: number;
}

function text(description: string, { min }: Bounds = {}): mini.ZodMiniString {
  const bounded = min === undefined ? string() : string().check(minLength(min));
  return bounded.check(describe(description));
}
