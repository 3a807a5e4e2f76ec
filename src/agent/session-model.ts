import { ToolError } from "../contract/error.ts";
import type { Model, ModelPrices } from "../models/model.ts";
import { factsOf } from "../models/model-facts.ts";
import { type FoundModel, findModel, parseModelId } from "../models/open-model.ts";
import { ownOf, providerAccess } from "../models/provider-access.ts";
import type { ModelSettings } from "../models/settings.ts";
import type { Protocol } from "./event.ts";

/** By its id, or opened already. Throws at once where there is none. */
export function findGiven(model: string | Model, settings: ModelSettings): FoundModel {
  if (typeof model === "string") return findModel(model, settings);
  return { id: model.id, name: model.name, open: async () => model };
}

/** For a subagent: of the provider that its parent uses, or of one that the person has named for that. */
export async function openForAgent(id: string, ofParent: string, settings: ModelSettings): Promise<Model> {
  const found = findModel(id, settings);
  const { provider } = parseModelId(found.id);
  if (provider === ofParent || settings.agents?.includes(provider)) return found.open();
  throw new ToolError(
    "denied",
    `Agents may not use ${provider}: nobody allowed that what they read goes there`,
  );
}

/** The model as a session speaks to it: in words where that is its protocol, or where it calls no tools by itself. */
export async function speaking(model: Model, protocol: Protocol): Promise<Model> {
  if ((protocol === "native" && model.facts.callsTools !== false) || spoken.has(model)) return model;
  const { textProtocol } = await import("../models/text-protocol.ts");
  const words = textProtocol(model);
  spoken.add(words);
  return words;
}

const spoken = new WeakSet<Model>();

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
