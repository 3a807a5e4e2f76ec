import type { Model, ModelPrices } from "../models/model.ts";
import { factsOf } from "../models/model-facts.ts";
import { parseModelId } from "../models/open-model.ts";
import { ownOf, providerAccess } from "../models/provider-access.ts";
import type { ModelSettings } from "../models/settings.ts";

/** By its id, or opened already. */
export async function openGiven(model: string | Model, settings: ModelSettings): Promise<Model> {
  if (typeof model !== "string") return model;
  const { openModel } = await import("../models/open-model.ts");
  return openModel(model, settings);
}

/** What a model costs that is not open; undefined where nobody knows. */
export function pricesOf(id: string, settings: ModelSettings): ModelPrices | undefined {
  try {
    const { provider, name } = parseModelId(id);
    const access = providerAccess(provider, settings, process.env);
    return ownOf(settings.models, id)?.prices ?? factsOf(access, name).prices;
  } catch {
    // One that the settings no longer know.
    return undefined;
  }
}
