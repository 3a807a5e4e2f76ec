import type { ToolDefinition } from "../dialects/definition.ts";
import { type GeminiSchema, geminiSchema } from "./gemini-schema.ts";
import { objectSchema } from "./json-schema.ts";

/** A function declaration of the Gemini API. */
export interface GeminiFunction {
  name: string;
  description: string;
  /** Left out where a tool takes nothing. */
  parameters?: GeminiSchema;
}

export function toGemini({ name, description, inputSchema }: ToolDefinition): GeminiFunction {
  const parameters = geminiSchema(objectSchema(inputSchema));
  return { name, description, ...(parameters ? { parameters } : {}) };
}
