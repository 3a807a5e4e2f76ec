import type { ModelFacts, ModelPrices, Usage } from "../models/model.ts";
import { costOf } from "../models/model-facts.ts";

/** What a session has used, subagents included. */
export class Spending {
  #usage: Usage = noUsage;
  #known = 0;
  #isKnown = true;

  get usage(): Usage {
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

  add(usage: Usage, { prices }: Pick<ModelFacts, "prices">): void {
    this.#usage = addUsage(this.#usage, usage);
    const cost = isNothing(usage) ? 0 : costOf(usage, prices);
    this.#known += cost ?? 0;
    if (cost === null) this.#isKnown = false;
  }

  /** Adds the usage of many replies: surcharges for long requests do not apply to a sum. */
  addSum(usage: Usage, prices: ModelPrices | undefined): void {
    this.add(usage, { prices: prices && { ...prices, over: undefined } });
  }

  since(before: { readonly usage: Usage; readonly cost: number | null }): {
    readonly usage: Usage;
    readonly cost: number | null;
  } {
    const cost = this.cost === null || before.cost === null ? null : rounded(this.cost - before.cost);
    return { usage: combine(this.#usage, before.usage, (now, then) => now - then), cost };
  }
}

/** To a billionth of a dollar, to hide rounding errors of sums. */
function rounded(cost: number): number {
  return Math.round(cost * 1e9) / 1e9;
}

export const noUsage: Usage = { input: 0, cached: 0, cacheWritten: 0, output: 0, reasoning: 0 };

export function addUsage(one: Usage, other: Usage): Usage {
  return combine(one, other, (a, b) => a + b);
}

function combine(one: Usage, other: Usage, operate: (a: number, b: number) => number): Usage {
  return {
    input: operate(one.input, other.input),
    cached: operate(one.cached, other.cached),
    cacheWritten: operate(one.cacheWritten, other.cacheWritten),
    output: operate(one.output, other.output),
    reasoning: operate(one.reasoning, other.reasoning),
  };
}

function isNothing({ input, output }: Usage): boolean {
  return input === 0 && output === 0;
}
