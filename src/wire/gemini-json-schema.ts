import type { GeminiSchema } from "./gemini-schema.ts";
import type { JsonSchema } from "./json-schema.ts";

/** What Gemini's own schemas say, in the part of JSON Schema that its API reads too. */
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
