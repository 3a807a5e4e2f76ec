import { join } from "node:path";
import { readModelSettings } from "../agent/read-model-settings.ts";
import { ToolError } from "../contract/error.ts";
import { counted } from "../lib/text/format-quantity.ts";
import { printableLine } from "../lib/text/printable.ts";
import { type ModelChoice, namedModel, servedModel } from "../models/default-model.ts";
import type { ModelPrices } from "../models/model.ts";
import { providerAccess, settingsFile } from "../models/provider-access.ts";
import { providerNames, providers } from "../models/providers.ts";
import { type OfferedModel, type ReachedProvider, reachProviders } from "../models/reach-providers.ts";
import { userDirectories } from "../system/directories.ts";
import { tellProgress } from "./progress.ts";
import { layTable } from "./terminal.ts";

export interface ShownModels {
  /** For programs. */
  readonly value: { readonly default: ModelChoice | null; readonly providers: readonly ReachedProvider[] };
  readonly isReachable: boolean;
  /** For people. */
  output(): string;
}

/** What can be asked from here, of all providers or of one. */
export async function showModels(operands: readonly string[]): Promise<ShownModels> {
  const [provider, stray] = operands;
  if (stray !== undefined)
    throw new ToolError("invalid-input", `"${stray}" is one word too many`, {
      hint: "Name one provider, or none. See: toolcrib models --help",
    });
  const settings = await readModelSettings();
  const variables = process.env;
  const only = provider === undefined ? undefined : [providerAccess(provider, settings, variables).name];
  const progress = tellProgress("toolcrib models");
  progress.tell("asks the providers");
  const reached = await reachProviders({ settings, variables, only });
  progress.stop();
  const choice = namedModel(settings, variables) ?? servedModel(reached);
  const isReachable = reached.some(({ state }) => state === "reachable");
  return {
    value: { default: choice ?? null, providers: reached },
    isReachable,
    output: () => {
      const told = describeModels(reached, { choice, isAll: provider !== undefined });
      return isReachable || provider !== undefined ? told : `${told}\n${threeWays()}\n`;
    },
  };
}

/** What is reachable, for people: a paragraph for each provider, with nothing in it that only the eye can follow. */
function describeModels(
  reached: readonly ReachedProvider[],
  { choice, isAll }: { readonly choice: ModelChoice | undefined; readonly isAll: boolean },
): string {
  const there = reached.filter(isReached).map((provider) => describeReached(provider, { choice, isAll }));
  const others = reached.filter((provider) => !isReached(provider)).map(describeOther);
  const chosen = choice ? `Default: ${printableLine(choice.id)} (${reasonOf(choice)})\n` : "";
  return [...there, others.join(""), chosen].filter((part) => part !== "").join("\n");
}

function isReached({ state }: ReachedProvider): boolean {
  return state === "reachable";
}

function reasonOf({ from }: ModelChoice): string {
  if (from === "TOOLCRIB_MODEL" || from.endsWith(".json")) return `by ${from}`;
  return /^[A-Z_]+$/.test(from) ? `${from} is set` : `the first that ${printableLine(from)} has`;
}

interface Shown {
  readonly choice: ModelChoice | undefined;
  readonly isAll: boolean;
}

function describeReached(provider: ReachedProvider, { choice, isAll }: Shown): string {
  const { name, models } = provider;
  const told = isAll ? models : some(models, choice?.id);
  const more = models.length - told.length;
  const rest = more > 0 ? `  and ${more} more: toolcrib models ${printableLine(name)}\n` : "";
  const rows = told.map((model) => rowOf(model, choice?.id));
  return `${titleOf(provider)}: reachable, ${counted(models.length, "model")}. ${wayOf(provider)}\n${layTable(rows, "  ")}${rest}`;
}

function describeOther(provider: ReachedProvider): string {
  const { state, problem, hint } = provider;
  const words = [state === "no-key" ? "no key" : "not reachable", state === "no-key" ? null : problem, hint]
    .flatMap((part) => (part ? [printableLine(part).replace(/\.$/, "")] : []))
    .join(". ");
  // What is behind an address is taken for part of it.
  return `${titleOf(provider)}: ${words}${/https?:\S+$/.test(words) ? "" : "."}\n`;
}

function titleOf({ name, label }: ReachedProvider): string {
  return printableLine(label.toLowerCase() === name ? name : `${name} (${label})`);
}

const mostShown = 6;

/** The default, then those of which the most is known. */
function some(models: readonly OfferedModel[], chosen: string | undefined): readonly OfferedModel[] {
  const weight = ({ id, facts }: OfferedModel) =>
    Number(id === chosen) * 4 +
    Number(facts.prices !== undefined) * 2 +
    Number(facts.contextTokens !== undefined);
  return models.toSorted((one, other) => weight(other) - weight(one)).slice(0, mostShown);
}

function wayOf({ address, addressFrom, keyFrom }: ReachedProvider): string {
  const where = addressFrom === null ? "" : ` At ${address}, by ${addressFrom}.`;
  return `${keyFrom === null ? "No key." : `Key from ${printableLine(keyFrom)}.`}${where}`;
}

function rowOf({ id, facts }: OfferedModel, chosen: string | undefined): readonly string[] {
  const { contextTokens, prices, callsTools } = facts;
  return [
    printableLine(id),
    contextTokens === undefined ? "length unknown" : `${contextTokens.toLocaleString("en")} tokens`,
    priceOf(prices),
    [callsTools === false ? "calls no tools: --protocol text" : "", id === chosen ? "default" : ""]
      .filter((note) => note !== "")
      .join(", "),
  ];
}

function priceOf(prices: ModelPrices | undefined): string {
  if (prices === undefined) return "price unknown";
  if (prices.input === 0 && prices.output === 0) return "free";
  return `$${prices.input} in, $${prices.output} out`;
}

/** What a person without any model is told. */
export function threeWays(): string {
  const keys = providerNames
    .filter((name) => name !== "openai-chat")
    .map((name) => providers[name])
    .filter(({ keysAt }) => keysAt !== undefined)
    .map(({ keys: [variable], keysAt }) => [`export ${variable}=…`, keysAt!]);
  const file = join(userDirectories().config, settingsFile);
  return `Three ways to get a model:

1. A key in a variable, from one of these:
${layTable(keys, "     ")}
2. Ollama on this machine, without any key, from https://ollama.com:
     ollama pull qwen3:8b
     toolcrib run --model ollama/qwen3:8b "…"

3. Any server that speaks OpenAI's chat API (LM Studio, vLLM, llama.cpp), by a name of your own in ${file}:
     {"providers": {"mine": {"type": "openai-chat", "baseUrl": "http://localhost:1234/v1"}}}
     toolcrib run --model mine/NAME "…"

What is reachable now:             toolcrib models
A whole session without any model: toolcrib run --demo`;
}
