/** @module-tag slow */
import * as api from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, afterEach, expect, it } from "vitest";
import type { AgentEvent, AgentEventBody } from "../../src/agent/event.ts";
import { SpanWriter } from "../../src/agent/telemetry.ts";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
api.trace.setGlobalTracerProvider(provider);

afterEach(() => exporter.reset());
afterAll(async () => {
  api.trace.disable();
  await provider.shutdown();
});

const usage = { input: 100, output: 20, cached: 60, cacheWritten: 10, reasoning: 5 };
const secret = "do not tell";
const began = Date.UTC(2026, 10, 16);

const happenings = {
  start: { type: "turn-start", turn: 1 },
  input: { type: "user-input", text: secret },
  round: { type: "round-start", round: 1 },
  text: { type: "text-end", id: "1", text: secret },
  retry: { type: "retry", attempt: 1, waitMs: 5, code: "server", message: secret },
  replied: { type: "reply-end", reason: "calls" },
  used: { type: "usage", usage, total: usage, cost: 0.5, context: { tokens: 120, window: null } },
  compaction: { type: "compaction", tokensBefore: 9, tokensAfter: 3 },
  failed: { type: "error", error: { code: "auth", message: secret, hint: null } },
} as const satisfies Record<string, AgentEventBody>;

function toolStart(id: string, name = "Read"): AgentEventBody {
  return { type: "tool-start", id, name, canonical: "file.read", input: { path: secret } };
}

function toolEnd(id: string, isError = false): AgentEventBody {
  return {
    type: "tool-end",
    id,
    name: "Read",
    canonical: "file.read",
    output: secret,
    shown: secret,
    isError,
    error: isError ? { code: "not-found", message: secret, hint: null } : null,
    data: null,
    callId: "call_1",
    durationMs: 1,
  };
}

function turnEnd(outcome: "completed" | "failed" = "completed"): AgentEventBody {
  return {
    type: "turn-end",
    turn: 1,
    outcome,
    text: secret,
    error: null,
    rounds: 1,
    calls: 2,
    usage,
    cost: null,
  };
}

type Happening = AgentEventBody | readonly [agent: string, happening: AgentEventBody];

/** One after the other, a second each. */
function write(...given: readonly Happening[]): readonly ReadableSpan[] {
  const writer = new SpanWriter(api, { session: "session_1", model: "google/gemini-x" });
  for (const [index, each] of given.entries()) {
    const [agent, happening] = "type" in each ? [undefined, each] : each;
    writer.take({
      session: "session_1",
      at: began + index * 1_000,
      ...(agent && { agent }),
      ...happening,
    } as AgentEvent);
  }
  writer.close();
  return exporter.getFinishedSpans();
}

it("names the target in every span", () => {
  const writer = new SpanWriter(api, {
    session: "session_1",
    model: "google/gemini-x",
    target: "ssh:host:/srv",
  });
  const { start, round } = happenings;
  for (const happening of [start, round, toolStart("1")])
    writer.take({ session: "session_1", at: began, ...happening } as AgentEvent);
  writer.close();
  const targets = exporter.getFinishedSpans().map(({ attributes }) => attributes["toolcrib.target"]);
  expect(targets).toEqual(Array(3).fill("ssh:host:/srv"));
});

/** "name: from–to, in its parent". */
function outline(spans: readonly ReadableSpan[]): readonly string[] {
  const named = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  return spans.map(({ name, startTime, endTime, parentSpanContext: parent }) => {
    const [from, to] = [startTime, endTime].map(([seconds]) => seconds - began / 1_000);
    return `${name}: ${from}–${to}${parent ? `, in ${named.get(parent.spanId)}` : ""}`;
  });
}

