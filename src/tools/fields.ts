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

/** Declares an optional limit: an amount or a time. More than the maximum means the maximum. */
export const amount = (minimum: number, maximum: number, description: string) =>
  z.optional(described(z.int().check(z.minimum(minimum), atMost(maximum)), description));

/** Lowers a greater number to `maximum`. */
export const atMost = (maximum: number) => z.overwrite<number>((value) => Math.min(value, maximum));

/** Declares an optional integer argument that names something, and that is refused outside its bounds. */
export const integer = (minimum: number, maximum: number, description: string) =>
  z.optional(described(z.int().check(z.minimum(minimum), z.maximum(maximum)), description));
