import * as z from "zod/mini";
import type { Risk } from "../contract/access.ts";
import { catalog } from "../tools/catalog.ts";
import type { OfferedTool } from "./dialect.ts";
import { effectsOf, type ToolEffects } from "./effects.ts";
import { namesOf, type Wording, wordingFor } from "./wording.ts";

/** A tool as models and SDKs are told of it. */
export interface ToolDefinition {
  readonly name: string;
  /** The canonical tool behind it. */
  readonly canonical: string;
  readonly description: string;
  readonly risk: Risk;
  readonly effects: ToolEffects;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** How it is sent to models that know it by its type. */
  readonly native?: OfferedTool["native"];
}

/** Tools that stand side by side. Where one speaks of another, it calls it by the name the model knows. */
export function defineTools(
  tools: readonly OfferedTool[],
  wording: Wording = wordingOf(tools),
): readonly ToolDefinition[] {
  return tools.map((tool) => defineTool(tool, wording));
}

/** For those who are offered just these. */
export function wordingOf(tools: readonly Pick<OfferedTool, "name" | "canonical">[]): Wording {
  return wordingFor(namesOf(tools), (name) => name in catalog);
}

function defineTool(tool: OfferedTool, wording: Wording): ToolDefinition {
  const { $schema, ...inputSchema } = z.toJSONSchema(tool.input, {
    io: "input",
    override: ({ jsonSchema }) => {
      for (const bound of bounds) delete jsonSchema[bound];
      if (jsonSchema.description !== undefined) jsonSchema.description = wording(jsonSchema.description);
    },
  });
  return {
    name: tool.name,
    canonical: tool.canonical ?? tool.name,
    description: wording(tool.summary),
    risk: tool.risk,
    effects: effectsOf(tool),
    inputSchema: without(inputSchema, tool.untold),
    ...(tool.native && { native: tool.native }),
  };
}

function without(
  schema: ToolDefinition["inputSchema"],
  names: readonly string[] = [],
): ToolDefinition["inputSchema"] {
  if (names.length === 0) return schema;
  const properties = Object.entries(schema.properties as object).filter(([name]) => !names.includes(name));
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Costs a model tokens in every request and is no help to it: who crosses one is told so at the counter. */
const bounds = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "pattern",
  "format",
  "propertyNames",
] as const;
