import fc from "fast-check";
import { expect, it } from "vitest";
import { settingsWith, specOf, workerOf } from "../../test/support/fleet/examples.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { type Model, ModelError, type ModelRequest, type TokenUsage } from "../agent/index.ts";
import { CostTurns } from "../agent/round/cost-turns.ts";
import { Spending } from "../agent/spending.ts";
import type { ModelFacts } from "../models/model.ts";
import { mostOfRequest } from "../models/model-facts.ts";
import type { FleetStore } from "./fleet.ts";
import { mostCost } from "./most-cost.ts";
import { openFleetStore } from "./store/open-fleet-store.ts";
import { ModelGate } from "./work/model-gate.ts";
import { WorkClock } from "./work/work-clock.ts";

const limitsOf = (dollars: number | null) => ({ rounds: 100, minutes: 30, dollars });

it.each([
  // Each run may cost its limit and one request: 2 · 0.5 + 2 · 2.
  { name: "the limits of the runs", dollars: [0.5, 0.5], budget: null, atOnce: 4, most: 5 },
  // The fleet may cost its budget and one request of each run that works: 0.25 + 1 · 2.
  { name: "the budget", dollars: [null, null], budget: 0.25, atOnce: 1, most: 2.25 },
  { name: "the lower of both", dollars: [0.5, 0.5], budget: 1, atOnce: 1, most: 3 },
  { name: "nothing without either", dollars: [0.5, null], budget: null, atOnce: 4, most: null },
])("bounds the cost of runs by $name", ({ dollars, budget, atOnce, most }) => {
  const runs = dollars.map((each) => ({ model: "x/m", limits: limitsOf(each) }));
  expect(mostCost(runs, { budget, atOnce, mostOf: () => 2 })).toBe(most);
  expect(mostCost(runs, { budget, atOnce, mostOf: () => null })).toBeNull();
});

const amount = fc.integer({ min: 1, max: 500 }).map((cents) => cents / 100);
const rate = fc.record({ input: amount, output: amount, cached: amount, cacheWritten: amount });
const model = fc.record({
  contextTokens: fc.integer({ min: 1_000, max: 1_000_000 }),
  maxOutputTokens: fc.integer({ min: 1_000, max: 128_000 }),
  prices: fc
    .tuple(rate, fc.option(rate))
    .map(([prices, over]) => (over === null ? prices : { ...prices, over: { tokens: 200_000, ...over } })),
});
/** How much of the window a reply uses, how much of it is cached, how long it is, and how it ends. */
const reply = fc.record({
  input: fc.double({ min: 0, max: 1, noNaN: true }),
  cached: fc.double({ min: 0, max: 1, noNaN: true }),
  output: fc.double({ min: 0, max: 1, noNaN: true }),
  end: fc.constantFrom("whole", "whole", "whole", "empty"),
});
const run = fc.record({
  model,
  dollars: amount,
  /** Requests of the model and of its subagents at the same time. */
  atOnce: fc.integer({ min: 1, max: 3 }),
  replies: fc.array(reply, { minLength: 1, maxLength: 12 }),
});
const fleet = fc.record({
  budget: fc.option(amount),
  slots: fc.integer({ min: 1, max: 4 }),
  runs: fc.array(run, { minLength: 10, maxLength: 10 }),
});
type RandomRun = typeof run extends fc.Arbitrary<infer Value> ? Value : never;

