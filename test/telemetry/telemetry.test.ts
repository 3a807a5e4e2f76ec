/** @module-tag slow */
import { trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, afterEach, expect, it } from "vitest";
import { startTelemetry } from "../../src/agent/telemetry.ts";
import { sessionOnLoopback } from "../agent/session-on-loopback.ts";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
trace.setGlobalTracerProvider(provider);

afterEach(() => exporter.reset());
afterAll(async () => {
  trace.disable();
  await provider.shutdown();
});

it("is off by default", async () => {
  const names = [undefined, true].map(async (telemetry) => {
    const { session, close } = await sessionOnLoopback([{ text: "Hello." }], { telemetry });
    await session.run("Hello?").result;
    await close();
    return exporter
      .getFinishedSpans()
      .filter(({ attributes }) => attributes["gen_ai.conversation.id"] === session.id).length;
  });
  expect(await Promise.all(names)).toEqual([0, 2]);
});

it("reports the turns of a session until it is stopped", async () => {
  const reads = (...paths: string[]) => paths.map((path) => ({ name: "file_read", input: { path } }));
  const { session, close } = await sessionOnLoopback(
    [
      { text: "Reading.", calls: reads("a.txt", "missing.txt"), usage: { input: 100, output: 10 } },
      { text: "It says hello." },
      { text: "Nobody hears." },
    ],
    { dialect: "toolcrib", files: { "a.txt": "hello\n" } },
  );
  const stop = await startTelemetry(session);
  await session.run("What does a.txt say?").result;
  stop();
  await session.run("And now?").result;
  const spans = exporter.getFinishedSpans();
  const [chat] = spans;
  expect(spans.map(({ name, attributes }) => `${name}: ${attributes["error.type"] ?? "ok"}`).sort()).toEqual([
    "chat gpt-5: ok",
    "chat gpt-5: ok",
    "execute_tool file_read: not-found",
    "execute_tool file_read: ok",
    "invoke_agent toolcrib: ok",
  ]);
  expect(chat?.attributes).toMatchObject({
    "gen_ai.conversation.id": session.id,
    "gen_ai.provider.name": "openai",
    "gen_ai.response.finish_reasons": ["calls"],
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.output_tokens": 10,
  });
  expect(JSON.stringify(spans.map(({ attributes, events }) => [attributes, events]))).not.toMatch(
    /hello|a\.txt/,
  );
  expect(await close()).toEqual([]);
});
