import * as z from "zod/mini";
import type { ToolRisk } from "../contract/access.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { oncePerObject } from "../lib/once-per-object.ts";
import { catalog } from "../tools/catalog.ts";
import type { OfferedTool } from "./dialect.ts";
import { effectsOf, type ToolEffects } from "./effects.ts";
import { namesOf, type Rewrite, rewriteToolNames } from "./rewrite-names.ts";

/** A tool as models and SDKs get it. */
export interface ToolDefinition {
  readonly name: string;
  readonly canonical: string;
  readonly description: string;
  readonly risk: ToolRisk;
  readonly effects: ToolEffects;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The schema of the data, for tools whose data contains everything in their text. */
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** The type by which models know the tool, which is sent instead of the description. */
  readonly native?: OfferedTool["native"];
}

/** Defines tools that are offered together. Descriptions name other tools as the model knows them. */
export function defineTools(
  tools: readonly OfferedTool[],
  rewrite: Rewrite = rewriteFor(tools),
): readonly ToolDefinition[] {
  return tools.map((tool) => defineTool(tool, rewrite));
}

export function rewriteFor(tools: readonly Pick<OfferedTool, "name" | "canonical">[]): Rewrite {
  return rewriteToolNames(namesOf(tools), (name) => name in catalog);
}

function defineTool(tool: OfferedTool, rewrite: Rewrite): ToolDefinition {
  // A server's own schema keeps its inner descriptions.
  const isForeign = tool.input._zod.toJSONSchema !== undefined;
  const inputSchema = isForeign
    ? schemaOf(tool.input, rewrite)
    : (rewriteDescriptions(canonicalSchema(tool.input), rewrite) as ObjectSchema);
  for (const name of tool.hiddenFields ?? []) delete inputSchema.properties?.[name];
  return {
    name: tool.name,
    canonical: tool.canonical ?? tool.name,
    description: rewrite(tool.description),
    risk: tool.risk,
    effects: effectsOf(tool),
    inputSchema,
    outputSchema: tool.hints?.structured ? tool.hints.dataSchema : undefined,
    native: tool.native,
  };
}

interface ObjectSchema extends Record<string, unknown> {
  readonly properties?: Record<string, unknown>;
}

/** Converts a schema once per process, because every session offers the same tools. */
const canonicalSchema = oncePerObject((input: OfferedTool["input"]) => schemaOf(input, (text) => text));

function schemaOf(input: OfferedTool["input"], rewrite: Rewrite): ObjectSchema {
  const { $schema, ...schema } = z.toJSONSchema(input, {
    io: "input",
    override: ({ jsonSchema }) => {
      for (const bound of bounds) delete jsonSchema[bound];
      if (jsonSchema.description !== undefined) jsonSchema.description = rewrite(jsonSchema.description);
    },
  });
  return schema as ObjectSchema;
}

/** Copies a schema, with the descriptions of it and its parts rewritten. */
function rewriteDescriptions(schema: unknown, rewrite: Rewrite): unknown {
  if (Array.isArray(schema)) return schema.map((part) => rewriteDescriptions(part, rewrite));
  if (!isRecord(schema)) return schema;
  const copy = (key: string, value: unknown): unknown => {
    if (key === "description" && typeof value === "string") return rewrite(value);
    if (dataKeywords.has(key)) return value;
    if (!mapKeywords.has(key) || !isRecord(value)) return rewriteDescriptions(value, rewrite);
    return mapValues(value, (_, part) => rewriteDescriptions(part, rewrite));
  };
  return mapValues(schema, copy);
}

function mapValues(
  record: Readonly<Record<string, unknown>>,
  change: (key: string, value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(key, value)]));
}

/** Keywords whose values are data, not schemas. */
const dataKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);
/** Keywords whose values are schemas by any name. */
const mapKeywords: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"]);

/** Keywords that are left out: they cost tokens in every request, and the pipeline reports a violation. */
const bounds = [
  ...(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"] as const),
  ...(["minItems", "maxItems", "pattern", "format", "propertyNames"] as const),
];
