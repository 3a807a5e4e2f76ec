import { expect, it } from "vitest";
import type { Message } from "../../models/message.ts";
import type { Model, TokenUsage } from "../../models/model.ts";
import { ContextMeter, conversationTokens, frameTokens } from "./meter.ts";

const model = (contextTokens: number | undefined) => ({ facts: { contextTokens } }) as Model;
const userMessage = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const used = (input: number, output: number): TokenUsage => {
  return { input, output, cached: 0, cacheWritten: 0, reasoning: 0 };
};
const clearTokens = 600;
const meterOf = (window: number | undefined) =>
  new ContextMeter({ model: model(window), system: "", tools: [], clearTokens });
const frame = frameTokens("", []);

it("estimates until the provider has counted, then estimates only what came since", () => {
  const meter = meterOf(1_000);
  const message = userMessage("one two three");
  meter.added(message);
  const estimated = meter.use;
  meter.counted(used(400, 100));
  const counted = meter.use;
  meter.added(message);
  expect([estimated, counted]).toEqual([
    { tokens: frame + conversationTokens([message]), window: 1_000 },
    { tokens: 500, window: 1_000 },
  ]);
  expect(meter.use.tokens).toBeGreaterThan(500);
});

it("is nearly full at 80 % and full at 90 % of the window, and never without a known window", () => {
  const states = [799, 800, 899, 900].map((tokens) => {
    const [known, unknown] = [meterOf(1_000), meterOf(undefined)];
    for (const meter of [known, unknown]) meter.counted(used(tokens, 0));
    return [known.isNearlyFull, known.isFull, unknown.isNearlyFull, unknown.isFull];
  });
  expect(states).toEqual([
    [false, false, false, false],
    [true, false, false, false],
    [true, false, false, false],
    [true, true, false, false],
  ]);
});

it("is not full again before the provider has counted the compacted conversation", () => {
  const meter = meterOf(1_000);
  meter.counted(used(950, 0));
  const before = meter.isFull;
  meter.restart([userMessage("word ".repeat(5_000))]);
  const restarted = meter.isFull;
  meter.counted(used(950, 0));
  expect([before, restarted, meter.isFull]).toEqual([true, false, true]);
});

it("keeps the estimate for a server that does not count", () => {
  const meter = meterOf(1_000);
  meter.added(userMessage("word"));
  const { tokens } = meter.use;
  meter.counted(used(0, 0));
  expect(meter.use.tokens).toBe(tokens);
});

it("uses the window of the current model", () => {
  const meter = meterOf(1_000);
  meter.counted(used(900, 0));
  meter.useModel(model(10_000));
  expect([meter.use, meter.isFull]).toEqual([{ tokens: 900, window: 10_000 }, false]);
});

it("detects a message that no request could hold", () => {
  const long = userMessage("word ".repeat(2_000));
  expect([100, 1_000, 10_000, undefined].map((window) => meterOf(window).isTooLong(long))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it("limits the output to what the window leaves", () => {
  const facts = { contextTokens: 200_000, maxOutputTokens: 64_000 };
  const instances = [100_000, 136_000, 150_000, 199_999].map((tokens) => {
    const meter = new ContextMeter({ model: { facts } as Model, system: "", tools: [], clearTokens });
    meter.counted(used(tokens, 0));
    return meter.outputLimit;
  });
  expect([...instances, meterOf(undefined).outputLimit]).toEqual([
    undefined,
    undefined,
    50_000,
    1_024,
    undefined,
  ]);
});

it("is not full again after a failed compaction, until it has grown or the model changes", () => {
  const meter = meterOf(1_000);
  const fullAt = (tokens: number) => {
    meter.counted(used(tokens, 0));
    return meter.isFull;
  };
  const before = fullAt(910);
  meter.gaveUp();
  const after = [fullAt(910), fullAt(939), fullAt(940)];
  meter.gaveUp();
  meter.useModel(model(1_000));
  expect([before, after, fullAt(940)]).toEqual([true, [false, false, true], true]);
});
