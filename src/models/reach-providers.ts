import type { ToolError } from "../contract/error.ts";
import { isRecord } from "../lib/json/is-record.ts";
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
export interface ReachedProvider {
  readonly name: string;
  /** For users. */
  readonly label: string;
  readonly type: ProviderName | null;
  readonly address: string | null;
  /** The variable or file that sets the address; null for the default address. */
  readonly addressFrom: string | null;
  /** The variable or file that the key comes from. */
  readonly keyFrom: string | null;
  readonly state: "reachable" | "no-key" | "unreachable";
  /** Why it is not reachable. */
  readonly problem: string | null;
  readonly hint: string | null;
  readonly models: readonly OfferedModel[];
}

interface Reaching {
  readonly settings: ModelSettings;
  readonly variables: NodeJS.ProcessEnv;
  /** Default: all that are known or configured. */
  readonly only?: readonly string[] | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Which providers have a key or a server, and what they offer. Asks all at once. Never throws. */
export function reachProviders({
  settings,
  variables,
  only = offered(settings),
  timeoutMs = 3_000,
}: Reaching): Promise<readonly ReachedProvider[]> {
  return Promise.all(only.map((name) => reach(name, settings, variables, timeoutMs)));
}

/** OpenAI is listed once, although it has two APIs. */
function offered(settings: ModelSettings): readonly string[] {
  return knownProviders(settings).filter(
    (name) => name !== "openai-chat" || ownOf(settings.providers, name) !== undefined,
  );
}

async function reach(
  name: string,
  settings: ModelSettings,
  variables: NodeJS.ProcessEnv,
  timeoutMs: number,
): Promise<ReachedProvider> {
  let access: ProviderAccess;
  try {
    access = providerAccess(name, settings, variables);
  } catch (error) {
    return { ...unknown(name), ...problemOf(error) };
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
    const hint = `Set ${key}; get one at ${access.api.keysAt}`;
    return { ...base, state: "no-key", problem: "There is no key.", hint };
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
  const [body] = await Promise.all([
    getJson(url, headers, signal),
    // OpenRouter's list is public; this request checks the key.
    access.type === "openrouter" ? checkKey(access.baseUrl, headers, signal) : undefined,
  ]);
  const models = readList(body, access);
  if (models === undefined)
    throw new ModelError("not-found", `${access.baseUrl} answers, but not with a list of models.`, {
      hint: "Is the address right? It ends in /v1 for most servers.",
    });
  return models;
}

async function checkKey(
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  await getJson(`${baseUrl}/key`, headers, signal).catch((error) => {
    if (error.statusCode === 401) throw error;
  });
}

async function getJson(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await providerFetch(url, { headers, signal });
  const text = await response.text();
  if (!response.ok) throw { statusCode: response.status, responseBody: text, url };
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readError(error: unknown, access: ProviderAccess, timeoutMs: number): unknown {
  const { name: provider, baseUrl, secret, headers } = access;
  if (error instanceof DOMException && error.name === "TimeoutError")
    return new ModelError("timeout", `${baseUrl} did not answer within ${timeoutMs / 1000} s.`);
  const secrets = secretsOf({ apiKey: secret?.value, headers });
  const read = toModelError(error, { provider, model: "", secrets });
  if (!(read instanceof ModelError)) {
    const { message, cause } = error as Error;
    const why = shown(cause instanceof Error ? cause.message : message, secrets);
    return new ModelError("network", `Cannot reach ${baseUrl}: ${why}`);
  }
  if (read.kind === "network")
    return new ModelError("network", read.message.replace(`reach ${provider}:`, `reach ${baseUrl}:`), {
      hint:
        access.type === "ollama"
          ? "Start Ollama (`ollama serve`, or its app), or get it at https://ollama.com"
          : undefined,
    });
  if (read.kind === "auth")
    return new ModelError("auth", `The key is refused: ${read.message}`, {
      hint: secret === undefined ? "It wants a key." : `Look at ${secret.from}.`,
    });
  return read;
}

function problemOf(error: unknown): { readonly problem: string; readonly hint: string | null } {
  const { message, hint } = error as ToolError | ModelError;
  return { problem: message, hint: hint ?? null };
}

function unknown(name: string): ReachedProvider {
  return {
    name,
    label: name,
    type: null,
    address: null,
    addressFrom: null,
    keyFrom: null,
    state: "unreachable",
    problem: null,
    hint: null,
    models: [],
  };
}

export interface OfferedModel {
  /** `provider/name`. */
  readonly id: string;
  readonly name: string;
  readonly facts: ModelFacts;
}

/** The request for the list of models. */
function listRequest({ type, baseUrl, secret, headers }: ProviderAccess): {
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

/** The chat models, in the order of the list; undefined when the response is not a list of models. */
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

/** Excludes models for embeddings, images and audio. */
function isChatModel(
  name: string,
  { supportedGenerationMethods: ways }: Readonly<Record<string, unknown>>,
): boolean {
  if (Array.isArray(ways) && !ways.includes("generateContent")) return false;
  return !otherKinds.test(name);
}

const otherKinds =
  /(?:^|[-_/.:])(?:embed\w*|bge|bert|minilm|rerank\w*|tts|whisper|dall-e|images?|audio|realtime|live|moderation|transcribe|translate|sora|veo|imagen|lyria|aqa|davinci|babbage|instruct|banana|robotics)(?:[-_.:\d]|$)/i;

/** Facts from the list itself, as OpenRouter, Google, vLLM and LM Studio give them. */
function listedFacts(entry: Readonly<Record<string, unknown>>): ModelFacts {
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

/** Prices come as text, in dollars per token. */
function readPrices(pricing: Readonly<Record<string, unknown>>): ModelPrices | undefined {
  const perMillion = (value: unknown) => Math.round(Number(value ?? Number.NaN) * 1e12) / 1e6;
  const input = perMillion(pricing.prompt);
  const output = perMillion(pricing.completion);
  // Negative: the price varies.
  if (!(input >= 0 && output >= 0)) return undefined;
  const cached = perMillion(pricing.input_cache_read);
  return { input, output, ...(cached >= 0 && { cached }) };
}
