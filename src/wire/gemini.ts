import type { ToolDefinition } from "../dialects/definition.ts";
import { choicesOf, type JsonSchema, objectSchema, typeOf } from "./json-schema.ts";

/** A function declaration of the Gemini API. */
export interface GeminiFunction {
  name: string;
  description: string;
  /** Absent for a tool without arguments. */
  parameters?: GeminiSchema;
}

export function toGemini({ name, description, inputSchema }: ToolDefinition): GeminiFunction {
  const parameters = geminiSchema(objectSchema(inputSchema));
  return { name, description, ...(parameters ? { parameters } : {}) };
}

/** The subset of OpenAPI schemas that Gemini accepts. */
export interface GeminiSchema {
  type?: GeminiType;
  description?: string;
  nullable?: boolean;
  enum?: string[];
  format?: string;
  items?: GeminiSchema;
  properties?: Record<string, GeminiSchema>;
  required?: string[];
  anyOf?: GeminiSchema[];
}

type GeminiType = "STRING" | "NUMBER" | "INTEGER" | "BOOLEAN" | "ARRAY" | "OBJECT" | "NULL";

/**
 * Converts a schema to Gemini's subset; undefined for an object without properties. The pipeline checks limits that the
 * subset cannot express, such as bounds.
 */
export function geminiSchema(
  schema: JsonSchema,
  root: JsonSchema = schema,
  depth = 0,
): GeminiSchema | undefined {
  const resolved = resolve(schema, root);
  const description = schema.description ?? resolved.description;
  const described = description === undefined ? {} : { description };
  if (depth > maxDepth) return undefined;
  const within = (inner: JsonSchema) => geminiSchema(inner, root, depth + 1);
  const choices = choicesOf(resolved);
  if (choices) return chosen(choices, described, within);
  if (resolved.enum !== undefined || "const" in resolved) return values(resolved, described);
  const { type, nullable } = typeOf(resolved);
  const nullability = nullable ? { nullable: true } : {};
  if (type === undefined && Array.isArray(resolved.type))
    return chosen(
      resolved.type.map((each) => ({ ...resolved, type: each })),
      described,
      within,
    );
  switch (type) {
    case "object": {
      const shape = objectOf(resolved, within);
      return shape && { type: "OBJECT", ...described, ...nullability, ...shape };
    }
    case "array": {
      const items = (typeof resolved.items === "object" && within(resolved.items)) || {
        type: "STRING" as const,
      };
      return { type: "ARRAY", ...described, ...nullability, items };
    }
    case undefined:
      return { type: "STRING", ...described };
    default:
      return { type: type.toUpperCase() as GeminiType, ...described, ...nullability };
  }
}

/** A deeper schema is recursive, or too deep for a model to fill in. */
const maxDepth = 12;

function objectOf(
  { properties = {}, required = [] }: JsonSchema,
  within: (inner: JsonSchema) => GeminiSchema | undefined,
): Pick<GeminiSchema, "properties" | "required"> | undefined {
  const converted = Object.entries(properties).flatMap(([name, property]) => {
    const schema = within(property);
    return schema ? [[name, schema] as const] : [];
  });
  // Gemini refuses objects without properties.
  if (converted.length === 0) return undefined;
  const names = new Set(converted.map(([name]) => name));
  const needed = required.filter((name) => names.has(name));
  return { properties: Object.fromEntries(converted), ...(needed.length > 0 ? { required: needed } : {}) };
}

/** Gemini allows nothing next to `anyOf`: the description moves to the first choice, and null becomes `nullable`. */
function chosen(
  choices: readonly JsonSchema[],
  described: { description?: string },
  within: (inner: JsonSchema) => GeminiSchema | undefined,
): GeminiSchema | undefined {
  const converted = choices
    .filter(({ type }) => type !== "null")
    .map(within)
    .filter((schema) => schema !== undefined);
  const [first, ...others] = converted;
  if (first === undefined) return undefined;
  const nullability = choices.some(({ type }) => type === "null") ? { nullable: true } : {};
  const head = { ...described, ...first, ...nullability };
  return others.length === 0 ? { ...first, ...described, ...nullability } : { anyOf: [head, ...others] };
}

/** Converts `enum` and `const`. Gemini can only enumerate strings. */
function values(schema: JsonSchema, described: { description?: string }): GeminiSchema {
  const all = schema.enum ?? [schema.const];
  const nullability = all.includes(null) ? { nullable: true } : {};
  const given = all.filter((value) => value !== null);
  if (given.every((value) => typeof value === "string"))
    return { type: "STRING", format: "enum", ...described, ...nullability, enum: given };
  const types = new Set(given.map((value) => typeof value));
  const type = types.size > 1 ? "STRING" : types.has("boolean") ? "BOOLEAN" : "NUMBER";
  return { type, ...described, ...nullability };
}

/** Follows references and merges `allOf`. */
function resolve(schema: JsonSchema, root: JsonSchema, seen: readonly string[] = []): JsonSchema {
  if (typeof schema.$ref === "string" && !seen.includes(schema.$ref))
    return resolve(lookUp(schema.$ref, root), root, [...seen, schema.$ref]);
  if (!schema.allOf) return schema;
  const { allOf, ...rest } = schema;
  return allOf.map((part) => resolve(part, root, seen)).reduce(joined, rest);
}

function joined(one: JsonSchema, other: JsonSchema): JsonSchema {
  return {
    ...one,
    ...other,
    properties: { ...one.properties, ...other.properties },
    required: [...(one.required ?? []), ...(other.required ?? [])],
  };
}

function lookUp(reference: string, root: JsonSchema): JsonSchema {
  const names = reference.replace(/^#\/?/, "").split("/").filter(Boolean);
  let found: unknown = root;
  for (const name of names) found = (found as Record<string, unknown> | undefined)?.[name];
  return (found as JsonSchema | undefined) ?? {};
}

/** Converts a Gemini schema to the subset of JSON Schema that Gemini's API also accepts. */
export function geminiJsonSchema({
  type,
  nullable,
  format,
  items,
  properties,
  anyOf,
  ...same
}: GeminiSchema): JsonSchema {
  const plain = type?.toLowerCase();
  return {
    ...same,
    ...(plain && { type: nullable ? [plain, "null"] : plain }),
    ...(format && format !== "enum" && { format }),
    ...(items && { items: geminiJsonSchema(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, geminiJsonSchema(property)]),
      ),
    }),
    ...(anyOf && { anyOf: anyOf.map(geminiJsonSchema) }),
  };
}
