import { type CheckedProvider, checkProviders } from "./check-providers.ts";
import { knownProviders, providerAccess, settingsFile } from "./provider-access.ts";
import type { ModelSettings } from "./settings.ts";

export interface ModelChoice {
  readonly id: string;
  /** Where the choice comes from: a variable, a file, or a server. */
  readonly from: string;
}

/**
 * Chooses TOOLCRIB_MODEL, else the default of models.json, else a model of the first provider with a key, else one of a
 * local server, Ollama last. Returns undefined when there is none.
 */
export async function chooseModel(
  settings: ModelSettings,
  variables: NodeJS.ProcessEnv = process.env,
): Promise<ModelChoice | undefined> {
  const named = namedModel(settings, variables);
  if (named) return named;
  const servers = knownProviders(settings).filter((name) => {
    const access = accessTo(name, settings, variables);
    return access !== undefined && name !== "openai-chat" && !access.lacksKey;
  });
  return servedModel(await checkProviders({ settings, variables, only: servers }));
}

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

/** Returns the models that are known without asking a server: the configured ones, and one per provider with a key. */
export function modelsByName(settings: ModelSettings, variables: NodeJS.ProcessEnv): readonly string[] {
  const usual = knownProviders(settings).flatMap((name) => {
    const access = accessTo(name, settings, variables);
    return access?.secret !== undefined && access.api.model ? [`${name}/${access.api.model}`] : [];
  });
  const named = namedModel(settings, variables)?.id;
  return [...(named ? [named] : []), ...Object.keys(settings.models ?? {}), ...usual];
}

export function servedModel(reached: readonly CheckedProvider[]): ModelChoice | undefined {
  const serving = reached.filter(
    ({ state, name, addressFrom, models }) =>
      state === "reachable" && models.length > 0 && (addressFrom !== null || name === "ollama"),
  );
  const found = serving.find(({ name }) => name !== "ollama") ?? serving[0];
  return found && { id: found.models[0]!.id, from: found.name };
}

function accessTo(name: string, settings: ModelSettings, variables: NodeJS.ProcessEnv) {
  try {
    return providerAccess(name, settings, variables);
  } catch {
    return undefined;
  }
}
