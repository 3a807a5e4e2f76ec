import type { ToolDefinition } from "../../dialects/definition.ts";
import { toAiSdk } from "../../wire/ai-sdk.ts";
import { languageModel } from "../language-model/language-model.ts";
import type { PromptHabits } from "../language-model/route.ts";
import type { LanguageModelTool } from "../language-model/to-tools.ts";
import type { Model } from "../model.ts";
import type { ProviderSettings } from "./provider-settings.ts";

/** Models by OpenAI's Chat Completions, which most servers of one's own speak too. */
export async function openaiCompatible(settings: ProviderSettings): Promise<Model> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const { baseUrl = "https://api.openai.com/v1", apiKey, headers, fetch } = settings;
  const isOpenAi = URL.canParse(baseUrl) && new URL(baseUrl).hostname === "api.openai.com";
  const provider = createOpenAICompatible({
    name: "openaiCompatible",
    baseURL: baseUrl,
    includeUsage: true,
    ...(apiKey && { apiKey }),
    ...(headers && { headers: { ...headers } }),
    ...(fetch && { fetch }),
    ...(isOpenAi && { transformRequestBody: withCompletionTokens }),
  });
  return languageModel({
    api: "openai-chat",
    settings,
    languageModel: provider.chatModel(settings.model),
    tools: { toTool: toChatTool, isStrict: false },
    prompt: { ...chatHabits, keepsPlainReasoning: true, ...(isOpenAi && { callIds: /^.{1,40}$/s }) },
    otherEnds: namesOfEnds,
    options: ({ reasoning, cacheKey, maxOutputTokens }) => ({
      ...(maxOutputTokens && { maxOutputTokens }),
      ...(reasoning && { reasoning }),
      ...(isOpenAi && cacheKey && { providerOptions: { openaiCompatible: { prompt_cache_key: cacheKey } } }),
    }),
  });
}

/** How all who speak like Chat Completions are told conversations. */
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

/** What servers say instead of "stop". */
const namesOfEnds: ReadonlySet<string> = new Set([
  ...["eos", "eos_token", "end", "end_turn", "stop_sequence", "complete", "completed"],
]);

/** OpenAI's own newer models refuse the old name, which others know alone. */
function withCompletionTokens({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> {
  return max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens };
}
