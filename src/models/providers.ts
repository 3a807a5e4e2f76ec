import type { Model, ModelFacts } from "./model.ts";

/** The providers that are known by name, in the order in which a key makes one the default. */
export const providerNames = [
  "anthropic",
  "openai",
  "openai-chat",
  "google",
  "openrouter",
  "ollama",
] as const;

/** Whose API it is. */
export type ProviderName = (typeof providerNames)[number];

export function isKnownProvider(name: string): name is ProviderName {
  return (providerNames as readonly string[]).includes(name);
}

/** How one model of a provider is reached. */
export interface ProviderSettings {
  /** What people call the provider, the first part of the model's id; the API's own name ("openai") if not said. */
  readonly provider?: string | undefined;
  /** As the provider calls it. */
  readonly model: string;
  readonly facts: ModelFacts;
  /** Where the API is; the provider's own address if not said. */
  readonly baseUrl?: string | undefined;
  /** Asked for at the first request, not when the model is opened; many servers of one's own take none. */
  readonly apiKey?: string | undefined;
  /** Anthropic: a bearer token instead of a key. */
  readonly authToken?: string | undefined;
  /** Ollama: the most that it is to read. */
  readonly contextTokens?: number | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Instead of the built-in one, for proxies and tests. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Whose API a model is reached by. */
export interface Provider {
  /** For people. */
  readonly label: string;
  /** Environment variables that may hold the key; the first that is set counts. */
  readonly keys: readonly string[];
  /** One that holds a bearer token instead. */
  readonly token?: string;
  /** One that holds another address. */
  readonly address: string;
  readonly baseUrl: string;
  /** The end of its addresses, which people leave out. */
  readonly version?: string;
  /** Where people get a key; undefined where none is needed. */
  readonly keysAt?: string;
  /** What is asked where nobody says which model. */
  readonly model?: string;
  /** Loads the provider's package. */
  open(settings: ProviderSettings): Promise<Model>;
}

/** Those that are known by name. */
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

/** Other names for them. */
export const aliases: Readonly<Record<string, ProviderName>> = { gemini: "google", claude: "anthropic" };
