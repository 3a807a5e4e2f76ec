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
