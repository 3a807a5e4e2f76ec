import { ToolError } from "../contract/error.ts";
import { printableLine } from "../lib/text/printable.ts";
import type { Model } from "./model.ts";
import { ModelError } from "./model-error.ts";
import { factsOf } from "./model-facts.ts";
import { ownOf, type ProviderAccess, providerAccess } from "./provider-access.ts";
import { loadFetchSoon, providerFetch } from "./providers/provider-fetch.ts";
import type { ModelSettings } from "./settings.ts";

/**
 * Opens a model by its id, `provider/name`. The name may contain slashes: "openrouter/anthropic/claude-sonnet-4.5",
 * "ollama/qwen3:8b". Well-known names need no provider: "claude-sonnet-4-5". Only Ollama is contacted here.
 */
export async function openModel(
  id: string,
  settings: ModelSettings = {},
  variables: NodeJS.ProcessEnv = process.env,
): Promise<Model> {
  return findModel(id, settings, variables).open();
}

/** A model whose provider and access are known; the provider's package is not loaded yet. */
export interface FoundModel extends Pick<Model, "id" | "name"> {
  open(): Promise<Model>;
}

/** Finds what `openModel` would open. Throws at once when it cannot be opened. */
export function findModel(
  id: string,
  settings: ModelSettings = {},
  variables: NodeJS.ProcessEnv = process.env,
): FoundModel {
  const { provider, name } = parseModelId(id);
  const access = providerAccess(provider, settings, variables);
  if (access.lacksKey) throw noKey(access, settings);
  const found = `${access.name}/${name}`;
  const own = ownOf(settings.models, found) ?? ownOf(settings.models, id);
  const { secret } = access;
  const open = () => {
    loadFetchSoon();
    return access.api.open({
      provider: access.name,
      model: name,
      facts: { ...factsOf(access, name), ...own },
      baseUrl: access.baseUrl,
      authToken: secret?.kind === "token" ? secret.value : undefined,
      apiKey: secret?.kind === "token" ? undefined : secret?.value,
      headers: access.headers,
      fetch: providerFetch,
      contextTokens: own?.contextTokens ?? settings.providers?.[access.name]?.contextTokens,
    });
  };
  return { id: found, name, open };
}

export function parseModelId(id: string): { readonly provider: string; readonly name: string } {
  const given = id.trim();
  // Names may come from a server's list of models.
  if (printableLine(given) !== given)
    throw new ToolError("invalid-input", "The name of the model contains invisible characters", {
      hint: "Copy it from the output of: toolcrib models",
    });
  const slash = given.indexOf("/");
  if (slash > 0 && slash < given.length - 1)
    return { provider: given.slice(0, slash), name: given.slice(slash + 1) };
  if (slash > 0)
    throw new ToolError("invalid-input", `"${id}" names a provider, but no model`, {
      hint: `To list its models, run: toolcrib models ${given.slice(0, slash)}`,
    });
  const family = slash === -1 ? families.find(({ names }) => names.test(given)) : undefined;
  if (family) return { provider: family.provider, name: given };
  throw new ToolError("invalid-input", `"${id}" does not name a provider`, {
    hint: /^[\w.-]+:[\w.-]+$/.test(given)
      ? `Did you mean ollama/${given}?`
      : "Use provider/name, for example openai/gpt-6.1-sol. To list models, run: toolcrib models",
  });
}

const families = [
  { names: /^(?:gpt-(?!oss)|chatgpt-|codex-|o[1-9](?:-|$))/i, provider: "openai" },
  { names: /^claude-/i, provider: "anthropic" },
  { names: /^gemini-/i, provider: "google" },
];

function noKey({ name, api }: ProviderAccess, settings: ModelSettings): ModelError {
  const from = ownOf(settings.providers, name)?.apiKeyFrom;
  const names = from === undefined ? [...api.keys, ...(api.token ? [api.token] : [])] : [from];
  return new ModelError("auth", `No key for ${api.label} is configured.`, {
    hint: `Set ${names.join(" or ")}. Get a key at ${api.keysAt}`,
  });
}