it("nests replies and calls in their turn, parallel where they ran in parallel", () => {
  const { start, input, round, text, replied, used } = happenings;
  const spans = write(
    start,
    input,
    round,
    text,
    replied,
    used,
    toolStart("a"),
    toolStart("b", "Grep"),
    toolEnd("b"),
    toolEnd("a", true),
    round,
    replied,
    used,
    turnEnd(),
  );
  expect(outline(spans)).toEqual([
    "chat gemini-x: 2–4, in invoke_agent toolcrib",
    "execute_tool Grep: 7–8, in invoke_agent toolcrib",
    "execute_tool Read: 6–9, in invoke_agent toolcrib",
    "chat gemini-x: 10–11, in invoke_agent toolcrib",
    "invoke_agent toolcrib: 0–13",
  ]);
  expect(spans.slice(0, 3).map(({ attributes, status, kind }) => ({ attributes, status, kind }))).toEqual([
    {
      kind: api.SpanKind.CLIENT,
      status: { code: api.SpanStatusCode.UNSET },
      attributes: {
        "gen_ai.conversation.id": "session_1",
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "gemini-x",
        "gen_ai.response.finish_reasons": ["calls"],
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 60,
        "gen_ai.usage.cache_creation.input_tokens": 10,
        "toolcrib.round": 1,
      },
    },
    expect.objectContaining({ status: { code: api.SpanStatusCode.UNSET } }),
    {
      kind: api.SpanKind.INTERNAL,
      status: { code: api.SpanStatusCode.ERROR },
      attributes: {
        "error.type": "not-found",
        "gen_ai.conversation.id": "session_1",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.call.id": "a",
        "gen_ai.tool.name": "Read",
        "gen_ai.tool.type": "function",
        "toolcrib.call": "call_1",
        "toolcrib.tool": "file.read",
      },
    },
  ]);
});

it("nests subagents in the turn of their parent, with their own usage", () => {
  const { start, round, replied, used } = happenings;
  const spans = write(
    start,
    round,
    ["agent_1", { type: "model", model: "openai/gpt-x", reasoning: null }],
    ["agent_1", start],
    ["agent_2", start],
    ["agent_1", round],
    used,
    ["agent_1/agent_3", start],
    ["agent_1/agent_3", turnEnd()],
    ["agent_1", replied],
    ["agent_1", used],
    ["agent_1", turnEnd()],
    ["agent_2", turnEnd()],
    turnEnd(),
  );
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const agents = spans.map(({ name, attributes, parentSpanContext }) => [
    name,
    attributes["gen_ai.agent.id"] ?? attributes["gen_ai.usage.input_tokens"],
    byId.get(parentSpanContext?.spanId ?? "")?.attributes["gen_ai.agent.id"],
  ]);
  expect(agents).toEqual([
    ["invoke_agent toolcrib", "session_1/agent_1/agent_3", "session_1/agent_1"],
    ["chat gpt-x", 100, "session_1/agent_1"],
    ["invoke_agent toolcrib", "session_1/agent_1", "session_1"],
    ["invoke_agent toolcrib", "session_1/agent_2", "session_1"],
    ["chat gemini-x", undefined, "session_1"],
    ["invoke_agent toolcrib", "session_1", undefined],
  ]);
});

it("reports errors, retries and compactions", () => {
  const { start, round, retry, compaction, failed } = happenings;
  const spans = write(start, compaction, round, retry, failed, turnEnd("failed"));
  expect(
    spans.map(({ name, status, attributes, events }) => [
      name,
      status.code === api.SpanStatusCode.ERROR,
      attributes["error.type"],
      events.map((event) => [event.name, event.attributes]),
    ]),
  ).toEqual([
    ["chat gemini-x", true, "auth", [["retry", { attempt: 1, "error.type": "server" }]]],
    ["invoke_agent toolcrib", true, "auth", [["compaction", { tokens_before: 9, tokens_after: 3 }]]],
  ]);
});

it("ends open spans when reporting stops, and contains no content", () => {
  const { start, input, round, text, retry, failed } = happenings;
  const spans = write(start, input, round, text, retry, failed, toolStart("a"));
  expect(spans.map(({ name, ended }) => [name, ended])).toEqual([
    ["execute_tool Read", true],
    ["chat gemini-x", true],
    ["invoke_agent toolcrib", true],
  ]);
  const given = spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
  expect(JSON.stringify(given)).not.toContain(secret);
});

it("nests a turn in the active span of the program", () => {
  const { start } = happenings;
  const outer = api.trace.getTracer("test").startSpan("program");
  const inProgram = api.trace.setSpan(api.ROOT_CONTEXT, outer);
  const manager = {
    active: () => inProgram,
    with: (_: api.Context, run: () => unknown) => run(),
    bind: (_: api.Context, target: unknown) => target,
    enable: () => manager,
    disable: () => manager,
  };
  api.context.setGlobalContextManager(manager as api.ContextManager);
  try {
    const [span] = write(start, turnEnd());
    expect(span?.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  } finally {
    api.context.disable();
  }
});
