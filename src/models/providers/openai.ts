import type { ToolDefinition } from "../../dialects/definition.ts";
import { toAiSdk } from "../../wire/formats.ts";
import { toOpenAi } from "../../wire/openai.ts";
import { languageModel } from "../language-model/language-model.ts";
import type { LanguageModelTool, PromptHabits } from "../language-model/route.ts";
import type { Model } from "../model.ts";
import { type ProviderSettings, providers, sdkSettings } from "../providers.ts";

/** Opens a model through OpenAI's Responses API. Nothing is stored at OpenAI: reasoning is sent back and forth encrypted. */
export async function openai(settings: ProviderSettings): Promise<Model> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  const provider = createOpenAI(sdkSettings(settings, providers.openai));
  const isKnown = knownFamily.test(settings.model);
  return languageModel({
    api: "openai",
    settings,
    languageModel: provider.responses(settings.model),
    tools: { toTool, isStrict: true },
    prompt: {
      pictures: "in-answer",
      marksErrors: false,
      callsLast: false,
      callIds: /^.{1,64}$/s,
      callNames: /^[\w-]{1,64}$/,
      looksUpNames: true,
      keepsPlainReasoning: false,
      reasoningOf: "provider",
    },
    isCutCall,
    options: ({ reasoning, cacheKey, maxOutputTokens, outputSchema }) => ({
      maxOutputTokens,
      ...(outputSchema && { responseFormat: { type: "json", name: "answer", schema: outputSchema } }),
      providerOptions: {
        openai: {
          store: false,
          // Strict schemas allow only a subset of JSON Schema; the session validates the answer itself.
          strictJsonSchema: outputSchema ? false : undefined,
          promptCacheKey: cacheKey,
          ...(reasoning && { reasoningEffort: reasoning, reasoningSummary: "auto" }),
          ...(isKnown ? {} : { systemMessageMode: "system", forceReasoning: reasoning !== undefined }),
        },
      },
    }),
  });
}

/** The package knows whether these models reason; for others the request decides. */
const knownFamily = /^(?:o\d|gpt-\d)/;

/** Recognizes the error of the package for a custom call that was cut. */
function isCutCall(error: unknown): boolean {
  const { value } = (error ?? {}) as { value?: { type?: string; item?: { status?: string } } };
  return value?.type === "response.output_item.done" && value.item?.status === "incomplete";
}

function toTool(definition: ToolDefinition): LanguageModelTool {
  const tool = toOpenAi(definition);
  const { name, description } = tool;
  if (tool.type === "custom")
    return { type: "provider", id: "openai.custom", name, args: { description, format: tool.format } };
  return { type: "function", name, description, inputSchema: tool.parameters, strict: tool.strict };
}

/** Opens a model through OpenAI's Chat Completions API, which most compatible servers offer. */
export async function openaiCompatible(settings: ProviderSettings): Promise<Model> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const access = sdkSettings(settings, providers.openai);
  const isOpenAi = URL.parse(access.baseURL)?.hostname === "api.openai.com";
  const provider = createOpenAICompatible({
    ...access,
    name: "openaiCompatible",
    includeUsage: true,
    transformRequestBody: isOpenAi ? withCompletionTokens : undefined,
  });
  return languageModel({
    api: "openai-chat",
    settings,
    languageModel: provider.chatModel(settings.model),
    tools: { toTool: toChatTool, isStrict: false },
    prompt: { ...chatHabits, keepsPlainReasoning: true, callIds: isOpenAi ? /^.{1,40}$/s : undefined },
    otherEnds: namesOfEnds,
    options: ({ reasoning, cacheKey, maxOutputTokens }) => ({
      maxOutputTokens,
      reasoning,
      providerOptions: isOpenAi ? { openaiCompatible: { prompt_cache_key: cacheKey } } : undefined,
    }),
  });
}

/** How APIs like Chat Completions take conversations. */
export const chatHabits: PromptHabits = {
  pictures: "after-answers",
  marksErrors: false,
  callsLast: false,
  callNames: /^[\w-]{1,64}$/,
  keepsPlainReasoning: false,
  reasoningOf: "provider",
};

export function toChatTool(definition: ToolDefinition): LanguageModelTool {
  return toAiSdk(definition);
}

/** Values that servers send instead of "stop". */
const namesOfEnds: ReadonlySet<string> = new Set(
  "eos eos_token end end_turn stop_sequence complete completed".split(" "),
);

/** Renames `max_tokens`: OpenAI's newer models refuse the old name, and other servers know only the old one. */
function withCompletionTokens({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> {
  return max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens };
}
