import type { ModelFacts } from "./model.ts";
import type { ProviderName } from "./provider-names.ts";

/** What a person has set about models: the content of `models.json` in their own config directory. */
export interface ModelSettings {
  /** The model that is asked where nobody says which, `provider/name`. */
  readonly default?: string | undefined;
  /** Providers whose models subagents may be given, beside the one that the session itself uses: what they read goes there. */
  readonly agents?: readonly string[] | undefined;
  /** By the first part of a model's id: providers that are known, reached otherwise, and servers of one's own. */
  readonly providers?: Readonly<Record<string, ProviderConfiguration>> | undefined;
  /** Facts by the id of a model, instead of what is known of it. */
  readonly models?: Readonly<Record<string, ModelFacts>> | undefined;
}

export interface ProviderConfiguration {
  /** Whose API it speaks; its own name if not said. `openai-chat` is what most compatible servers speak. */
  readonly type?: ProviderName | undefined;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** The environment variable that holds the key. */
  readonly apiKeyFrom?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Ollama: the most that it reads, which costs memory; 32768 if not said. */
  readonly contextTokens?: number | undefined;
}
