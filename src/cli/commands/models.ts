import { providerNames } from "../../models/providers.ts";
import type { Command } from "../command.ts";
import { jsonOption } from "../options.ts";
import { printJson } from "../report.ts";
import { print } from "../terminal.ts";

/** `toolcrib models` */
export const modelsCommand: Command = {
  name: "models",
  summary: "Show which models can be asked from here",
  usage: ["models [PROVIDER] [--json]"],
  notes: [
    "Asks every provider that has a key or a server for its list; lengths and prices (US dollars for a million tokens) where known.",
    "Keys come from the usual variables, or from models.json in your config directory (see `toolcrib paths`), never from a workspace.",
    "TOOLCRIB_MODEL, or `default` in models.json, is the model that is asked where nobody says which.",
    "Exit code 1: nothing is reachable.",
  ],
  options: [jsonOption],
  operand: providerNames,
  examples: [
    { command: "toolcrib models", shows: "what is reachable, and how to get more" },
    { command: "toolcrib models openrouter", shows: "all that one provider offers" },
    {
      command: "toolcrib models ollama --json | jq -r '.providers[].models[].id'",
      shows: "their names only",
    },
  ],
  async run({ options, operands }) {
    const { showModels } = await import("../models.ts");
    const { output, value, isReachable } = await showModels(operands);
    if (options.has("json")) printJson(value);
    else print(output());
    return isReachable ? 0 : 1;
  },
};
