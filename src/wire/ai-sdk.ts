import type { ToolDefinition } from "../dialects/definition.ts";
import { type ObjectSchema, objectSchema } from "./json-schema.ts";

/** A function tool as models of the AI SDK take it, below its tool loop (`LanguageModelV4FunctionTool`). */
export interface AiSdkTool {
  type: "function";
  name: string;
  description: string;
  inputSchema: ObjectSchema;
}

export function toAiSdk({ name, description, inputSchema }: ToolDefinition): AiSdkTool {
  return { type: "function", name, description, inputSchema: objectSchema(inputSchema) };
}
