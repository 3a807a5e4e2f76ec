import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { Fault, ProviderOptions, ScriptedReply } from "../../../test/providers/provider-server.ts";
import { startProvider } from "../../../test/providers/start-provider.ts";
import { look } from "../../../test/support/models/look.ts";
import type { Message } from "../message.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { openModel } from "../open-model.ts";

it("queries the model's capabilities, and sets its context length", async () => {
  await using talk = await talkTo([{ text: "Hello." }], { models: ["qwen3:8b"] });
  const { model, server } = talk;
  expect([model.id, model.facts]).toEqual([
    "ollama/qwen3:8b",
    {
      contextTokens: 32_768,
      callsTools: true,
      seesImages: false,
      prices: { input: 0, output: 0 },
    },
  ]);
  const larger = await openModel("ollama/qwen3:8b", {
    providers: { ollama: { ...server.settings.providers?.ollama, contextTokens: 100_000 } },
  });
  const own = { "ollama/qwen3:8b": { contextTokens: 1_000_000, callsTools: false } };
  const largest = await openModel("ollama/qwen3:8b", { ...server.settings, models: own });
  expect([larger.facts.contextTokens, largest.facts]).toMatchObject([
    100_000,
    { contextTokens: 131_072, callsTools: false },
  ]);
  await talk.ask();
  expect(server.requests.at(-1)?.body).toMatchObject({ options: { num_ctx: 32_768 } });
});

it("sends the effort to gpt-oss, a flag to other thinking models, and nothing to the rest", async () => {
  const thought = [];
  for (const name of ["gpt-oss:20b", "qwen3:8b", "llama3.1"]) {
    await using talk = await talkTo([{ text: "a" }, { text: "b" }], { models: [name] });
    await talk.ask({ reasoning: "low" });
    talk.messages.push(
      { role: "assistant", model: talk.model.id, content: [{ type: "text", text: "a" }] },
      { role: "user", content: [{ type: "text", text: "And?" }] },
    );
    await talk.ask();
    thought.push(talk.server.requests.map(({ body }) => (body as { think?: unknown }).think));
  }
  expect(thought).toEqual([
    ["low", undefined],
    [true, undefined],
    [undefined, undefined],
  ]);
});

it("sets no context length and no price for remote models", async () => {
  const shown = {
    remote_host: "https://ollama.com:443",
    capabilities: ["completion", "tools"],
    model_info: { "general.architecture": "big", "big.context_length": 262_144 },
  };
  const bodies: { options?: object }[] = [];
  await using server = await answering(async (request, response) => {
    if (request.url === "/api/show") return void response.end(JSON.stringify(shown));
    bodies.push((await json(request)) as object);
    response.setHeader("content-type", "application/x-ndjson");
    response.end('{"message":{"role":"assistant","content":"Yes."},"done":true,"done_reason":"stop"}');
  });
  const model = await openModel("ollama/big:cloud", { providers: { ollama: { baseUrl: server.url } } });
  const events = await all(model, requestOf([]));
  expect([model.facts, bodies[0]?.options, events.at(-1)]).toEqual([
    { contextTokens: 262_144, callsTools: true, seesImages: false },
    {},
    {
      type: "finish",
      reason: "stop",
      usage: { input: 0, cached: 0, cacheWritten: 0, output: 0, reasoning: 0 },
    },
  ]);
});

