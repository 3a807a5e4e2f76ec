import { type ChatRequest, type Message, Ollama } from "ollama";
import { describe, expect, it } from "vitest";
import type { Json } from "./json.ts";
import type { ProviderServer, ScriptedReply } from "./provider-server.ts";
import { started } from "./started.ts";

const reading: ScriptedReply = {
  reasoning: "The file 世界.txt first.",
  text: "Grüße 🎉, in more than one piece.",
  calls: [
    { name: "read", input: { path: "世界.txt", offset: 3 } },
    { name: "now", input: {} },
  ],
  usage: { input: 100, output: 50 },
};

const tools = ["read", "now"].map((name) => ({
  type: "function",
  function: {
    name,
    description: name,
    parameters: { type: "object", properties: { path: { type: "string" } } },
  },
}));

describe("the official client", () => {
  it.each(["whole", "events", "bytes"] as const)("reads a reply that arrives in %s", async (chunks) => {
    const server = await started("ollama", [reading], { chunks });
    const { message, last } = await ask(server);
    expect(message).toEqual({
      role: "assistant",
      thinking: "The file 世界.txt first.",
      content: "Grüße 🎉, in more than one piece.",
      tool_calls: [
        { function: { index: 0, name: "read", arguments: { path: "世界.txt", offset: 3 } } },
        { function: { index: 1, name: "now", arguments: {} } },
      ],
    });
    expect(last).toMatchObject({ done: true, done_reason: "stop", prompt_eval_count: 100, eval_count: 50 });
    expect(server.breaches).toEqual([]);
  });

  it("continues over several rounds", async () => {
    const script: ScriptedReply[] = [
      reading,
      { reasoning: "Again.", calls: [{ name: "now", input: {} }] },
      { text: "Done." },
    ];
    const server = await started("ollama", script);
    const messages: Message[] = [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Read it" },
    ];
    for (const content of ["one", "two"]) {
      const { message } = await ask(server, { messages });
      const answers = message.tool_calls!.map((call) => ({
        role: "tool",
        content,
        tool_name: call.function.name,
      }));
      messages.push(message, ...answers);
    }
    expect((await ask(server, { messages })).message).toEqual({ role: "assistant", content: "Done." });
    expect(server.breaches).toEqual([]);
    const { system, messages: seen, tools: offered, reasoning, aborted } = server.requests[2]!;
    expect({ system, seen, offered, reasoning, aborted }).toEqual({
      system: "Be kind.",
      seen: [
        { role: "user", text: "Read it" },
        {
          role: "assistant",
          text: "Grüße 🎉, in more than one piece.",
          calls: [
            { id: "call_1", name: "read", input: { path: "世界.txt", offset: 3 } },
            { id: "call_2", name: "now", input: {} },
          ],
        },
        { role: "tool", text: "one", id: "call_1" },
        { role: "tool", text: "one", id: "call_2" },
        { role: "assistant", text: "", calls: [{ id: "call_3", name: "now", input: {} }] },
        { role: "tool", text: "two", id: "call_3" },
      ],
      offered: ["read", "now"],
      reasoning: "true",
      aborted: false,
    });
  });

  it("is informed of a cut reply, but not of a cut prompt", async () => {
    const script: ScriptedReply[] = [
      { text: "Hel", finish: "length" },
      { calls: [{ name: "read", input: {}, raw: '{"path' }], finish: "length" },
      { text: "Hello", usage: { input: 9000 } },
      { text: "Hello", usage: { input: 9000 }, fault: "no-usage" },
      { fault: "empty" },
    ];
    const server = await started("ollama", script);
    const ends: unknown[] = [];
    for (const _ of script) {
      const { message, last } = await ask(server);
      ends.push([message.content, last.done_reason, last.prompt_eval_count]);
    }
    expect(ends).toEqual([
      ["Hel", "length", expect.any(Number)],
      ["", "length", expect.any(Number)],
      ["Hello", "stop", 8192],
      ["Hello", "stop", undefined],
      ["", "stop", expect.any(Number)],
    ]);
  });

  it.each<[ScriptedReply, RegExp, number?]>([
    [{ fault: { status: 429, retryAfter: "7" } }, /Rate limit/, 429],
    [{ fault: { status: 500 } }, /The server had an error/, 500],
    [{ fault: { status: 503, body: { error: "server busy, please try again" } } }, /server busy/, 503],
    [
      { calls: [{ name: "read", input: {}, raw: "{path" }] },
      /^error parsing tool call: raw='{path', err=/,
      500,
    ],
    [
      { text: "Hm.", calls: [{ name: "read", input: {}, raw: "{path" }] },
      /^error parsing tool call: raw='{path'/,
    ],
    [{ fault: "error-event" }, /an error was encountered while running the model/],
    [{ fault: "cut-in-text" }, /terminated/],
    [{ fault: "cut-in-arguments" }, /terminated/],
    [{ fault: "no-terminal-event" }, /Did not receive done/],
    [{ fault: "end-in-text" }, /Did not receive done/],
    [{ fault: "drop-before-headers" }, /fetch failed/],
  ])("fails at %j", async (reply, words, status) => {
    const server = await started("ollama", [{ ...(reply.calls ? {} : reading), ...reply }]);
    const error = await ask(server).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toMatch(words);
    expect(error.status_code).toBe(status);
    expect(server.breaches).toEqual([]);
  });

  it.each(["hang-before", "hang-during"] as const)("is aborted at %s", async (fault) => {
    const server = await started("ollama", [{ ...reading, fault }]);
    const controller = new AbortController();
    const fetchWithSignal: typeof fetch = (input, init) =>
      fetch(input, { ...init, signal: controller.signal });
    const client = new Ollama({ host: server.url, fetch: fetchWithSignal });
    const failed = ask(server, {}, client).catch((error: Error) => error.message);
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    expect(await failed).toMatch(/abort/i);
    await expect.poll(() => server.requests[0]!.aborted).toBe(true);
  });

  it("lists models and their capabilities, and gets an error for an unknown one", async () => {
    const server = await started("ollama", []);
    const client = clientOf(server);
    const { models } = await client.list();
    const abilities = await Promise.all(
      models.map(async ({ name }) => [name, (await client.show({ model: name })).capabilities]),
    );
    expect(abilities).toEqual([
      ["qwen3:8b", ["completion", "tools", "thinking"]],
      ["gpt-oss:20b", ["completion", "tools", "thinking"]],
      ["qwen3-vl:8b", ["completion", "vision", "tools", "thinking"]],
      ["gemma3:4b", ["completion", "vision"]],
    ]);
    const { model_info } = (await client.show({ model: "gpt-oss:20b" })) as Json;
    expect(model_info).toEqual({ "general.architecture": "gptoss", "gptoss.context_length": 131_072 });
    await expect(client.show({ model: "none" })).rejects.toThrow("model 'none' not found");
    await expect(ask(server, { model: "none" })).rejects.toThrow("model 'none' not found");
    expect(server.breaches).toEqual([]);
  });
});

