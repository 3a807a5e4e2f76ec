import type { ToolDefinition } from "../dialects/definition.ts";
import { type ObjectSchema, objectSchema } from "./json-schema.ts";

/** A tool of the Messages API: described, or known by its type. */
export type AnthropicTool = AnthropicDescribedTool | AnthropicNativeTool;

export interface AnthropicDescribedTool {
  name: string;
  description: string;
  input_schema: ObjectSchema;
}

export type AnthropicNativeTool =
  | { type: "bash_20250124"; name: "bash" }
  | { type: "text_editor_20250728"; name: "str_replace_based_edit_tool"; max_characters?: number };

export function toAnthropic({ name, description, native, inputSchema }: ToolDefinition): AnthropicTool {
  if (native) return { ...native, name } as AnthropicNativeTool;
  return { name, description, input_schema: objectSchema(inputSchema) };
}
