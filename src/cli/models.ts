import { join } from "node:path";
import { readModelSettings } from "../agent/read-model-settings.ts";
import { counted } from "../lib/text/format-quantity.ts";
import { printableLine } from "../lib/text/printable.ts";
import { type CheckedProvider, checkProviders, type OfferedModel } from "../models/check-providers.ts";
import { type ModelChoice, namedModel, servedModel } from "../models/default-model.ts";
import type { ModelPrices } from "../models/model.ts";
import { providerAccess, settingsFile } from "../models/provider-access.ts";
import { providerNames, providers } from "../models/providers.ts";
import { userDirectories } from "../system/directories.ts";
import type { Arguments } from "./command.ts";
import { refuseOperands } from "./parse-arguments.ts";
import { commandProgress } from "./progress.ts";
import { printJson } from "./report.ts";
import { layTable, print } from "./terminal.ts";

/** Runs `toolcrib models`, which lists the models of all providers, or of one. */
export async function showModels({ options, operands: [provider, ...rest] }: Arguments): Promise<number> {
  refuseOperands(rest, { name: "models" });
  const settings = await readModelSettings();
  const variables = process.env;
  const only = provider === undefined ? undefined : [providerAccess(provider, settings, variables).name];
  const progress = commandProgress("toolcrib models");
  progress.update("asking the providers");
  const reached = await checkProviders({ settings, variables, only });
  progress.stop();
  const choice = namedModel(settings, variables) ?? servedModel(reached);
  const isReachable = reached.some(({ state }) => state === "reachable");
  if (options.has("json")) printJson({ default: choice ?? null, providers: reached });
  else {
    print(describeModels(reached, { choice, isAll: provider !== undefined }));
    if (!isReachable && provider === undefined) print(`\n${modelSetup()}\n`);
  }
  return isReachable ? 0 : 1;
}

interface Shown {
  readonly choice: ModelChoice | undefined;
  readonly isAll: boolean;
}

/** Describes each provider in a paragraph, which is readable without a visual layout. */
function describeModels(reached: readonly CheckedProvider[], shown: Shown): string {
  const isReached = ({ state }: CheckedProvider) => state === "reachable";
  const available = reached.filter(isReached).map((provider) => describeReached(provider, shown));
  const others = reached.filter((provider) => !isReached(provider)).map(describeOther);
  const { choice } = shown;
  const chosen = choice ? `Default: ${printableLine(choice.id)} (${reasonOf(choice)})\n` : "";
  return [...available, others.join(""), chosen].filter((part) => part !== "").join("\n");
}

function reasonOf({ from }: ModelChoice): string {
  if (from === "TOOLCRIB_MODEL" || from.endsWith(".json")) return `from ${from}`;
  return /^[A-Z_]+$/.test(from) ? `${from} is set` : `the first of ${printableLine(from)}`;
}

function describeReached(provider: CheckedProvider, { choice, isAll }: Shown): string {
  const { name, models } = provider;
  const shown = isAll ? models : some(models, choice?.id);
  const more = models.length - shown.length;
  const rest = more > 0 ? `  and ${more} more: toolcrib models ${printableLine(name)}\n` : "";
  const rows = shown.map((model) => rowOf(model, choice?.id));
  return `${titleOf(provider)}: available, ${counted(models.length, "model")}. ${accessOf(provider)}\n${layTable(rows, "  ")}${rest}`;
}

function describeOther(provider: CheckedProvider): string {
  const { state, problem, hint } = provider;
  const text = [state === "no-key" ? "no key" : "not reachable", state === "no-key" ? null : problem, hint]
    .flatMap((part) => (part ? [printableLine(part).replace(/\.$/, "")] : []))
    .join(". ");
  // A full stop after an address would look like part of it.
  return `${titleOf(provider)}: ${text}${/https?:\S+$/.test(text) ? "" : "."}\n`;
}

function titleOf({ name, label }: CheckedProvider): string {
  return printableLine(label.toLowerCase() === name ? name : `${name} (${label})`);
}

const mostShown = 6;

/** Returns a few models: the default, then those with known prices and context sizes. */
function some(models: readonly OfferedModel[], chosen: string | undefined): readonly OfferedModel[] {
  const weight = ({ id, facts }: OfferedModel) =>
    Number(id === chosen) * 4 +
    Number(facts.prices !== undefined) * 2 +
    Number(facts.contextTokens !== undefined);
  return models.toSorted((one, other) => weight(other) - weight(one)).slice(0, mostShown);
}

function accessOf({ address, addressFrom, keyFrom }: CheckedProvider): string {
  const where = addressFrom === null ? "" : ` At ${address}, from ${addressFrom}.`;
  return `${keyFrom === null ? "No key." : `Key from ${printableLine(keyFrom)}.`}${where}`;
}

function rowOf({ id, facts }: OfferedModel, chosen: string | undefined): readonly string[] {
  const { contextTokens, prices, callsTools } = facts;
  return [
    printableLine(id),
    contextTokens === undefined ? "context unknown" : `${contextTokens.toLocaleString("en")} tokens`,
    priceOf(prices),
    [callsTools === false ? "no tool calls: use --protocol text" : "", id === chosen ? "default" : ""]
      .filter((note) => note !== "")
      .join(", "),
  ];
}

function priceOf(prices: ModelPrices | undefined): string {
  if (prices === undefined) return "price unknown";
  if (prices.input === 0 && prices.output === 0) return "free";
  return `$${prices.input} in, $${prices.output} out`;
}

/** Explains how to get a model. */
export function modelSetup(): string {
  const keys = providerNames
    .filter((name) => name !== "openai-chat")
    .map((name) => providers[name])
    .filter(({ keysAt }) => keysAt !== undefined)
    .map(({ keys: [variable], keysAt }) => [`export ${variable}=KEY`, keysAt!]);
  const file = join(userDirectories().config, settingsFile);
  return `Three ways to get a model:

1. Set a key from one of these providers:
${layTable(keys, "     ")}
2. Run Ollama on this machine, without a key, from https://ollama.com:
     ollama pull qwen3:8b
     toolcrib run --model ollama/qwen3:8b "your task"

3. Use a server with OpenAI's chat API (LM Studio, vLLM, llama.cpp): name it in ${file}
     {"providers": {"mine": {"type": "openai-chat", "baseUrl": "http://localhost:1234/v1"}}}
     toolcrib run --model mine/NAME "your task"

List the available models:    toolcrib models
Try a session without one:    toolcrib run --demo, or toolcrib chat --demo`;
}
