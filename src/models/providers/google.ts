import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { ToolDefinition } from "../../dialects/definition.ts";
import { geminiJsonSchema, toGemini } from "../../wire/gemini.ts";
import { languageModel } from "../language-model/language-model.ts";
import type { LanguageModelTool } from "../language-model/route.ts";
import type { Model } from "../model.ts";
import { type ProviderSettings, providers, sdkSettings } from "../providers.ts";

export async function google(settings: ProviderSettings): Promise<Model> {
  const { createGoogle } = await import("@ai-sdk/google");
  const provider = createGoogle(sdkSettings(settings, providers.google));
  return languageModel({
    api: "google",
    settings,
    languageModel: provider.languageModel(settings.model),
    tools: { toTool, isStrict: false },
    prompt: {
      pictures: "in-answer",
      marksErrors: true,
      callsLast: false,
      callNames: /^[A-Za-z_][\w.:-]{0,63}$/,
      keepsPlainReasoning: false,
      reasoningOf: "provider",
    },
    options: ({ reasoning, maxOutputTokens }) => ({
      maxOutputTokens,
      reasoning,
      providerOptions: reasoning && { google: { thinkingConfig: { includeThoughts: true } } },
    }),
    fault: (finish, meta) => {
      const fault = faults.get(finish);
      const { finishMessage } = (meta?.google ?? {}) as { finishMessage?: string | null };
      return fault && finishMessage ? `${fault} (${finishMessage.slice(0, maxQuoted)})` : fault;
    },
  });
}

/** Maximum length of the text that the model wrote instead of a call. */
const maxQuoted = 300;

/** Finish reasons of replies that tried to call a tool and failed. */
const faults = new Map([
  [
    "MALFORMED_FUNCTION_CALL",
    "Your call could not be parsed and was not made. Make it again as one plain function call with valid arguments.",
  ],
  ["UNEXPECTED_TOOL_CALL", "You called an undeclared tool; no call was made. Call only declared tools."],
  ["TOO_MANY_TOOL_CALLS", "You made too many calls at once; none was made. Make fewer calls in one reply."],
]);

function toTool(definition: ToolDefinition): LanguageModelTool {
  const { name, description, parameters } = toGemini(definition);
  const inputSchema = parameters ? geminiJsonSchema(parameters) : { type: "object", properties: {} };
  return { type: "function", name, description, inputSchema } as LanguageModelV4FunctionTool;
}
