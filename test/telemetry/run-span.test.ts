/** @module-tag slow */
import { AsyncLocalStorage } from "node:async_hooks";
import * as api from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, afterEach, expect, it } from "vitest";
import { SpanWriter } from "../../src/agent/telemetry.ts";
import { inRunSpan } from "../../src/fleet/run-span.ts";
import { runWith } from "../support/fleet/fixtures.ts";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const contexts = new AsyncLocalStorage<api.Context>();
api.trace.setGlobalTracerProvider(provider);
// What NodeSDK registers, in its shortest form.
api.context.setGlobalContextManager({
  active: () => contexts.getStore() ?? api.ROOT_CONTEXT,
  with: (context, work, self, ...given) => contexts.run(context, () => work.apply(self as never, given)),
  bind: (_, target) => target,
  enable: () => undefined as never,
  disable: () => undefined as never,
});

afterEach(() => exporter.reset());
afterAll(async () => {
  api.trace.disable();
  api.context.disable();
  await provider.shutdown();
});

it("is the parent of the turns of its session, also when runs overlap", async () => {
  const both = Promise.withResolvers<void>();
  let begun = 0;
  const turn = async (session: string) => {
    if (++begun === 2) both.resolve();
    await both.promise;
    const writer = new SpanWriter(api, { session, model: "anthropic/claude-sonnet-5" });
    writer.take({ type: "turn-start", turn: 1, at: Date.now() } as never);
    writer.close();
    return { outcome: "solved" as const };
  };
  const runs = ["run_a", "run_b"].map((id) => runWith({ id, deliveries: 2 }));
  await Promise.all(runs.map((run) => inRunSpan(run, () => turn(`session of ${run.id}`))));
  const spans = exporter.getFinishedSpans();
  const parents = spans
    .filter(({ name }) => name === "invoke_agent toolcrib")
    .map(({ attributes, parentSpanContext }) => [
      attributes["gen_ai.conversation.id"],
      spans.find((span) => span.spanContext().spanId === parentSpanContext?.spanId)?.attributes[
        "toolcrib.fleet.run"
      ],
    ]);
  expect(parents.sort()).toEqual([
    ["session of run_a", "run_a"],
    ["session of run_b", "run_b"],
  ]);
  expect(spans.find(({ name }) => name === "fleet_run")?.attributes).toMatchObject({
    "toolcrib.fleet": "nightly",
    "toolcrib.fleet.delivery": 2,
    "toolcrib.fleet.outcome": "solved",
  });
});

it("ends with an error and without the message when the work throws", async () => {
  await expect(inRunSpan(runWith(), () => Promise.reject(new Error("secret")))).rejects.toThrow("secret");
  const [span] = exporter.getFinishedSpans();
  expect(span?.status).toEqual({ code: api.SpanStatusCode.ERROR });
});
