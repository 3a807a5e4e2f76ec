import * as z from "zod/mini";
import type { ObjectSchema, Schema } from "./repair-schema.ts";

/**
 * Returns a schema that checks whether required arguments exist and plain values have their type, so that mistakes get a
 * clear error at once. The server validates the rest.
 */
export function inputOf(schema: ObjectSchema): z.core.$ZodType<Record<string, unknown>> {
  const required = new Set(schema.required);
  const shape = Object.fromEntries(
    Object.entries(schema.properties).map(([key, property]) => [
      key,
      // Models write null for arguments they omit.
      required.has(key) ? checkOf(property) : z.optional(z.nullable(checkOf(property))),
    ]),
  );
  const input = schema.additionalProperties === false ? z.strictObject(shape) : z.looseObject(shape);
  // Models get the server's whole schema; this one checks only a part of it.
  input._zod.toJSONSchema = () => ({ ...schema });
  return input;
}

/** Removes null for optional arguments, unless null is a valid value. */
export function withoutNulls(
  input: Readonly<Record<string, unknown>>,
  { properties, required = [] }: ObjectSchema,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).filter(
      ([key, value]) => value !== null || required.includes(key) || typeof properties[key]?.type !== "string",
    ),
  );
}

function checkOf({ type }: Schema): z.core.$ZodType {
  const check = typeof type === "string" && Object.hasOwn(checks, type) ? checks[type] : undefined;
  // The last check accepts any value except undefined.
  return check?.() ?? z.nonoptional(z.unknown());
}

const checks: Readonly<Record<string, () => z.core.$ZodType>> = {
  string: () => z.string(),
  number: () => z.number(),
  integer: () => z.number(),
  boolean: () => z.boolean(),
  array: () => z.array(z.unknown()),
  object: () => z.record(z.string(), z.unknown()),
};
