import type { ToolDefinition } from "../dialects/definition.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { type ObjectSchema, objectSchema } from "./json-schema.ts";

export interface McpTool {
  name: string;
  title: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema?: ObjectSchema;
  annotations: {
    title: string;
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

export function toMcp({ name, description, inputSchema, outputSchema, effects }: ToolDefinition): McpTool {
  return {
    name,
    title: effects.title,
    description,
    inputSchema: objectSchema(plainSchema(inputSchema)),
    ...(outputSchema && { outputSchema: objectSchema(outputSchema) }),
    annotations: {
      title: effects.title,
      readOnlyHint: effects.readOnly,
      destructiveHint: effects.destructive,
      idempotentHint: effects.idempotent,
      openWorldHint: effects.openWorld,
    },
  };
}

/** Replaces the forms that strict clients refuse: a list of types, and `{}` for any further properties. */
function plainSchema(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { type, additionalProperties: others, ...rest } = mapParts(schema, plainSchema);
  const isAny = isRecord(others) && Object.keys(others).length === 0;
  return {
    ...(Array.isArray(type) && rest.anyOf === undefined
      ? { anyOf: type.map((each) => ({ type: each })) }
      : type !== undefined && { type }),
    ...rest,
    ...(others !== undefined && { additionalProperties: isAny ? true : others }),
  };
}

type Schema = Readonly<Record<string, unknown>>;

/** Changes the schemas of properties, items and choices. */
function mapParts(schema: Schema, change: (part: Schema) => Schema): Record<string, unknown> {
  const each = (part: unknown) => (isRecord(part) ? change(part) : part);
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (Array.isArray(value) && choiceKeywords.has(keyword)) return [keyword, value.map(each)];
    if (keyword === "items" || keyword === "additionalProperties") return [keyword, each(value)];
    if (!mapKeywords.has(keyword) || !isRecord(value)) return [keyword, value];
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, each(part)]))];
  });
  return Object.fromEntries(entries);
}

const choiceKeywords: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf"]);
const mapKeywords: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"]);
