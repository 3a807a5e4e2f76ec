import { isRecord } from "../../lib/json/is-record.ts";
import { languageModel } from "../language-model/language-model.ts";
import type { Model } from "../model.ts";
import { type ProviderSettings, providers, sdkSettings } from "../providers.ts";
import { chatHabits, toChatTool } from "./openai.ts";

/**
 * Opens a model of any vendor through OpenRouter, which extends Chat Completions by `reasoning_details`. OpenRouter's
 * own package is not used: it replaces unreadable arguments with `{}`, and takes a stream that breaks off in a call for
 * complete.
 */
export async function openrouter(settings: ProviderSettings): Promise<Model> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const { model } = settings;
  const access = sdkSettings(settings, providers.openrouter);
  const provider = createOpenAICompatible({
    ...access,
    name: "openaiCompatible",
    headers: { "X-Title": "Toolcrib", ...access.headers },
    metadataExtractor: { extractMetadata: async () => undefined, createStreamExtractor: collectDetails },
  });
  return languageModel({
    api: "openrouter",
    settings,
    languageModel: provider.chatModel(model),
    tools: { toTool: toChatTool, isStrict: false },
    prompt: { ...chatHabits, reasoningOf: "model" },
    // The package spreads metadata under its own name into the message.
    replyMeta: ({ openrouter }) =>
      isRecord(openrouter) ? { openaiCompatible: { reasoning_details: openrouter.details } } : undefined,
    options: ({ reasoning, maxOutputTokens }) => ({
      maxOutputTokens,
      providerOptions: {
        openaiCompatible: {
          usage: { include: true },
          ...(reasoning && { reasoning: { effort: reasoning } }),
          // Models of other vendors cache without being asked.
          ...(model.startsWith("anthropic/") && { cache_control: { type: "ephemeral" } }),
        },
      },
    }),
  });
}

/** Collects details, which come in pieces. Pieces of one type and index belong together. */
function collectDetails(): StreamExtractor {
  const details: Detail[] = [];
  return {
    processChunk: (chunk) => {
      for (const piece of detailsIn(chunk)) {
        const last = details.findLast(({ type, index }) => type === piece.type && index === piece.index);
        if (last === undefined || !isText(piece)) details.push({ ...piece });
        else {
          const field = piece.type === "reasoning.text" ? "text" : "summary";
          const joined = `${last[field] ?? ""}${piece[field] ?? ""}`;
          const given = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
          Object.assign(last, Object.fromEntries(given), { [field]: joined });
        }
      }
    },
    buildMetadata: () => (details.length === 0 ? undefined : { openrouter: { details: details as never } }),
  };
}

interface StreamExtractor {
  processChunk(chunk: unknown): void;
  buildMetadata(): { openrouter: { details: never } } | undefined;
}

interface Detail {
  readonly type: string;
  readonly index?: number;
  text?: string;
  summary?: string;
}

/** Reads the details, which the package does not validate. */
function detailsIn(chunk: unknown): readonly Detail[] {
  const { choices } = chunk as { choices?: readonly { delta?: { reasoning_details?: unknown } }[] };
  const details = choices?.[0]?.delta?.reasoning_details;
  if (!Array.isArray(details)) return [];
  return details.filter((piece) => isRecord(piece) && typeof piece.type === "string");
}

function isText({ type }: Detail): boolean {
  return type === "reasoning.text" || type === "reasoning.summary";
}
