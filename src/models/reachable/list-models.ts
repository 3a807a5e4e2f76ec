import { isRecord } from "../../lib/is-record.ts";
import { printableLine } from "../../lib/printable.ts";
import type { ModelFacts, ModelPrices } from "../model.ts";
import { factsOf } from "../model-facts.ts";
import type { ProviderAccess } from "../provider-access.ts";
import type { ProviderName } from "../provider-names.ts";

/** One model that a provider offers. */
export interface OfferedModel {
  /** `provider/name`. */
  readonly id: string;
  readonly name: string;
  readonly facts: ModelFacts;
}

/** How the list of models is asked for. */
export function listRequest({ type, baseUrl, secret, headers }: ProviderAccess): {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const value = secret?.value;
  const bearer = { ...headers, ...(value && { Authorization: `Bearer ${value}` }) };
  switch (type) {
    case "ollama":
      return { url: `${baseUrl}/api/tags`, headers: bearer };
    case "google":
      return {
        url: `${baseUrl}/models?pageSize=1000`,
        headers: { ...headers, ...(value && { "x-goog-api-key": value }) },
      };
    case "anthropic": {
      const key = secret?.kind === "key" ? { ...headers, "x-api-key": secret.value } : bearer;
      return { url: `${baseUrl}/models?limit=1000`, headers: { "anthropic-version": "2023-06-01", ...key } };
    }
    default:
      return { url: `${baseUrl}/models`, headers: bearer };
  }
}

/** The models that can be spoken to, in the order they came; undefined where the answer is no list of models. */
export function readList(body: unknown, access: ProviderAccess): readonly OfferedModel[] | undefined {
  const list = isRecord(body) ? (body.data ?? body.models) : body;
  if (!Array.isArray(list)) return undefined;
  return list.filter(isRecord).flatMap((entry) => {
    const name = nameOf(entry, access.type);
    if (name === undefined || !speaks(name, entry)) return [];
    const known = factsOf(access, name);
    const free =
      access.type === "ollama" && !/[-:]cloud$/.test(name) ? { prices: { input: 0, output: 0 } } : {};
    const facts = { ...free, ...toldOf(entry), ...known };
    return [{ id: `${access.name}/${name}`, name, facts }];
  });
}

function nameOf({ id, name }: Readonly<Record<string, unknown>>, type: ProviderName): string | undefined {
  const given = type === "ollama" || type === "google" ? name : (id ?? name);
  if (
    typeof given !== "string" ||
    given === "" ||
    given.length > longestName ||
    printableLine(given) !== given
  )
    return undefined;
  return type === "google" ? given.replace(/^models\//, "") : given;
}

const longestName = 200;

/** Not those that only make vectors, pictures or sounds. */
function speaks(
  name: string,
  { supportedGenerationMethods: ways }: Readonly<Record<string, unknown>>,
): boolean {
  if (Array.isArray(ways) && !ways.includes("generateContent")) return false;
  return !otherKinds.test(name);
}

const otherKinds =
  /(?:^|[-_/.:])(?:embed\w*|bge|bert|minilm|rerank\w*|tts|whisper|dall-e|images?|audio|realtime|live|moderation|transcribe|translate|sora|veo|imagen|lyria|aqa|davinci|babbage|instruct|banana|robotics)(?:[-_.:\d]|$)/i;

/** What the list itself says, as OpenRouter, Google, vLLM and LM Studio do. */
function toldOf(entry: Readonly<Record<string, unknown>>): ModelFacts {
  const lengths = [
    entry.context_length,
    entry.inputTokenLimit,
    entry.max_input_tokens,
    entry.max_model_len,
    entry.max_context_length,
  ];
  const contextTokens = lengths.find((length) => typeof length === "number" && length > 0);
  const { supported_parameters: takes, pricing } = entry;
  const prices = isRecord(pricing) ? readPrices(pricing) : undefined;
  return {
    ...(contextTokens !== undefined && { contextTokens: contextTokens as number }),
    ...(Array.isArray(takes) && { callsTools: takes.includes("tools") }),
    ...(prices && { prices }),
  };
}

/** Dollars for one token, written as text. */
function readPrices(pricing: Readonly<Record<string, unknown>>): ModelPrices | undefined {
  const perMillion = (value: unknown) => Math.round(Number(value ?? Number.NaN) * 1e12) / 1e6;
  const input = perMillion(pricing.prompt);
  const output = perMillion(pricing.completion);
  // Below nothing: it depends.
  if (!(input >= 0 && output >= 0)) return undefined;
  const cached = perMillion(pricing.input_cache_read);
  return { input, output, ...(cached >= 0 && { cached }) };
}
