import * as z from "zod/mini";

/** Declares an optional boolean argument. */
export const flag = (description: string) => z.optional(z.boolean().check(z.describe(description)));

/** Declares an optional string argument. */
export const string = (description: string) => z.optional(z.string().check(z.describe(description)));

/** Declares an optional integer argument. Both bounds are included. */
export const integer = (minimum: number, maximum: number, description: string) =>
  z.optional(z.int().check(z.minimum(minimum), z.maximum(maximum), z.describe(description)));
