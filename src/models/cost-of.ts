import type { ModelPrices, Usage } from "./model.ts";

/** US dollars; null where the price is not known. */
export function costOf(usage: Usage, prices: ModelPrices | undefined): number | null {
  if (prices === undefined) return null;
  const { over } = prices;
  const rate = over !== undefined && usage.input > over.tokens ? over : prices;
  const { input, output, cached = input, cacheWritten = input } = rate;
  const plain = usage.input - usage.cached - usage.cacheWritten;
  const million =
    plain * input + usage.cached * cached + usage.cacheWritten * cacheWritten + usage.output * output;
  return million / 1_000_000;
}