describe("reads a streamed reply", () => {
  it.each<NonNullable<ProviderOptions["chunks"]>>(["whole", "events", "bytes"])(
    "in chunks of %s",
    async (chunks) => {
      const calls = [
        { name: "look", input: { path: "é.ts" } },
        { name: "look", input: { path: "b.ts" } },
      ];
      await using talk = await talkTo(
        [
          { reasoning: "Hm, é.", text: "I look 😀.", calls, usage: { input: 50, output: 7 } },
          { text: "Done." },
        ],
        { models: ["qwen3:8b"], chunks },
      );
      const first = await talk.ask({ reasoning: "high" });
      expect(joined(first)).toEqual([
        { type: "part-start", id: "reasoning_1", part: "reasoning" },
        { type: "part-delta", id: "reasoning_1", text: "Hm, é." },
        { type: "part-end", id: "reasoning_1" },
        { type: "part-start", id: "text_2", part: "text" },
        { type: "part-delta", id: "text_2", text: "I look 😀." },
        { type: "part-end", id: "text_2" },
        { type: "call-start", id: expect.any(String), name: "look" },
        { type: "call", call: callOf("é.ts") },
        { type: "call-start", id: expect.any(String), name: "look" },
        { type: "call", call: callOf("b.ts") },
        {
          type: "finish",
          reason: "calls",
          usage: { input: 50, cached: 0, cacheWritten: 0, output: 7, reasoning: 0 },
        },
      ]);
      const made = first.flatMap((event) => (event.type === "call" ? [event.call] : []));
      talk.messages.push(
        {
          role: "assistant",
          model: talk.model.id,
          content: [{ type: "reasoning", text: "Hm, é." }, { type: "text", text: "I look 😀." }, ...made],
        },
        {
          role: "tool",
          answers: made.map(({ id, name }) => ({ id, name, content: "x", isError: false, images: [] })),
        },
      );
      await talk.ask({ reasoning: "low" });
      const [asked, again] = talk.server.requests.map(({ body }) => body as Record<string, unknown>);
      expect([asked?.think, again?.think, again?.messages]).toEqual([
        true,
        true,
        [
          { role: "system", content: "You help." },
          { role: "user", content: "Look." },
          {
            role: "assistant",
            content: "I look 😀.",
            thinking: "Hm, é.",
            tool_calls: [
              { function: { name: "look", arguments: { path: "é.ts" } } },
              { function: { name: "look", arguments: { path: "b.ts" } } },
            ],
          },
          { role: "tool", content: "x", tool_name: "look" },
          { role: "tool", content: "x", tool_name: "look" },
        ],
      ]);
    },
  );
});

it("sends images to models with vision, and a note to others", async () => {
  const image = { mediaType: "image/png", base64: "aGk=" };
  const conversation: Message[] = [
    {
      role: "user",
      content: [
        { type: "text", text: "See:" },
        { type: "image", ...image },
      ],
    },
    {
      role: "assistant",
      model: "openai/gpt",
      content: [
        { type: "reasoning", text: "hidden" },
        { type: "call", id: "1", name: "look", input: { ok: false, given: "{", problem: "cut" } },
      ],
    },
    { role: "tool", answers: [{ id: "1", name: "look", content: "", isError: false, images: [image] }] },
  ];
  const seen = [];
  for (const name of ["qwen3-vl:8b", "qwen3:8b"]) {
    await using talk = await talkTo([{ text: "Yes." }], { models: [name] });
    talk.messages.splice(0, 1, ...conversation);
    await talk.ask();
    const [asked] = talk.server.requests.map(({ body }) => body as { messages: unknown[] });
    seen.push(asked?.messages.slice(1));
  }
  const assistant = {
    role: "assistant",
    content: "",
    tool_calls: [{ function: { name: "look", arguments: {} } }],
  };
  const leftOut = "[Image omitted: this model cannot see images.]";
  expect(seen).toEqual([
    [
      { role: "user", content: "See:", images: ["aGk="] },
      assistant,
      { role: "tool", content: "", tool_name: "look" },
      { role: "user", content: "From look:", images: ["aGk="] },
    ],
    [
      { role: "user", content: `See:\n${leftOut}` },
      assistant,
      { role: "tool", content: leftOut, tool_name: "look" },
    ],
  ]);
});

