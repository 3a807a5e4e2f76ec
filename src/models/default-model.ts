import { knownProviders, providerAccess, settingsFile } from "./provider-access.ts";
import { type ReachedProvider, reachProviders } from "./reach-providers.ts";
import type { ModelSettings } from "./settings.ts";

/** The model to use when none is named. */
export interface ModelChoice {
  readonly id: string;
  /** Where the choice comes from: a variable, a file, or a server. */
  readonly from: string;
}

/**
 * TOOLCRIB_MODEL, else the default of models.json, else a model of the first provider with a key, else one that a local
 * server offers, Ollama last. Undefined when there is none.
 */
export async function chooseModel(
  settings: ModelSettings,
  variables: NodeJS.ProcessEnv = process.env,
): Promise<ModelChoice | undefined> {
  const named = namedModel(settings, variables);
  if (named) return named;
  const servers = serversOf(settings, variables);
  if (servers.length === 0) return undefined;
  return servedModel(await reachProviders({ settings, variables, only: servers }));
}

/** The choice that needs no request. */
export function namedModel(settings: ModelSettings, variables: NodeJS.ProcessEnv): ModelChoice | undefined {
  const fromVariable = variables.TOOLCRIB_MODEL?.trim();
  if (fromVariable) return { id: fromVariable, from: "TOOLCRIB_MODEL" };
  if (settings.default) return { id: settings.default, from: settingsFile };
  for (const name of knownProviders(settings)) {
    const access = accessTo(name, settings, variables);
    // A server at another address has other models.
    if (access?.secret === undefined || access.addressFrom !== undefined || access.name !== access.type)
      continue;
    if (access.api.model) return { id: `${name}/${access.api.model}`, from: access.secret.from };
  }
  return undefined;
}

/** The first model that a local server offers. */
export function servedModel(reached: readonly ReachedProvider[]): ModelChoice | undefined {
  for (const { state, name, addressFrom, models } of reached.toSorted(ollamaLast)) {
    const [first] = models;
    if (state === "reachable" && first !== undefined && (addressFrom !== null || name === "ollama"))
      return { id: first.id, from: name };
  }
  return undefined;
}

function serversOf(settings: ModelSettings, variables: NodeJS.ProcessEnv): readonly string[] {
  return knownProviders(settings).filter((name) => {
    const access = accessTo(name, settings, variables);
    return access !== undefined && name !== "openai-chat" && !access.lacksKey;
  });
}

function accessTo(name: string, settings: ModelSettings, variables: NodeJS.ProcessEnv) {
  try {
    return providerAccess(name, settings, variables);
  } catch {
    return undefined;
  }
}

function ollamaLast(one: ReachedProvider, other: ReachedProvider): number {
  return Number(one.name === "ollama") - Number(other.name === "ollama");
}
