import { join } from "node:path";
import { readModelSettings } from "../../agent/read-model-settings.ts";
import { ToolError, textForUser } from "../../contract/error.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { type CheckedProvider, checkProviders } from "../../models/check-providers.ts";
import { namedModel, servedModel } from "../../models/default-model.ts";
import { settingsFile } from "../../models/provider-access.ts";
import type { ModelSettings } from "../../models/settings.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Asks every provider that has a key or is configured for its models. Providers without a key are not mentioned. */
export async function examineModels(
  config: string,
  variables: NodeJS.ProcessEnv,
): Promise<readonly Finding[]> {
  let settings: ModelSettings;
  try {
    settings = await readModelSettings(config);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { message, hint } = textForUser(error);
    return [problem("models", message, hint ?? `Fix ${join(config, settingsFile)}.`)];
  }
  const reached = await checkProviders({ settings, variables });
  const choice = namedModel(settings, variables) ?? servedModel(reached);
  const findings = reached.flatMap((provider) => examineProvider(provider, settings));
  return choice === undefined
    ? [
        ...findings,
        warning("models", "no model is configured", "Set ANTHROPIC_API_KEY, or run: toolcrib models"),
      ]
    : [...findings, ok("models", `default: ${choice.id}`)];
}

function examineProvider(provider: CheckedProvider, settings: ModelSettings): readonly Finding[] {
  const { name, state, models, keyFrom, addressFrom, problem: why, hint } = provider;
  const key = keyFrom === null ? "no key needed" : `key from ${keyFrom}`;
  if (state === "reachable") return [ok("models", `${name}: ${counted(models.length, "model")}, ${key}`)];
  const isConfigured =
    keyFrom !== null || addressFrom !== null || Object.hasOwn(settings.providers ?? {}, name);
  if (!isConfigured) return [];
  return [warning("models", `${name}: ${why ?? "not reachable"}`, hint ?? `See: toolcrib models ${name}`)];
}
