import * as z from "zod/mini";
import type { ObjectSchema, Schema } from "./repair-schema.ts";

/**
 * The check of arguments before they go to another server: what it needs must be there, and plain values be of their
 * kind, so that a mistake is told at once and in our words. All else is for the server to judge.
 */
export function inputOf(schema: ObjectSchema): z.core.$ZodType<Record<string, unknown>> {
  const required = new Set(schema.required);
  const shape = Object.fromEntries(
    Object.entries(schema.properties).map(([key, property]) => [
      key,
      // Models give null for what they leave out.
      required.has(key) ? checkOf(property) : z.optional(z.nullable(checkOf(property))),
    ]),
  );
  const input = schema.additionalProperties === false ? z.strictObject(shape) : z.looseObject(shape);
  // What models are told is what the server says, which our check is only a part of.
  input._zod.toJSONSchema = () => ({ ...schema });
  return input;
}

/** Without what is null and may be left out, unless null is a value of it. */
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
  return (
    (typeof type === "string" && Object.hasOwn(checks, type) ? checks[type]?.() : undefined) ?? present()
  );
}

const checks: Readonly<Record<string, () => z.core.$ZodType>> = {
  string: () => z.string(),
  number: () => z.number(),
  integer: () => z.number(),
  boolean: () => z.boolean(),
  array: () => z.array(z.unknown()),
  object: () => z.record(z.string(), z.unknown()),
};

/** Anything but nothing. */
function present(): z.core.$ZodType {
  return z.nonoptional(z.unknown());
}
