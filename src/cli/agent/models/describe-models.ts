import { counted } from "../../../lib/counted.ts";
import { printableLine } from "../../../lib/printable.ts";
import type { ModelChoice } from "../../../models/default-model.ts";
import type { ModelPrices } from "../../../models/model.ts";
import type { OfferedModel, ReachedProvider } from "../../../models/reach-providers.ts";
import { layTable } from "../../table.ts";

/** What is reachable, for people: a paragraph for each provider, with nothing in it that only the eye can follow. */
export function describeModels(
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