describe("classifies the error when", () => {
  it.each<[string, Fault, object]>([
    ["the connection broke", "cut-in-text", { code: "cut" }],
    ["the stream ends early", "no-terminal-event", { code: "cut" }],
    ["the stream ends within the text", "end-in-text", { code: "cut" }],
    ["the reply is empty", "empty", { code: "empty" }],
    ["the stream contains an error", "error-event", { code: "server" }],
    ["the connection is dropped before a response", "drop-before-headers", { code: "network" }],
    [
      "the server is busy",
      { status: 429, retryAfter: "2", body: { error: "too many" } },
      { code: "rate-limit", retryAfterMs: 2_000, message: "too many" },
    ],
    ["the server fails", { status: 503, body: { error: "busy" } }, { code: "server", message: "busy" }],
    [
      "the model does not fit into memory",
      { status: 500, body: { error: "model requires more system memory (9 GiB) than is available" } },
      {
        code: "bad-request",
        hint: "Use a smaller model, or set a smaller `contextTokens` for it in models.json.",
      },
    ],
    [
      "the model does not support tools",
      { status: 400, body: { error: "registry.ollama.ai/library/x does not support tools" } },
      { code: "bad-request", hint: "Use the text protocol: --protocol text" },
    ],
    ["the key is wrong", { status: 401, body: { error: "unauthorized" } }, { code: "auth" }],
  ])("%s", async (_, fault, expected) => {
    await using talk = await talkTo([{ text: "Hello there.", fault }], { models: ["qwen3:8b"] });
    await expect(talk.ask()).rejects.toMatchObject(expected);
  });

  it("classifies a missing model and a missing server", async () => {
    await using talk = await talkTo([], { models: ["qwen3:8b"] });
    const { settings } = talk.server;
    const missing = await openModel("ollama/llama9", settings).catch((error) => error);
    await talk.server.close();
    const dead = await openModel("ollama/qwen3:8b", settings).catch((error) => error);
    const forbidden = { providers: { ollama: { baseUrl: "http://127.0.0.1:9" } } };
    const never = await openModel("ollama/qwen3:8b", forbidden).catch((error) => error);
    const hint = "Run: ollama serve (or set OLLAMA_HOST to its address)";
    expect([missing, dead, never].map(({ code, message, hint }) => ({ code, message, hint }))).toEqual([
      { code: "not-found", message: "model 'llama9' not found", hint: "Run: ollama pull llama9" },
      {
        code: "network",
        message: expect.stringContaining(`Cannot connect to ${talk.server.url}: `),
        hint,
      },
      { code: "network", message: "Cannot connect to http://127.0.0.1:9: bad port", hint },
    ]);
  });
});

it("reports a call that the server could not parse to the model, instead of retrying", async () => {
  const words = "error parsing tool call: raw='{\"a', err=unexpected end of JSON input";
  const fault = { status: 500, body: { error: words } };
  await using talk = await talkTo([{ fault }], { models: ["qwen3:8b"] });
  expect(await talk.ask()).toEqual([
    {
      type: "fault",
      message: `Your tool call could not be parsed and was not made: ${words}\nMake it again with one JSON object as arguments.`,
    },
    {
      type: "finish",
      reason: "stop",
      usage: { input: 0, cached: 0, cacheWritten: 0, output: 0, reasoning: 0 },
    },
  ]);
});

it("warns once that Ollama has dropped part of the conversation", async () => {
  await using talk = await talkTo(
    [12_000, 2_000, 1_500].map((input) => ({ text: "Yes.", usage: { input } })),
    { models: ["qwen3:8b"] },
  );
  const warnings = [];
  for (const text of ["x ".repeat(20_000), "more", "and more"]) {
    talk.messages.push({ role: "user", content: [{ type: "text", text }] });
    const events = await talk.ask();
    warnings.push(events.flatMap((event) => (event.type === "warning" ? [event.message] : [])));
  }
  expect(warnings).toEqual([
    [],
    [
      "Ollama read only 2000 of 32768 tokens and dropped part of the conversation. Set a larger `contextTokens` for ollama/qwen3:8b in models.json, or compact the conversation.",
    ],
    [],
  ]);
});

describe("ends at once when it is aborted", () => {
  it.each<Fault>(["hang-before", "hang-during"])("during a %s", async (fault) => {
    await using talk = await talkTo([{ text: "Hello there.", fault }], { models: ["qwen3:8b"] });
    const stop = new AbortController();
    const reason = new Error("enough");
    setTimeout(() => stop.abort(reason), 50);
    await expect(talk.ask({}, stop.signal)).rejects.toBe(reason);
  });

  it("when the reader stops", async () => {
    await using talk = await talkTo([{ text: "Hello there.", fault: "hang-during" }], {
      models: ["qwen3:8b"],
    });
    for await (const event of talk.stream()) if (event.type === "part-delta") break;
    await expect.poll(() => talk.server.requests[0]?.aborted).toBe(true);
  });
});

