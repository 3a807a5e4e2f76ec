import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { type Model, ModelError } from "../../agent/index.ts";
import { estimateBrokenUsage } from "../../models/estimate-usage.ts";
import type { Admission } from "../fleet.ts";
import { ModelGate } from "./model-gate.ts";
import { WorkClock } from "./work-clock.ts";

/** A gate whose store gives these answers, in front of a model that refuses its first request. */
function gateOf(admissions: readonly Admission[]) {
  const clock = new WorkClock(0);
  const answers = [...admissions];
  let requests = 0;
  const gate = new ModelGate({
    store: {
      admit: async () => answers.shift() ?? { admitted: true, request: "request_1" },
      settle: async () => {},
      pauseLane: async () => {},
    },
    ...{ run: { id: "run_1", fleet: "f" }, claim: { run: "run_1", worker: "w", delivery: 1 }, clock },
    ...{ longestWaitMs: 1_000, firstPauseMs: 10 },
  });
  const model = gate.wrap({
    ...{ id: "openai/m", provider: "openai", facts: {} },
    stream: async function* () {
      requests += 1;
      if (requests === 1) throw new ModelError("rate-limit", "Too many requests.");
      yield { type: "finish", reason: "end", usage: noUsage };
    },
  } as unknown as Model);
  const ask = async () => {
    const request = { system: "", messages: [], tools: [] };
    for await (const _ of model.stream(request as never, new AbortController().signal));
  };
  return { clock, ask };
}

const noUsage = { input: 0, cached: 0, cacheWritten: 0, output: 0, reasoning: 0 };

it("stops the clock of a run from a refused request to the next one", async () => {
  const { clock, ask } = gateOf([]);
  await expect(ask()).rejects.toThrow("Too many requests.");
  const before = clock.elapsedMs;
  await pause(30);
  expect(clock.elapsedMs).toBe(before);
  await ask();
  await expect.poll(() => clock.elapsedMs).toBeGreaterThan(before);
});

it("stops the clock while a lane makes the run wait", async () => {
  const { clock, ask } = gateOf([{ admitted: false, why: "wait", waitMs: 1 }]);
  await expect(ask()).rejects.toThrow("Too many requests.");
  // Both pauses have ended when the next request begins.
  await ask();
  const before = clock.elapsedMs;
  await expect.poll(() => clock.elapsedMs).toBeGreaterThan(before);
});

it("settles an empty reply with what it used, and a reply that broke off with an estimate of what came", async () => {
  const settled: number[] = [];
  const used = { ...noUsage, input: 1_000, output: 10 };
  const ends = [
    new ModelError("empty", "The reply is empty.", { usage: used }),
    new ModelError("cut", "The reply was cut off."),
  ];
  const gate = new ModelGate({
    store: {
      admit: async () => ({ admitted: true, request: "request_1" }),
      settle: async (_request, { tokens }) => void settled.push(tokens),
      pauseLane: async () => {},
    },
    run: { id: "run_1", fleet: "f" },
    claim: { run: "run_1", worker: "w", delivery: 1 },
    clock: new WorkClock(0),
    longestWaitMs: 1_000,
    firstPauseMs: 10,
  });
  const model = gate.wrap({
    id: "openai/m",
    provider: "openai",
    facts: {},
    stream: async function* () {
      yield { type: "part-delta", id: "1", text: "four words came here" };
      throw ends.shift()!;
    },
  } as unknown as Model);
  const request = { system: "You help.", messages: [], tools: [] };
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const read = async () => {
      for await (const _ of model.stream(request, new AbortController().signal));
    };
    await expect(read()).rejects.toThrow(/empty|cut/);
  }
  const broken = estimateBrokenUsage(request, "four words came here");
  expect(settled).toEqual([1_010, broken.input + broken.output]);
});