it("is never passed by 1,000 random runs with empty replies, subagents and budgets", {
  tags: "slow",
}, async () => {
  await using folder = temporaryFolder();
  await using store = await openFleetStore({ file: `${folder.path}/fleet.sqlite` });
  await store.heartbeat(workerOf("worker-1"), []);
  const fleets = fc.sample(fleet, 100);
  const ended = await Promise.all(
    fleets.map(async ({ budget, slots, runs }, index) => {
      const name = `fleet-${index}`;
      const specs = runs.map(({ dollars }, task) =>
        specOf(`t${task}`, { fleet: name, model: `x/${task}`, limits: limitsOf(dollars) }),
      );
      const { added } = await store.submit(name, settingsWith({ budget }), specs);
      const waiting = runs.map((each, task) => ({ each, id: added[task]! }));
      const costs: number[] = [];
      const work = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
          costs.push(await workOn(store, name, next.id, next.each, budget));
      };
      await Promise.all(Array.from({ length: slots }, work));
      const mostOf = (id: string) => mostOfRequest(runs[Number(id.slice(2))]!.model);
      const most = mostCost(specs, { budget, atOnce: slots, mostOf })!;
      const cost = costs.reduce((sum, each) => sum + each, 0);
      const limits = Math.min(
        runs.reduce((sum, { dollars }) => sum + dollars, 0),
        budget ?? Number.POSITIVE_INFINITY,
      );
      return { cost, most, limits, spent: (await store.fleet(name))!.spent, count: costs.length };
    }),
  );
  expect(ended.reduce((sum, { count }) => sum + count, 0)).toBe(1_000);
  expect(ended.filter(({ cost, most }) => cost > most + 1e-9)).toEqual([]);
  // Every reply is charged to its fleet, too.
  expect(ended.filter(({ cost, spent }) => Math.abs(cost - spent) > 1e-6)).toEqual([]);
  // The sum of the limits, which the preview showed before, is not a bound.
  expect(ended.filter(({ cost, limits }) => cost > limits).length).toBeGreaterThan(10);
});

/** Makes requests as a session does, until the replies or the money are used up. Returns what they cost. */
async function workOn(
  store: FleetStore,
  fleetName: string,
  id: string,
  { model: facts, dollars, atOnce, replies }: RandomRun,
  budget: number | null,
): Promise<number> {
  const claimed = await store.claim(id, "worker-1");
  if (!claimed.claimed) throw new Error(`The run ${id} cannot be claimed.`);
  const left = replies.map((each) => each);
  const gate = new ModelGate({
    store,
    run: { id, fleet: fleetName },
    claim: claimed.claim,
    clock: new WorkClock(0),
    longestWaitMs: 60_000,
    firstPauseMs: 1,
  });
  const wrapped = gate.wrap(modelWith(facts, left));
  const spending = new Spending();
  const limit = Math.min(dollars, budget ?? Number.POSITIVE_INFINITY);
  const turns = new CostTurns(limit, () => spending.knownCost);
  const { signal } = new AbortController();
  const ask = async () => {
    while (left.length > 0 && gate.refusal === undefined) {
      const leave = await turns.enter(mostOfRequest(facts), signal);
      if (spending.knownCost >= limit || left.length === 0) return leave();
      try {
        for await (const event of wrapped.stream(request, signal))
          if (event.type === "finish") spending.add(event.usage, facts);
      } catch (error) {
        if (error instanceof ModelError && error.usage) spending.add(error.usage, facts);
      }
      leave();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, ask));
  return spending.knownCost;
}

const request: ModelRequest = { system: "", messages: [], tools: [] };

/** A model whose replies use as much as `replies` say. */
function modelWith(facts: ModelFacts, replies: RandomRun["replies"]): Model {
  return {
    id: "x/m",
    provider: "x",
    name: "m",
    facts,
    async *stream() {
      const { input, cached, output, end } = replies.shift()!;
      const tokens = Math.round(input * facts.contextTokens!);
      const usage: TokenUsage = {
        input: tokens,
        cached: Math.round(cached * tokens),
        cacheWritten: tokens - Math.round(cached * tokens),
        output: Math.round(output * facts.maxOutputTokens!),
        reasoning: 0,
      };
      yield { type: "part-start", id: "1", part: "text" };
      await new Promise(setImmediate);
      if (end === "empty") throw new ModelError("empty", "The reply is empty.", { usage });
      yield { type: "finish", reason: "stop", usage };
    },
  };
}
