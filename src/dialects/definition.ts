import * as z from "zod/mini";
import type { Risk } from "../contract/access.ts";
import { catalog } from "../tools/catalog.ts";
import type { OfferedTool } from "./dialect.ts";
import { effectsOf, type ToolEffects } from "./effects.ts";
import { namesOf, type Rewrite, rewriteToolNames } from "./rewrite-names.ts";

/** A tool as models and SDKs get it. */
export interface ToolDefinition {
  readonly name: string;
  readonly canonical: string;
  readonly description: string;
  readonly risk: Risk;
  readonly effects: ToolEffects;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The type by which models know it, sent instead of the description. */
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
  const { $schema, ...inputSchema } = z.toJSONSchema(tool.input, {
    io: "input",
    override: ({ jsonSchema }) => {
      for (const bound of bounds) delete jsonSchema[bound];
      if (jsonSchema.description !== undefined) jsonSchema.description = rewrite(jsonSchema.description);
    },
  });
  for (const name of tool.hiddenFields ?? []) delete inputSchema.properties?.[name];
  return {
    name: tool.name,
    canonical: tool.canonical ?? tool.name,
    description: rewrite(tool.summary),
    risk: tool.risk,
    effects: effectsOf(tool),
    inputSchema,
    native: tool.native,
  };
}

/** Left out: they cost tokens in every request, and the pipeline reports a violation. */
const bounds = [
  ...(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"] as const),
  ...(["minItems", "maxItems", "pattern", "format", "propertyNames"] as const),
];
