import { providerNames } from "../../models/providers.ts";
import type { Command } from "../command.ts";
import { jsonOption } from "../options.ts";

export const modelsCommand: Command = {
  name: "models",
  summary: "List the available models",
  usage: [["models [PROVIDER] [--json]"]],
  notes: [
    "Asks every provider that has a key or a server. Prices are in US dollars per million tokens. Exits with 1 when no provider is reachable.",
    "Keys come from the usual variables, or from models.json in the config folder (see `toolcrib paths`), never from a workspace. TOOLCRIB_MODEL, or `default` in models.json, sets the default model.",
  ],
  options: [jsonOption],
  operand: providerNames,
  examples: [
    ["toolcrib models", "what is available, and how to get more"],
    ["toolcrib models openrouter", "all models of one provider"],
    ["toolcrib models ollama --json | jq -r '.providers[].models[].id'", "only their names"],
  ],
  run: async (given) => (await import("../models.ts")).showModels(given),
};
