import type { ToolError } from "../contract/error.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";
import { printableLine } from "../lib/text/printable.ts";
import { secretsOf, shown, toModelError } from "./classify-provider-error.ts";
import type { ModelFacts, ModelPrices } from "./model.ts";
import { ModelError } from "./model-error.ts";
import { factsOf } from "./model-facts.ts";
import { knownProviders, ownOf, type ProviderAccess, providerAccess } from "./provider-access.ts";
import { providerFetch } from "./providers/provider-fetch.ts";
import type { ProviderName } from "./providers.ts";
import type { ModelSettings } from "./settings.ts";

/** How one provider can be reached. Never holds a key. */
export interface CheckedProvider {
  readonly name: string;
  readonly label: string;
  readonly type: ProviderName | null;
  readonly address: string | null;
  /** The variable or file that sets the address; null for the default address. */
  readonly addressFrom: string | null;
  /** The variable or file that the key comes from. */
  readonly keyFrom: string | null;
  readonly state: "reachable" | "no-key" | "unreachable";
  readonly problem: string | null;
  readonly hint: string | null;
  readonly models: readonly OfferedModel[];
}

interface CheckOptions {
  readonly settings: ModelSettings;
  readonly variables: NodeJS.ProcessEnv;
  /** The providers to check. Default: all that are known or configured. */
  readonly only?: readonly string[] | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Checks which providers have a key or a server, and what they offer. Asks all at once. Never throws. */
export function checkProviders({
  settings,
  variables,
  only = offered(settings),
  timeoutMs = 3_000,
}: CheckOptions): Promise<readonly CheckedProvider[]> {
  return Promise.all(only.map((name) => check(name, settings, variables, timeoutMs)));
}

/** OpenAI is listed once, although it has two APIs. */
function offered(settings: ModelSettings): readonly string[] {
  return knownProviders(settings).filter(
    (name) => name !== "openai-chat" || ownOf(settings.providers, name) !== undefined,
  );
}

async function check(
  name: string,
  settings: ModelSettings,
  variables: NodeJS.ProcessEnv,
  timeoutMs: number,
): Promise<CheckedProvider> {
  let access: ProviderAccess;
  try {
    access = providerAccess(name, settings, variables);
  } catch (error) {
    const nothing = { type: null, address: null, addressFrom: null, keyFrom: null, models: [] };
    return { name, label: name, ...nothing, state: "unreachable", ...problemOf(error) };
  }
  const base = {
    name: access.name,
    label: access.name === access.type ? access.api.label : access.name,
    type: access.type,
    address: access.baseUrl,
    addressFrom: access.addressFrom ?? null,
    keyFrom: access.secret?.from ?? null,
    problem: null,
    hint: null,
    models: [],
  };
  if (access.lacksKey) {
    const key = ownOf(settings.providers, name)?.apiKeyFrom ?? access.api.keys[0];
    const hint = `Set ${key}. Get a key at ${access.api.keysAt}`;
    return { ...base, state: "no-key", problem: "No key is configured.", hint };
  }
  try {
    const listed = await listModels(access, timeoutMs);
    const models = listed.map((model) => ({
      ...model,
      facts: { ...model.facts, ...ownOf(settings.models, model.id) },
    }));
    return { ...base, state: "reachable", models };
  } catch (error) {
    return { ...base, state: "unreachable", ...problemOf(readError(error, access, timeoutMs)) };
  }
}

async function listModels(access: ProviderAccess, timeoutMs: number): Promise<readonly OfferedModel[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  const { url, headers } = listRequest(access);
  // OpenRouter's list is public; this request checks the key.
  const check =
    access.type === "openrouter" &&
    getJson(`${access.baseUrl}/key`, headers, signal).catch((error) => {
      if (error.statusCode === 401) throw error;
    });
  const [body] = await Promise.all([getJson(url, headers, signal), check]);
  const models = readList(body, access);
  if (models === undefined)
    throw new ModelError("not-found", `${access.baseUrl} did not return a list of models.`, {
      hint: "Check the address. For most servers it ends in /v1.",
    });
  return models;
}

async function getJson(url: string, headers: Headers, signal: AbortSignal): Promise<unknown> {
  const response = await providerFetch(url, { headers, signal });
  const text = await response.text();
  if (!response.ok) throw { statusCode: response.status, responseBody: text, url };
  return tryParseJson(text);
}

function readError(error: unknown, access: ProviderAccess, timeoutMs: number): unknown {
  const { name: provider, baseUrl, secret, headers, type } = access;
  if (error instanceof DOMException && error.name === "TimeoutError")
    return new ModelError("timeout", `${baseUrl} did not answer within ${timeoutMs / 1000} s.`);
  const secrets = secretsOf({ apiKey: secret?.value, headers });
  const read = toModelError(error, { provider, model: "", secrets });
  if (!(read instanceof ModelError)) {
    const { message, cause } = error as Error;
    const reason = shown(cause instanceof Error ? cause.message : message, secrets);
    return new ModelError("network", `Cannot connect to ${baseUrl}: ${reason}`);
  }
  if (read.code === "network")
    return new ModelError("network", read.message.replace(`to ${provider}:`, `to ${baseUrl}:`), {
      hint: type === "ollama" ? "Run: ollama serve (or install it from https://ollama.com)" : undefined,
    });
  if (read.code === "auth")
    return secret === undefined
      ? new ModelError("auth", `A key is required: ${read.message}`, {
          hint: `Set \`apiKey\` of ${provider} in models.json.`,
        })
      : new ModelError("auth", `The key was rejected: ${read.message}`, { hint: `Check ${secret.from}.` });
  return read;
}

function problemOf(error: unknown): { readonly problem: string; readonly hint: string | null } {
  const { message, hint } = error as ToolError | ModelError;
  return { problem: message, hint: hint ?? null };
}

export interface OfferedModel {
  /** `provider/name`. */
  readonly id: string;
  readonly name: string;
  readonly facts: ModelFacts;
}

type Headers = Readonly<Record<string, string>>;

function listRequest({ type, baseUrl, secret, headers }: ProviderAccess): {
  readonly url: string;
  readonly headers: Headers;
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

/** Returns the chat models, in the order of the list; undefined when the response is not a list of models. */
function readList(body: unknown, access: ProviderAccess): readonly OfferedModel[] | undefined {
  const list = isRecord(body) ? (body.data ?? body.models) : body;
  if (!Array.isArray(list)) return undefined;
  return list.filter(isRecord).flatMap((entry) => {
    const name = nameOf(entry, access.type);
    if (name === undefined || !isChatModel(name, entry)) return [];
    const known = factsOf(access, name);
    const free =
      access.type === "ollama" && !/[-:]cloud$/.test(name) ? { prices: { input: 0, output: 0 } } : {};
    const facts = { ...free, ...listedFacts(entry), ...known };
    return [{ id: `${access.name}/${name}`, name, facts }];
  });
}

function nameOf({ id, name }: Readonly<Record<string, unknown>>, type: ProviderName): string | undefined {
  const given = type === "ollama" || type === "google" ? name : (id ?? name);
  if (typeof given !== "string" || !/^.{1,200}$/s.test(given) || printableLine(given) !== given)
    return undefined;
  return type === "google" ? given.replace(/^models\//, "") : given;
}

/** Excludes models for embeddings, images and audio. */
function isChatModel(
  name: string,
  { supportedGenerationMethods: methods }: Readonly<Record<string, unknown>>,
): boolean {
  return !(Array.isArray(methods) && !methods.includes("generateContent")) && !otherKinds.test(name);
}

const otherKinds =
  /(?:^|[-_/.:])(?:embed\w*|bge|bert|minilm|rerank\w*|tts|whisper|dall-e|images?|audio|realtime|live|moderation|transcribe|translate|sora|veo|imagen|lyria|aqa|davinci|babbage|instruct|banana|robotics)(?:[-_.:\d]|$)/i;

/** Reads facts from the list itself, where OpenRouter, Google, vLLM and LM Studio give them. */
function listedFacts(entry: Readonly<Record<string, unknown>>): ModelFacts {
  const lengths = [
    "context_length",
    "inputTokenLimit",
    "max_input_tokens",
    "max_model_len",
    "max_context_length",
  ];
  const contextTokens = lengths
    .map((key) => entry[key])
    .find((length) => typeof length === "number" && length > 0);
  const { supported_parameters: takes, pricing } = entry;
  const prices = isRecord(pricing) ? readPrices(pricing) : undefined;
  return {
    ...(contextTokens !== undefined && { contextTokens: contextTokens as number }),
    ...(Array.isArray(takes) && { callsTools: takes.includes("tools") }),
    ...(prices && { prices }),
  };
}

/** Reads prices, which come as text in dollars per token. */
function readPrices(pricing: Readonly<Record<string, unknown>>): ModelPrices | undefined {
  const perMillion = (value: unknown) => Math.round(Number(value ?? Number.NaN) * 1e12) / 1e6;
  const input = perMillion(pricing.prompt);
  const output = perMillion(pricing.completion);
  // A negative number means that the price varies.
  if (!(input >= 0 && output >= 0)) return undefined;
  const cached = perMillion(pricing.input_cache_read);
  return { input, output, cached: cached >= 0 ? cached : undefined };
}
