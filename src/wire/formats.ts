import type { ToolDefinition } from "../dialects/definition.ts";
import { type AnthropicTool, toAnthropic } from "./anthropic.ts";
import { type GeminiFunction, toGemini } from "./gemini.ts";
import { type ObjectSchema, objectSchema } from "./json-schema.ts";
import { type McpTool, toMcp } from "./mcp.ts";
import { type OpenAiChatTool, type OpenAiTool, toOpenAi, toOpenAiChat } from "./openai.ts";

/** The format of a tool for each kind of recipient. */
export interface WireTools {
  openai: OpenAiTool;
  "openai-chat": OpenAiChatTool;
  anthropic: AnthropicTool;
  gemini: GeminiFunction;
  mcp: McpTool;
  "ai-sdk": AiSdkTool;
}

export type WireFormat = keyof WireTools;

const formats: { readonly [Format in WireFormat]: (definition: ToolDefinition) => WireTools[Format] } = {
  openai: toOpenAi,
  "openai-chat": toOpenAiChat,
  anthropic: toAnthropic,
  gemini: toGemini,
  mcp: toMcp,
  "ai-sdk": toAiSdk,
};

export const wireFormats: readonly WireFormat[] = Object.keys(formats) as WireFormat[];

export function toWire<Format extends WireFormat>(
  format: Format,
  definitions: readonly ToolDefinition[],
): readonly WireTools[Format][] {
  return definitions.map(formats[format]);
}

/** A function tool of the AI SDK, below its tool loop (`LanguageModelV4FunctionTool`). */
export interface AiSdkTool {
  type: "function";
  name: string;
  description: string;
  inputSchema: ObjectSchema;
}

export function toAiSdk({ name, description, inputSchema }: ToolDefinition): AiSdkTool {
  return { type: "function", name, description, inputSchema: objectSchema(inputSchema) };
}
