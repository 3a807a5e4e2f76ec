import { ToolError } from "../contract/error.ts";
import type { ToolDefinition } from "../dialects/definition.ts";
import type { Model, ModelFacts, ModelPrices } from "../models/model.ts";
import { factsOf } from "../models/model-facts.ts";
import { type FoundModel, findModel, parseModelId } from "../models/open-model.ts";
import { ownOf, providerAccess } from "../models/provider-access.ts";
import type { ModelSettings } from "../models/settings.ts";
import type { Caller } from "../toolcrib/index.ts";
import type { ToolProtocol } from "./event.ts";

/** Finds a model by id, or takes an open one. Throws at once when there is none. */
export function findGiven(model: string | Model, settings: ModelSettings): FoundModel {
  if (typeof model === "string") return findModel(model, settings);
  return { id: model.id, name: model.name, open: async () => model };
}

/** Opens a model for a subagent: of its parent's provider, or of one that the user has allowed for subagents. */
export async function openForAgent(id: string, ofParent: string, settings: ModelSettings): Promise<Model> {
  const found = findModel(id, settings);
  const { provider } = parseModelId(found.id);
  if (provider === ofParent || settings.agents?.includes(provider)) return found.open();
  throw new ToolError("denied", `Subagents may not use ${provider}: the user has not allowed it`);
}

/** Wraps the model in the text protocol where the session uses it or the model cannot call tools. */
export async function inProtocol(model: Model, protocol: ToolProtocol): Promise<Model> {
  if ((protocol === "native" && model.facts.callsTools !== false) || textModels.has(model)) return model;
  const { textProtocol } = await import("../models/text-protocol.ts");
  const adapted = textProtocol(model);
  textModels.add(adapted);
  return adapted;
}

const textModels = new WeakSet<Model>();

/** Returns the tools that are listed for a model at once: those of its dialect, and `edit.anchored` where the user wants it. */
export async function listedTools(
  caller: Pick<Caller, "definitions">,
  { facts }: Pick<Model, "facts">,
): Promise<readonly ToolDefinition[]> {
  const listed = await caller.definitions();
  const isAnchored = ({ canonical }: ToolDefinition) => canonical === "edit.anchored";
  if (!facts.editsByAnchors || listed.some(isAnchored)) return listed;
  const all = await caller.definitions({ which: "all" });
  return [...listed, ...all.filter(isAnchored)];
}

/** Returns the tools that a model finds with `tools.find`; undefined when there are none or its API does not load them. */
export async function deferredTools(
  caller: Pick<Caller, "definitions">,
  { facts }: Pick<Model, "facts">,
  listed: readonly ToolDefinition[],
): Promise<readonly ToolDefinition[] | undefined> {
  if (!facts.defersTools || !listed.some(({ canonical }) => canonical === "tools.find")) return undefined;
  const names = new Set(listed.map(({ name }) => name));
  const all = await caller.definitions({ which: "all" });
  return all.filter(({ name }) => !names.has(name));
}

/** The prices of a model that is not open; undefined when unknown. */
export function pricesOf(id: string, settings: ModelSettings): ModelPrices | undefined {
  return modelFacts(id, settings).prices;
}

/** The facts of a model that is not open: those of `models.json`, then the known ones. */
export function modelFacts(id: string, settings: ModelSettings): ModelFacts {
  try {
    const { provider, name } = parseModelId(id);
    const access = providerAccess(provider, settings, process.env);
    return { ...factsOf(access, name), ...ownOf(settings.models, id) };
  } catch {
    // The settings do not contain its provider any more.
    return {};
  }
}
