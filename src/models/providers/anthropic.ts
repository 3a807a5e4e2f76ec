import type { LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ToolDefinition } from "../../dialects/definition.ts";
import { toAnthropic } from "../../wire/anthropic.ts";
import { languageModel } from "../language-model/language-model.ts";
import type { Deferral, LanguageModelTool } from "../language-model/route.ts";
import type { Model, ModelRequest, ReasoningEffort } from "../model.ts";
import { type ProviderSettings, providers, sdkSettings } from "../providers.ts";

export async function anthropic(settings: ProviderSettings): Promise<Model> {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const { model, facts, authToken } = settings;
  const { apiKey, ...access } = sdkSettings(settings, providers.anthropic);
  const provider = createAnthropic({ ...access, ...(authToken === undefined ? { apiKey } : { authToken }) });
  const id = `${settings.provider ?? "anthropic"}/${model}`;
  return languageModel({
    api: "anthropic",
    settings,
    languageModel: provider.languageModel(model),
    tools: { toTool, isStrict: false, deferral },
    prompt: {
      pictures: "in-answer",
      marksErrors: true,
      callsLast: true,
      callIds: /^[\w-]{1,64}$/,
      callNames: /^[\w-]{1,64}$/,
      looksUpNames: true,
      keepsPlainReasoning: false,
      reasoningOf: "model",
    },
    options: (request) => {
      const { reasoning, maxOutputTokens } = request;
      // The package knows the output limits of Claude models.
      const most = maxOutputTokens ?? (model.includes("claude-") ? undefined : facts.maxOutputTokens);
      if (reasoning === undefined || !budgetFamily.test(model)) return { reasoning, maxOutputTokens: most };
      const whole = facts.maxOutputTokens ?? 32_000;
      const limit = most ?? whole;
      const budgetTokens = budgetWithin(limit, Math.min(whole, 64_000) * shares[reasoning]);
      if (budgetTokens < leastBudget || isWithinUnreasonedTurn(request, id))
        return { maxOutputTokens: limit };
      return {
        // The package adds the budget to this limit.
        maxOutputTokens: limit - budgetTokens,
        providerOptions: {
          anthropic: { thinking: { type: "enabled", budgetTokens }, anthropicBeta: [interleaved] },
        },
      };
    },
    mark: markCache,
  });
}

/** Models whose thinking has a budget. It continues between calls only with a beta header. */
const budgetFamily = /claude-(?:opus|sonnet|haiku)-4(?:-[015])?(?:[-@]\d{8})?$/;
const interleaved = "interleaved-thinking-2025-05-14";
/** The share of the output limit for thinking. */
const shares: Readonly<Record<ReasoningEffort, number>> = { low: 0.1, medium: 0.3, high: 0.6 };
const leastBudget = 1_024;

/**
 * Halves a budget until it leaves space for a reply. Another budget breaks the cache, so it must not follow the limit
 * closely.
 */
function budgetWithin(limit: number, wanted: number): number {
  let budget = wanted;
  while (budget > limit * mostOfLimit) budget /= 2;
  return Math.round(budget);
}

const mostOfLimit = 0.75;

/** Whether the calls of a reply without thinking are being answered. These models refuse to start thinking then. */
function isWithinUnreasonedTurn({ messages }: ModelRequest, id: string): boolean {
  const reply = messages.findLast((message) => message.role === "assistant");
  if (!reply?.content.some(({ type }) => type === "call")) return false;
  const [first] = reply.content;
  return !(first?.type === "reasoning" && first.meta !== undefined && reply.model === id);
}

function toTool(definition: ToolDefinition, { isLast }: { readonly isLast: boolean }): LanguageModelTool {
  const tool = toAnthropic(definition);
  if ("type" in tool) {
    const { type, name, ...settings } = tool;
    const args = "max_characters" in settings ? { maxCharacters: settings.max_characters } : {};
    return { type: "provider", id: `anthropic.${type}`, name, args };
  }
  const { name, description, input_schema } = tool;
  const plain = { type: "function" as const, name, description, inputSchema: input_schema };
  return isLast ? { ...plain, providerOptions: cached } : plain;
}

const cached: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** The API keeps deferred tools out of the prompt until an answer refers to them, so the cache holds. */
const deferral: Deferral = {
  toTool: (definition) => ({
    ...toTool(definition, { isLast: false }),
    providerOptions: { anthropic: { deferLoading: true } },
  }),
  toAnswer: (found) => {
    if (found.length === 0) return undefined;
    const references = found.map(({ name: toolName }) => ({
      type: "custom" as const,
      providerOptions: { anthropic: { type: "tool-reference", toolName } },
    }));
    return { type: "content", value: references };
  },
};

/**
 * Sets the four allowed cache marks: the last tool, the system prompt, and the last two messages that are not replies
 * (the previous request wrote the first, the next request reads the second).
 */
function markCache(messages: LanguageModelV4Message[]): void {
  if (messages[0]?.role === "system") messages[0] = { ...messages[0], providerOptions: cached };
  let marks = 0;
  let mayMark = true;
  for (let index = messages.length - 1; index >= 0 && marks < 2; index -= 1) {
    const message = messages[index]!;
    if (message.role === "assistant") mayMark = true;
    else if (mayMark && message.role !== "system") {
      messages[index] = { ...message, providerOptions: cached };
      mayMark = false;
      marks += 1;
    }
  }
}
