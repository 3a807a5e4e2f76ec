import { allowsNull, choicesOf, type JsonSchema } from "./json-schema.ts";

/**
 * Converts a schema to OpenAI's strict mode: all properties are required, and optional ones nullable. Returns undefined
 * for schemas that strict mode cannot express, such as objects with arbitrary keys.
 */
export function strictSchema(schema: JsonSchema): JsonSchema | undefined {
  if (Object.keys(schema).some((keyword) => !known.has(keyword))) return undefined;
  const { description } = schema;
  const described = description === undefined ? {} : { description };
  const choices = choicesOf(schema);
  if (choices) {
    const anyOf = strictAll(choices);
    return anyOf && { ...described, anyOf };
  }
  if (schema.enum !== undefined || schema.const !== undefined) return strictValues(schema, described);
  switch (schema.type) {
    case "object": {
      const shape = strictObject(schema);
      return shape && { type: "object", ...described, ...shape };
    }
    case "array": {
      const items = typeof schema.items === "object" ? strictSchema(schema.items) : undefined;
      return items && { type: "array", ...described, items };
    }
    case undefined:
      return undefined;
    default:
      return Array.isArray(schema.type) && schema.type.some((type) => type === "object" || type === "array")
        ? undefined
        : { type: schema.type, ...described };
  }
}

/** Removes nulls from the arguments of a strict call that stand for absent optional properties. */
export function withoutNulls(schema: JsonSchema, given: unknown): unknown {
  if (Array.isArray(given)) {
    const { items } = schema;
    return typeof items === "object" ? given.map((each) => withoutNulls(items, each)) : given;
  }
  if (typeof given !== "object" || given === null) return given;
  const shape = shapeFor(schema, given);
  if (shape === undefined) return given;
  const { properties = {}, required = [] } = shape;
  const kept = Object.entries(given).filter(([name, value]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return value !== null || property === undefined || required.includes(name) || allowsNull(property);
  });
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutNulls(properties[name] ?? {}, value)]));
}

/** Keywords that strict mode knows, or that the pipeline checks instead. */
const known = new Set([
  ...["type", "description", "properties", "required", "additionalProperties", "items"],
  ...["anyOf", "oneOf", "enum", "const", "title", "default", "examples", "$schema", "format", "pattern"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "minItems", "maxItems", "uniqueItems"],
]);

function strictAll(schemas: readonly JsonSchema[]): readonly JsonSchema[] | undefined {
  const strict = schemas.map(strictSchema);
  return strict.every((schema) => schema !== undefined) ? strict : undefined;
}

function strictValues(schema: JsonSchema, described: { description?: string }): JsonSchema {
  const values = schema.enum ?? [schema.const];
  const types = [...new Set(values.map((value) => (value === null ? "null" : typeof value)))];
  const type = schema.type ?? (types.length === 1 ? types[0]! : types);
  return { type, ...described, enum: values };
}

function strictObject({ properties = {}, required = [], additionalProperties }: JsonSchema) {
  if (additionalProperties !== undefined && additionalProperties !== false) return undefined;
  const strict: Record<string, JsonSchema> = {};
  for (const [name, property] of Object.entries(properties)) {
    const schema = strictSchema(property);
    if (schema === undefined) return undefined;
    strict[name] = required.includes(name) ? schema : orNull(schema);
  }
  return { properties: strict, required: Object.keys(strict), additionalProperties: false };
}

function orNull(schema: JsonSchema): JsonSchema {
  if (allowsNull(schema)) return schema;
  if (schema.anyOf) return { ...schema, anyOf: [...schema.anyOf, { type: "null" }] };
  const type = [schema.type ?? [], "null"].flat();
  return { ...schema, type, ...(schema.enum ? { enum: [...schema.enum, null] } : {}) };
}

/** Returns the object schema for a value; of several, the one with most of its keys. */
function shapeFor(schema: JsonSchema, given: object): JsonSchema | undefined {
  const names = Object.keys(given);
  const shapes = (choicesOf(schema) ?? [schema]).filter(({ properties }) => properties);
  const known = ({ properties = {} }: JsonSchema) =>
    names.filter((name) => Object.hasOwn(properties, name)).length;
  return shapes.toSorted((a, b) => known(b) - known(a))[0];
}
