import * as z from "zod/mini";
import type { ToolRisk } from "../contract/access.ts";
import { oncePerObject } from "../lib/once-per-object.ts";
import { catalog } from "../tools/catalog.ts";
import { type DescribedTool, defineDescribed } from "./describe-tools.ts";
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

export function defineTool(tool: OfferedTool, rewrite: Rewrite): ToolDefinition {
  // A server's own schema keeps its inner descriptions.
  const isForeign = tool.input._zod.toJSONSchema !== undefined;
  const defined = defineDescribed(describeTool(tool), rewrite);
  return isForeign
    ? { ...defined, inputSchema: inputSchemaOf(tool, schemaOf(tool.input, rewrite)) }
    : defined;
}

/** Describes a tool as plain data. */
export function describeTool(tool: OfferedTool): DescribedTool {
  const { name, canonical, ownName, server, description, risk, native, hints } = tool;
  return {
    ...{ name, canonical, ownName, server, description, risk, native },
    effects: effectsOf(tool),
    inputSchema: inputSchemaOf(tool, canonicalSchema(tool.input)),
    outputSchema: hints?.structured ? hints.dataSchema : undefined,
  };
}

function inputSchemaOf({ hiddenFields = [] }: OfferedTool, schema: ObjectSchema): ObjectSchema {
  if (hiddenFields.length === 0 || schema.properties === undefined) return schema;
  const shown = Object.entries(schema.properties).filter(([name]) => !hiddenFields.includes(name));
  return { ...schema, properties: Object.fromEntries(shown) };
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

/** Keywords that are left out: they cost tokens in every request, and the pipeline reports a violation. */
const bounds = [
  ...(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"] as const),
  ...(["minItems", "maxItems", "pattern", "format", "propertyNames"] as const),
];
