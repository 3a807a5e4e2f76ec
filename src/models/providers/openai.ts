import type { ToolDefinition } from "../../dialects/definition.ts";
import { toOpenAi } from "../../wire/openai.ts";
import { languageModel } from "../language-model/language-model.ts";
import type { LanguageModelTool } from "../language-model/to-tools.ts";
import type { Model } from "../model.ts";
import type { ProviderSettings } from "./provider-settings.ts";

/** Models by OpenAI's Responses API. Nothing is kept at their side: reasoning comes and goes encrypted. */
export async function openai(settings: ProviderSettings): Promise<Model> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  const { baseUrl, headers, fetch } = settings;
  const provider = createOpenAI({
    baseURL: baseUrl ?? "https://api.openai.com/v1",
    // Never undefined, which would make the package look for one itself.
    apiKey: settings.apiKey ?? "",
    ...(headers && { headers: { ...headers } }),
    ...(fetch && { fetch }),
  });
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
    options: ({ reasoning, cacheKey, maxOutputTokens }) => ({
      ...(maxOutputTokens && { maxOutputTokens }),
      providerOptions: {
        openai: {
          store: false,
          ...(cacheKey && { promptCacheKey: cacheKey }),
          ...(reasoning && { reasoningEffort: reasoning, reasoningSummary: "auto" }),
          ...(isKnown ? {} : { systemMessageMode: "system", forceReasoning: reasoning !== undefined }),
        },
      },
    }),
  });
}

/** Of these the package knows itself whether they reason; of others we believe who asks for it. */
const knownFamily = /^(?:o\d|gpt-\d)/;

/** The package does not know custom calls that were cut. */
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
