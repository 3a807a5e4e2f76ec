import { expect, it } from "vitest";
import { costOf, factsOf } from "./model-facts.ts";
import { providers } from "./providers.ts";

const of = (name: string, type: keyof typeof providers, model: string) => factsOf({ name, type }, model);

it("recognizes a model by all of its names", () => {
  const facts = {
    contextTokens: 200_000,
    maxOutputTokens: 64_000,
    callsTools: true,
    seesImages: true,
    prices: { input: 3, output: 15, cached: 0.3, cacheWritten: 3.75 },
  };
  expect([
    of("anthropic", "anthropic", "claude-sonnet-4-5"),
    of("anthropic", "anthropic", "claude-sonnet-4-5-20250929"),
    of("openrouter", "openrouter", "anthropic/claude-sonnet-4.5"),
  ]).toEqual([facts, facts, facts]);
});

it("has no price for variants and other servers", () => {
  const prices = [
    of("openrouter", "openrouter", "anthropic/claude-sonnet-4.5:nitro"),
    of("mine", "anthropic", "claude-sonnet-4-5"),
    of("openai", "openai", "gpt-5.5-2026-04-23"),
  ].map((facts) => facts.prices?.input);
  expect(prices).toEqual([undefined, undefined, 5]);
});

it("does not guess about models that are newer than it or known only to a server", () => {
  expect([
    of("openai", "openai", "gpt-7"),
    of("openai", "openai", "gpt-5.5-mini"),
    of("anthropic", "anthropic", "claude-opus-5-9"),
    of("mine", "openai-chat", "qwen3"),
    of("ollama", "ollama", "claude-opus-5"),
  ]).toEqual([{}, {}, {}, {}, {}]);
});

it("knows the context window of each default model", () => {
  const lengths = Object.entries(providers).flatMap(([name, { model }]) =>
    model === undefined ? [] : [of(name, name as keyof typeof providers, model).contextTokens],
  );
  expect(lengths).toEqual([1_000_000, 1_050_000, 1_048_576, 1_000_000]);
});

it("computes the cost of a request, with the surcharge for long ones", () => {
  const { prices } = of("openai", "openai", "gpt-6.1-sol");
  const usage = { input: 100_000, cached: 60_000, cacheWritten: 20_000, output: 10_000, reasoning: 5_000 };
  const long = { ...usage, input: 300_000 };
  expect([costOf(usage, prices), costOf(long, prices), costOf(usage, undefined)]).toEqual([
    (20_000 * 2 + 60_000 * 0.1 + 20_000 * 2.5 + 10_000 * 10) / 1_000_000,
    (220_000 * 4 + 60_000 * 0.2 + 20_000 * 5 + 10_000 * 15) / 1_000_000,
    null,
  ]);
  expect(costOf(usage, { input: 1, output: 2 })).toBe(0.12);
});
