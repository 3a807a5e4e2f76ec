import type { ModelFacts, ModelPrices, TokenUsage } from "../models/model.ts";
import { costOf } from "../models/model-facts.ts";

export class Spending {
  readonly #byModel = new Map<string, Spending>();
  #usage: TokenUsage = noUsage;
  #known = 0;
  #isKnown = true;

  get usage(): TokenUsage {
    return this.#usage;
  }

  /** In US dollars; null once a model with an unknown price was used. */
  get cost(): number | null {
    return this.#isKnown ? this.knownCost : null;
  }

  /** For the models with known prices. */
  get knownCost(): number {
    return rounded(this.#known);
  }

  /** The usage and cost of each model, by its id. */
  get byModel(): ReadonlyMap<string, Pick<Spending, "usage" | "cost">> {
    return this.#byModel;
  }

  /** Adds the usage of one reply. `model` is the id of the model. */
  add(usage: TokenUsage, { prices }: Pick<ModelFacts, "prices">, model?: string): void {
    if (model !== undefined) {
      const own = this.#byModel.get(model) ?? new Spending();
      this.#byModel.set(model, own);
      own.add(usage, { prices });
    }
    this.#usage = addUsage(this.#usage, usage);
    const cost = usage.input === 0 && usage.output === 0 ? 0 : costOf(usage, prices);
    this.#known += cost ?? 0;
    if (cost === null) this.#isKnown = false;
  }

  /** Adds the total usage of many replies, without surcharges for long requests. */
  addSum(usage: TokenUsage, prices: ModelPrices | undefined, model: string): void {
    this.add(usage, { prices: prices && { ...prices, over: undefined } }, model);
  }

  since(before: Pick<Spending, "usage" | "cost">): Pick<Spending, "usage" | "cost"> {
    const cost = this.cost === null || before.cost === null ? null : rounded(this.cost - before.cost);
    return { usage: combine(this.#usage, before.usage, (now, then) => now - then), cost };
  }
}

/** Rounds to a billionth of a dollar, to hide rounding errors of sums. */
function rounded(cost: number): number {
  return Math.round(cost * 1e9) / 1e9;
}

export const noUsage: TokenUsage = { input: 0, cached: 0, cacheWritten: 0, output: 0, reasoning: 0 };

export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  return combine(one, other, (a, b) => a + b);
}

/** Non-finite counts must not spoil the totals. */
export function finiteUsage(usage: TokenUsage): TokenUsage {
  return combine(usage, noUsage, (count) => (Number.isFinite(count) ? count : 0));
}

function combine(one: TokenUsage, other: TokenUsage, operate: (a: number, b: number) => number): TokenUsage {
  const fields = Object.keys(noUsage) as (keyof TokenUsage)[];
  return Object.fromEntries(fields.map((field) => [field, operate(one[field], other[field])])) as TokenUsage &
    object;
}
