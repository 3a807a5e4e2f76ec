import type { ToolDefinition } from "../dialects/definition.ts";
import { type ObjectSchema, objectSchema } from "./json-schema.ts";

export interface McpTool {
  name: string;
  description: string;
  inputSchema: ObjectSchema;
  annotations: {
    title: string;
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

export function toMcp({ name, description, inputSchema, effects }: ToolDefinition): McpTool {
  return {
    name,
    description,
    inputSchema: objectSchema(inputSchema),
    annotations: {
      title: effects.title,
      readOnlyHint: effects.readOnly,
      destructiveHint: effects.destructive,
      idempotentHint: effects.idempotent,
      openWorldHint: effects.openWorld,
    },
  };
}
