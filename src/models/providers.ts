import type { Model, ModelFacts } from "./model.ts";

/** Providers in the order in which a key makes one the default. */
export const providerNames = [
  ...(["anthropic", "openai", "openai-chat", "google", "openrouter", "ollama"] as const),
] as const;

export type ProviderName = (typeof providerNames)[number];

export function isKnownProvider(name: string): name is ProviderName {
  return (providerNames as readonly string[]).includes(name);
}

/** How to reach one model of a provider. */
export interface ProviderSettings {
  /** The user's name for the provider, the first part of the model id. Default: the name of the API. */
  readonly provider?: string | undefined;
  /** The provider's name for the model. */
  readonly model: string;
  readonly facts: ModelFacts;
  /** Default: the provider's address. */
  readonly baseUrl?: string | undefined;
  /** The key, which is needed at the first request. Local servers often take none. */
  readonly apiKey?: string | undefined;
  /** Anthropic: a bearer token instead of a key. */
  readonly authToken?: string | undefined;
  /** Ollama: the context length to use. */
  readonly contextTokens?: number | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Replaces `fetch`, for proxies and tests. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface Provider {
  readonly label: string;
  /** Environment variables for the key; the first that is set wins. */
  readonly keys: readonly string[];
  /** A variable for a bearer token instead. */
  readonly token?: string;
  /** A variable for another address. */
  readonly address: string;
  readonly baseUrl: string;
  /** The last part of its addresses, which users leave out. */
  readonly version?: string;
  /** Where users get a key; undefined when none is needed. */
  readonly keysAt?: string;
  readonly model?: string;
  open(settings: ProviderSettings): Promise<Model>;
}

export const providers: Readonly<Record<ProviderName, Provider>> = {
  anthropic: {
    label: "Anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    token: "ANTHROPIC_AUTH_TOKEN",
    address: "ANTHROPIC_BASE_URL",
    baseUrl: "https://api.anthropic.com/v1",
    version: "v1",
    keysAt: "https://console.anthropic.com/settings/keys",
    model: "claude-sonnet-5-5",
    open: async (settings) => (await import("./providers/anthropic.ts")).anthropic(settings),
  },
  openai: {
    label: "OpenAI",
    keys: ["OPENAI_API_KEY"],
    address: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com/v1",
    keysAt: "https://platform.openai.com/api-keys",
    model: "gpt-6.1-sol",
    open: async (settings) => (await import("./providers/openai.ts")).openai(settings),
  },
  "openai-chat": {
    label: "OpenAI (Chat Completions)",
    keys: ["OPENAI_API_KEY"],
    address: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com/v1",
    keysAt: "https://platform.openai.com/api-keys",
    open: async (settings) => (await import("./providers/openai.ts")).openaiCompatible(settings),
  },
  google: {
    label: "Google Gemini",
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    address: "GOOGLE_GEMINI_BASE_URL",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    version: "v1beta",
    keysAt: "https://aistudio.google.com/apikey",
    model: "gemini-pro-latest",
    open: async (settings) => (await import("./providers/google.ts")).google(settings),
  },
  openrouter: {
    label: "OpenRouter",
    keys: ["OPENROUTER_API_KEY"],
    address: "OPENROUTER_BASE_URL",
    baseUrl: "https://openrouter.ai/api/v1",
    keysAt: "https://openrouter.ai/keys",
    model: "anthropic/claude-sonnet-5.5",
    open: async (settings) => (await import("./providers/openrouter.ts")).openrouter(settings),
  },
  ollama: {
    label: "Ollama",
    keys: ["OLLAMA_API_KEY"],
    address: "OLLAMA_HOST",
    baseUrl: "http://127.0.0.1:11434",
    open: async (settings) => (await import("./providers/ollama.ts")).ollama(settings),
  },
};

/** Returns the settings that every SDK package takes. Always sets a key, because a package would look for one itself. */
export function sdkSettings({ baseUrl, apiKey = "", headers, fetch }: ProviderSettings, api: Provider) {
  return { baseURL: baseUrl ?? api.baseUrl, apiKey, headers: { ...headers }, fetch };
}

export const aliases: Readonly<Record<string, ProviderName>> = { gemini: "google", claude: "anthropic" };
