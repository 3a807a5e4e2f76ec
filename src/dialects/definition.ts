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

export function defineTool(tool: AnyTool): ToolDefinition {
  const { $schema, ...inputSchema } = z.toJSONSchema(tool.input, { io: "input" });
  return {
    name: tool.name,
    canonical: tool.canonical ?? tool.name,
    description: tool.summary,
    risk: tool.risk,
    inputSchema,
  };
}
