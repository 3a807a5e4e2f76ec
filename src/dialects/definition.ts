import * as z from "zod/mini";
import type { Risk } from "../contract/access.ts";
import type { AnyTool } from "../contract/tool.ts";

/** A tool as models and SDKs are told of it. */
export interface ToolDefinition {
  readonly name: string;
  /** The canonical tool behind it. */
  readonly canonical: string;
  readonly description: string;
  readonly risk: Risk;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Tools that stand side by side. Where one speaks of another, it calls it by the name the model knows. */
export function defineTools(tools: readonly AnyTool[]): readonly ToolDefinition[] {
  const names = new Map(tools.map((tool) => [tool.canonical ?? tool.name, tool.name]));
  const translate = (text: string) => text.replace(/\b\w+\.\w+\b/g, (name) => names.get(name) ?? name);
  return tools.map((tool) => defineTool(tool, translate));
}

function defineTool(tool: AnyTool, translate: (text: string) => string): ToolDefinition {
  const { $schema, ...inputSchema } = z.toJSONSchema(tool.input, {
    io: "input",
    override: ({ jsonSchema }) => {
      if (jsonSchema.description !== undefined) jsonSchema.description = translate(jsonSchema.description);
    },
  });
  return {
    name: tool.name,
    canonical: tool.canonical ?? tool.name,
    description: translate(tool.summary),
    risk: tool.risk,
    inputSchema,
  };
}
