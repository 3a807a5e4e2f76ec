import * as z from "zod/mini";

/** An optional boolean argument. */
export const flag = (description: string) => z.optional(z.boolean().check(z.describe(description)));

/** An optional string argument. */
export const string = (description: string) => z.optional(z.string().check(z.describe(description)));

/** An optional integer argument; both bounds are included. */
export const integer = (minimum: number, maximum: number, description: string) =>
  z.optional(z.int().check(z.minimum(minimum), z.maximum(maximum), z.describe(description)));