it("never lets the client print unreadable lines", async () => {
  const bodies = [
    "<html>busy</html>",
    '{"message":{"content":"a"}}\nnonsense\n',
    '{"message": {"conte',
    "<html>Log in</html>",
    '{"message":{"content":5},"done":true}',
    '{"message":{"tool_calls":[{"function":{"arguments":{}}}]},"done":true}',
    '{"message":{"tool_calls":[null]},"done":true}',
  ];
  const count = bodies.length;
  await using server = await answering((request, response) => {
    if (request.url === "/api/show") return void response.end(JSON.stringify({ capabilities: [] }));
    const body = bodies.shift()!;
    const isPage = body.startsWith("<");
    response.writeHead(body.includes("busy") ? 502 : 200, {
      "content-type": isPage ? "text/html" : "application/x-ndjson",
    });
    response.end(body);
  });
  const printed: unknown[] = [];
  const { log, warn } = console;
  const note = (...words: unknown[]) => printed.push(words);
  Object.assign(console, { log: note, warn: note });
  try {
    const model = await openModel("ollama/x", { providers: { ollama: { baseUrl: server.url } } });
    const kinds = [];
    for (let round = 0; round < count; round += 1) {
      const error = await all(model, requestOf([])).catch((thrown) => thrown);
      kinds.push(error instanceof ModelError ? `${error.code}: ${error.message}` : error);
    }
    expect([kinds, printed]).toEqual([
      [
        "server: <html>busy</html>",
        "cut: The reply was cut off: a line of it is not JSON.",
        "cut: The reply was cut off: a line of it is not JSON.",
        "cut: The reply was cut off: a line of it is not JSON.",
        "cut: The reply was cut off: a line of it is not in Ollama's format.",
        "cut: The reply was cut off: a line of it is not in Ollama's format.",
        "cut: The reply was cut off: a line of it is not in Ollama's format.",
      ],
      [],
    ]);
  } finally {
    Object.assign(console, { log, warn });
  }
});

it("suggests checking the address when another server answers", async () => {
  const bodies = ["<html>Hello</html>", "null"];
  await using server = await answering((_, response) => void response.end(bodies.shift()));
  const settings = { providers: { ollama: { baseUrl: server.url } } };
  await expect(openModel("ollama/x", settings)).rejects.toEqual(
    expect.objectContaining({
      code: "not-found",
      message: `${server.url} did not return JSON.`,
      hint: `Check that ${server.url} is the address of Ollama.`,
    }),
  );
  expect((await openModel("ollama/x", settings)).facts.contextTokens).toBe(32_768);
});

it("reads replies of servers that do not count tokens and send null instead of calls", async () => {
  await using server = await answering((request, response) => {
    if (request.url === "/api/show") return void response.end("{}");
    const message = { role: "assistant", content: "Hello.", tool_calls: null };
    response.end(JSON.stringify({ message, done: true, eval_count: null, prompt_eval_count: "12" }));
  });
  const model = await openModel("ollama/x", { providers: { ollama: { baseUrl: server.url } } });
  expect(await all(model, requestOf([]))).toEqual([
    { type: "part-start", id: "text_1", part: "text" },
    { type: "part-delta", id: "text_1", text: "Hello." },
    { type: "part-end", id: "text_1" },
    {
      type: "finish",
      reason: "stop",
      usage: { input: 0, cached: 0, cacheWritten: 0, output: 0, reasoning: 0 },
    },
  ]);
});

async function answering(answer: RequestListener) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function requestOf(messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: "You help.", messages: [...messages], tools: [look], ...more };
}

async function talkTo(script: readonly ScriptedReply[], options: ProviderOptions) {
  const server = await startProvider("ollama", script, options);
  const model = await openModel(server.model, server.settings);
  const messages: Message[] = [{ role: "user", content: [{ type: "text", text: "Look." }] }];
  return {
    server,
    model,
    messages,
    ask: (more: Partial<ModelRequest> = {}, signal?: AbortSignal) =>
      all(model, requestOf(messages, more), signal),
    stream: () => model.stream(requestOf(messages), new AbortController().signal),
    async [Symbol.asyncDispose]() {
      await server.close();
      expect(server.breaches).toEqual([]);
    },
  };
}

async function all(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, signal)) events.push(event);
  return events;
}

/** Joins the deltas of one part. */
function joined(events: readonly ModelEvent[]): readonly ModelEvent[] {
  const together: ModelEvent[] = [];
  for (const event of events) {
    const last = together.at(-1);
    if (event.type === "part-delta" && last?.type === "part-delta" && last.id === event.id)
      together[together.length - 1] = { ...last, text: last.text + event.text };
    else together.push(event);
  }
  return together;
}

function callOf(path: string) {
  return { type: "call", id: expect.any(String), name: "look", input: { ok: true, value: { path } } };
}
