import type { ModelFacts } from "../model.ts";

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
