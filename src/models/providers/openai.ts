import type { JSONValue } from "@ai-sdk/provider";
import type { ToolDefinition } from "../../dialects/definition.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import { toAiSdk } from "../../wire/formats.ts";
import { objectSchema } from "../../wire/json-schema.ts";
import { toOpenAi } from "../../wire/openai.ts";
import { languageModel } from "../language-model/language-model.ts";
import type { Deferral, LanguageModelTool, PromptHabits } from "../language-model/route.ts";
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
    tools: { toTool, isStrict: true, deferral },
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

/** The API searches through the client: `tools.find` answers with definitions, which are added after the cached prompt. */
const deferral: Deferral = {
  toFinder: (definition) => {
    const { name, description } = definition;
    const args = { execution: "client", description, parameters: objectSchema(definition.inputSchema) };
    return { type: "provider", id: "openai.tool_search", name, args };
  },
  toAnswer: (found) => {
    const tools = found.map((definition) => ({ ...toOpenAi(definition), defer_loading: true }));
    return { type: "json", value: { tools: tools as unknown as JSONValue[] } };
  },
  call: {
    // The package wraps the arguments.
    read: (given) => {
      const wrapped = tryParseJson(given);
      const inner = isRecord(wrapped) ? wrapped.arguments : undefined;
      return typeof inner === "string" ? inner : JSON.stringify(inner ?? {});
    },
    // The API requires the id of a search, which a call of another model or of a plain function does not have.
    write: (input, id, meta) => {
      const itemId = String(meta?.openai?.itemId);
      const known = itemId.startsWith("tsc") ? itemId : `tsc_${id}`;
      return {
        input: { arguments: input, call_id: id },
        providerOptions: { openai: { ...meta?.openai, itemId: known } },
      };
    },
  },
};

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
