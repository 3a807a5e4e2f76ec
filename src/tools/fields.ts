import * as z from "zod/mini";

/** Sets the description of a new schema. Unlike the check `z.describe`, it does not copy the schema, which is slow. */
export function described<Schema extends z.ZodMiniType>(schema: Schema, description: string): Schema {
  z.globalRegistry.add(schema, { description });
  return schema;
}

/** Declares an optional boolean argument. */
export const flag = (description: string) => z.optional(described(z.boolean(), description));

/** Declares an optional string argument. */
export const string = (description: string) => z.optional(described(z.string(), description));

/** Declares an optional integer argument. Both bounds are included. */
export const integer = (minimum: number, maximum: number, description: string) =>
  z.optional(described(z.int().check(z.minimum(minimum), z.maximum(maximum)), description));