describe("the request checks", () => {
  async function refused(change: (body: Json) => void) {
    const server = await started("ollama", [reading, { text: "Done." }]);
    const { message } = await ask(server);
    const body = structuredClone(server.requests[0]!.body) as Json;
    body.messages.push(message, answer("read"), answer("now"));
    change(body);
    const response = await fetch(`${server.url}/api/chat`, { method: "POST", body: JSON.stringify(body) });
    await response.text();
    const sentences = server.breaches.map((breach) => breach.replace(/^Request 2: /, ""));
    return { status: response.status, sentences };
  }

  it("accept a valid request", async () => {
    expect(await refused(() => {})).toEqual({ status: 200, sentences: [] });
    expect(await refused((body) => body.messages.push({ role: "user", content: "Hurry" }))).toEqual({
      status: 200,
      sentences: [],
    });
  });

  it("allow images for a model with vision", async () => {
    const server = await started("ollama", [{ text: "A cat." }]);
    const messages = [{ role: "user", content: "", images: ["iVBORw0KGgo="] }];
    await ask(server, { model: "qwen3-vl:8b", messages });
    expect(server.breaches).toEqual([]);
  });

  it.each<[string, (body: Json) => void, ...RegExp[]]>([
    ["an unknown field", (body) => (body.tool_choice = "auto"), /'tool_choice'/],
    ["no stream", (body) => (body.stream = false), /^stream:/],
    [
      "a context too small for the conversation",
      (body) => delete body.options.num_ctx,
      /num_ctx: is not set/,
      /The head has changed/,
    ],
    ["a changed context length", (body) => (body.options.num_ctx = 4096), /The head has changed/],
    ["an unknown thinking option", (body) => (body.think = "hard"), /invalid think value: hard/],
    [
      "tools for a model without tool calls",
      other("gemma3:4b"),
      /"gemma3:4b" does not support thinking/,
      /does not support tools/,
    ],
    [
      "an image for a model without vision",
      shown("iVBORw0KGgo="),
      /missing data required for image input/,
      /Message 0/,
    ],
    ["an invalid image", (body) => other("qwen3-vl:8b", shown("?"))(body), /illegal base64/, /Message 0/],
    ["a duplicate tool", (body) => body.tools.push(body.tools[0]), /read is there twice/, /The head/],
    ["an invalid tool", (body) => (body.tools[0].type = "custom"), /custom is not a function/, /The head/],
    ["a name with a dot", (body) => (body.tools[0].function.name = "a.b"), /name a.b/, /The head/],
    [
      "a schema that is not an object",
      (body) => (body.tools[0].function.parameters = { type: "string" }),
      /arguments are no object/,
      /The head/,
    ],
    ["no messages", (body) => (body.messages = []), /there are none/],
    ["no tools", (body) => delete body.tools, /tools: must be given/, /The head/],
    ["an unknown role", (body) => (body.messages[0].role = "person"), /person is not a role/, /Message 0/],
    ["content in parts", (body) => (body.messages[3].content = []), /content: is not text/],
    ["an unknown message field", (body) => (body.messages[3].name = "read"), /'tool.name'/],
    [
      "an empty message",
      (body) => body.messages.push({ role: "user", content: "" }),
      /the user says nothing/,
    ],
    [
      "an empty reply",
      (body) => body.messages.push({ role: "assistant", content: "" }, { role: "user", content: "Hm" }),
      /the assistant says nothing/,
    ],
    [
      "a late system message",
      (body) => body.messages.splice(4, 0, { role: "system", content: "Hm" }),
      /comes first/,
      /the last one/,
    ],
    [
      "a final assistant message",
      (body) => body.messages.push({ role: "assistant", content: "Well" }),
      /the last one/,
    ],
    ["a changed message", (body) => (body.messages[0].content = "Write it"), /Message 0 has changed/],
    ["an unanswered call", (body) => body.messages.pop(), /^messages: 1 calls are not answered/],
    [
      "a call left unanswered before another message",
      (body) => (body.messages[3] = { role: "user", content: "Never mind" }),
      /messages\[3\]: 1 calls before it are not answered/,
    ],
    ["a call answered twice", (body) => body.messages.push(answer("now")), /an answer without a call/],
    [
      "answers in another order",
      (body) => body.messages.push(body.messages.splice(2, 1)[0]),
      /answers a/,
      /answers a/,
    ],
    [
      "arguments as text",
      (body) => (body.messages[1].tool_calls[0].function.arguments = "{}"),
      /cannot unmarshal string/,
      /have changed/,
    ],
    ["changed arguments", (body) => (body.messages[1].tool_calls[0].function.arguments = {}), /have changed/],
    ["missing reasoning", (body) => delete body.messages[1].thinking, /have changed/],
  ])("refuse %s", async (_, change, ...expected) => {
    const { status, sentences } = await refused(change);
    expect({ status, sentences }).toEqual({
      status: 400,
      sentences: expected.map((sentence) => expect.stringMatching(sentence)),
    });
  });
});

function other(model: string, change: (body: Json) => void = () => {}) {
  return (body: Json) => {
    body.model = model;
    change(body);
  };
}

function shown(image: string) {
  return (body: Json) => {
    body.messages[0].images = [image];
  };
}

function answer(tool_name: string): Message {
  return { role: "tool", content: "fine", tool_name };
}

/** Joins a reply, and returns its last line. */
async function ask(server: ProviderServer, request: Partial<ChatRequest> = {}, client = clientOf(server)) {
  const message: Message = { role: "assistant", content: "" };
  let last: Json;
  const stream = await client.chat({
    model: "qwen3:8b",
    messages: [{ role: "user", content: "Read it" }],
    think: true,
    options: { num_ctx: 8192 },
    tools,
    ...request,
    stream: true,
  });
  for await (const chunk of stream) {
    const { thinking, content, tool_calls } = chunk.message;
    message.content += content;
    if (thinking) message.thinking = (message.thinking ?? "") + thinking;
    if (tool_calls) message.tool_calls = [...(message.tool_calls ?? []), ...tool_calls];
    last = chunk;
  }
  return { message, last };
}

function clientOf({ url }: ProviderServer): Ollama {
  return new Ollama({ host: url });
}
