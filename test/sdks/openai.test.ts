/** @module-tag slow */
import OpenAI, { AuthenticationError, NotFoundError, OpenAIError, RateLimitError } from "openai";
import type {
  ResponseCreateParamsStreaming,
  ResponseInputItem,
  Tool,
} from "openai/resources/responses/responses";
import { afterEach, describe, expect, it } from "vitest";
import { patchGrammar } from "../../src/wire/openai.ts";
import { apiKey } from "../providers/protocol.ts";
import type {
  Fault,
  ProviderKind,
  ProviderOptions,
  ProviderServer,
  Script,
} from "../providers/provider-server.ts";
import { startProvider } from "../providers/start-provider.ts";

const servers: ProviderServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe("Responses", () => {
  it.each(["whole", "events", "bytes"] as const)("streams reasoning, text and calls: %s", async (chunks) => {
    const script = [
      {
        reasoning: "First this.\n\nThen that.",
        text: "Grüße an die 世界 🎉, in mehr als einem Stück.",
        calls: [
          { name: "read", input: { path: "a.txt" } },
          { name: "apply_patch", input: "*** Begin Patch\n*** End Patch\n" },
        ],
        usage: { input: 100, cached: 60, output: 50, reasoning: 20 },
      },
    ];
    const { client, server } = await start("openai", script, { chunks });
    const final = await client.responses.stream(question([user("Hello")])).finalResponse();
    expect(final.output_text).toBe("Grüße an die 世界 🎉, in mehr als einem Stück.");
    expect(final.output).toEqual([
      {
        id: "rs_1",
        type: "reasoning",
        summary: [
          { type: "summary_text", text: "First this." },
          { type: "summary_text", text: "Then that." },
        ],
        encrypted_content: expect.stringMatching(/^encrypted:1:/),
      },
      {
        id: "msg_1",
        type: "message",
        role: "assistant",
        status: "completed",
        phase: "commentary",
        content: [
          { type: "output_text", text: final.output_text, annotations: [], logprobs: [], parsed: null },
        ],
      },
      {
        id: "fc_1_2",
        type: "function_call",
        status: "completed",
        call_id: "call_1_1",
        name: "read",
        arguments: '{"path":"a.txt","limit":null}',
        parsed_arguments: { path: "a.txt", limit: null },
      },
      {
        id: "ctc_1_3",
        type: "custom_tool_call",
        status: "completed",
        call_id: "call_1_2",
        name: "apply_patch",
        input: "*** Begin Patch\n*** End Patch\n",
      },
    ]);
    expect(final.usage).toEqual({
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 20 },
      total_tokens: 150,
    });
    expect(server.breaches).toEqual([]);
  });

  it("sends every event in order", async () => {
    const script = [{ reasoning: "Hm.", text: "Yes.", calls: [{ name: "read", input: { path: "a" } }] }];
    const { client } = await start("openai", script);
    const events: unknown[] = [];
    for await (const event of await client.responses.create(question([user("Hello")])))
      events.push([event.sequence_number, event.type]);
    expect(events).toEqual(
      [
        "created",
        "in_progress",
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
      ].map((type, index) => [index, `response.${type}`]),
    );
  });

  it("continues over several rounds, and is read the same way for every provider", async () => {
    const { client, server } = await start("openai", [
      { reasoning: "Read.", calls: [{ name: "read", input: { path: "a.txt" } }] },
      { reasoning: "Patch.", text: "Patching.", calls: [{ name: "apply_patch", input: "*** Begin Patch" }] },
      { text: "Done." },
    ]);
    const input: ResponseInputItem[] = [{ role: "developer", content: "Be kind." }, user("Mend it")];
    for (const output of ["one line", "patched"]) {
      const { output: items } = await client.responses.stream(question(input)).finalResponse();
      input.push(...items.map(withoutParsed<ResponseInputItem>));
      for (const item of items)
        if (item.type === "function_call" || item.type === "custom_tool_call")
          input.push({ type: `${item.type}_output`, call_id: item.call_id, output } as ResponseInputItem);
    }
    const last = await client.responses.stream(question(input)).finalResponse();
    expect(last.output_text).toBe("Done.");
    expect(server.breaches).toEqual([]);
    const { system, messages, tools, reasoning, aborted } = server.requests[2]!;
    expect({ system, messages, tools, reasoning, aborted }).toEqual({
      system: "Be kind.",
      messages: [
        { role: "user", text: "Mend it" },
        {
          role: "assistant",
          text: "",
          calls: [{ id: "call_1_1", name: "read", input: { path: "a.txt", limit: null } }],
        },
        { role: "tool", text: "one line", id: "call_1_1" },
        {
          role: "assistant",
          text: "Patching.",
          calls: [{ id: "call_2_1", name: "apply_patch", input: "*** Begin Patch" }],
        },
        { role: "tool", text: "patched", id: "call_2_1" },
      ],
      tools: ["read", "apply_patch"],
      reasoning: "low",
      aborted: false,
    });
  });

  it.each([
    ["length", "max_output_tokens"],
    ["filtered", "content_filter"],
  ] as const)("ends incomplete: %s", async (finish, reason) => {
    const { client } = await start("openai", [{ text: "And so", finish }]);
    const { status, incomplete_details } = await client.responses
      .stream(question([user("Go")]))
      .finalResponse();
    expect({ status, incomplete_details }).toEqual({ status: "incomplete", incomplete_details: { reason } });
  });

  it("fails in the stream", async () => {
    const { client } = await start("openai", [{ text: "No", fault: "failed-reply" }]);
    const { status, error } = await client.responses.stream(question([user("Go")])).finalResponse();
    expect({ status, error }).toEqual({
      status: "failed",
      error: { code: "server_error", message: "The model failed to generate a response." },
    });
  });
});

describe("Chat Completions", () => {
  it.each(["whole", "events", "bytes"] as const)("streams text and calls: %s", async (chunks) => {
    const { client, server } = await start(
      "openai-chat",
      [
        {
          reasoning: "Hm.",
          text: "Grüße an die 世界 🎉, in mehr als einem Stück.",
          calls: [
            { name: "read", input: { path: "a.txt" } },
            { name: "read", input: { path: "b.txt" } },
          ],
          usage: { input: 100, cached: 60, output: 50, reasoning: 20 },
        },
      ],
      { chunks },
    );
    const stream = client.chat.completions.stream(chatQuestion([{ role: "user", content: "Hello" }]));
    const { choices, usage } = await stream.finalChatCompletion();
    const called = (id: string, path: string) => ({
      id,
      type: "function",
      function: { name: "read", arguments: JSON.stringify({ path }) },
    });
    expect(choices).toEqual([
      {
        index: 0,
        finish_reason: "tool_calls",
        logprobs: null,
        message: {
          role: "assistant",
          content: "Grüße an die 世界 🎉, in mehr als einem Stück.",
          reasoning_content: "Hm.",
          refusal: null,
          parsed: null,
          tool_calls: [called("call_1_1", "a.txt"), called("call_1_2", "b.txt")],
        },
      },
    ]);
    expect(usage).toEqual({
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 20 },
    });
    expect(server.breaches).toEqual([]);
  });

  it.each(["openai-chat", "openrouter"] as const)("continues over several rounds: %s", async (kind) => {
    const { client, server } = await start(kind, [
      { text: "Reading.", calls: [{ name: "read", input: { path: "a.txt" } }] },
      { calls: [{ name: "read", input: { path: "b.txt" } }] },
      { text: "Done." },
    ]);
    const messages: ChatMessages = [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Read them" },
    ];
    for (const content of ["one", "two"]) {
      const { message } = (
        await client.chat.completions.stream(chatQuestion(messages, kind)).finalChatCompletion()
      ).choices[0]!;
      const tool_calls = (message.tool_calls as FunctionCall[]).map(withoutParsed<FunctionCall>);
      messages.push({ role: "assistant", content: message.content, tool_calls });
      messages.push({ role: "tool", tool_call_id: tool_calls[0]!.id, content });
    }
    expect(await client.chat.completions.stream(chatQuestion(messages, kind)).finalContent()).toBe("Done.");
    expect(server.breaches).toEqual([]);
    const { system, messages: read, tools } = server.requests[2]!;
    expect({ system, read, tools }).toEqual({
      system: "Be kind.",
      read: [
        { role: "user", text: "Read them" },
        {
          role: "assistant",
          text: "Reading.",
          calls: [{ id: "call_1_1", name: "read", input: { path: "a.txt" } }],
        },
        { role: "tool", text: "one", id: "call_1_1" },
        { role: "assistant", text: "", calls: [{ id: "call_2_1", name: "read", input: { path: "b.txt" } }] },
        { role: "tool", text: "two", id: "call_2_1" },
      ],
      tools: ["read"],
    });
  });

  it("sends no usage unless requested", async () => {
    const { client } = await start("openai-chat", [{ text: "Yes." }]);
    const { stream_options, ...asked } = chatQuestion([{ role: "user", content: "Hello" }]);
    const { usage } = await client.chat.completions.stream(asked).finalChatCompletion();
    expect(usage).toBe(undefined);
  });

  it.each([
    "one-piece-arguments",
    "empty-arguments",
    "text-after-calls",
    "crlf",
    "comments",
    "no-usage",
  ] as const)("is read correctly with a quirk: %s", async (fault) => {
    const { client } = await start("openai-chat", [
      { text: "Yes.", calls: [{ name: "read", input: { path: "a" } }], fault },
    ]);
    const asked = chatQuestion([{ role: "user", content: "Hello" }]);
    const { choices } = await client.chat.completions.stream(asked).finalChatCompletion();
    const { content, tool_calls } = choices[0]!.message;
    const given = fault === "empty-arguments" ? "" : '{"path":"a"}';
    expect({ content, given: (tool_calls![0] as FunctionCall).function.arguments }).toEqual({
      content: "Yes.",
      given,
    });
  });
});

describe("OpenRouter", () => {
  it("sends reasoning in the format of each vendor", async () => {
    const { client } = await start("openrouter", [
      { reasoning: "Hm.", text: "Yes." },
      { reasoning: "Hm.", text: "Yes." },
    ]);
    const details: unknown[] = [];
    for (const model of ["anthropic/claude-sonnet-4.5", "openai/gpt-5"]) {
      const asked = {
        ...chatQuestion([{ role: "user", content: "Hello" }], "openrouter"),
        model,
        stream: true as const,
      };
      for await (const { choices } of await client.chat.completions.create(asked))
        details.push(...((choices[0]?.delta as { reasoning_details?: [] })?.reasoning_details ?? []));
    }
    const anthropic = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
    const openAi = { format: "openai-responses-v1", index: 0 };
    expect(details).toEqual([
      { ...anthropic, text: "Hm." },
      { ...anthropic, signature: "sealed:1:SG0u" },
      { ...openAi, type: "reasoning.summary", summary: "Hm." },
      { ...openAi, type: "reasoning.encrypted", data: "sealed:2:SG0u", id: "rs_2" },
    ]);
  });
});

describe.each(["openai", "openai-chat", "openrouter"] as const)("errors of %s", (kind) => {
  it("refuses a wrong key and an unknown model, and lists its models", async () => {
    const { client, server } = await start(kind, []);
    const stranger = clientOf(server, kind, "wrong");
    await expect(stranger.models.list()).rejects.toBeInstanceOf(AuthenticationError);
    await expect(ask(kind, client, "nobody")).rejects.toBeInstanceOf(NotFoundError);
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual(modelsOf[kind]);
    expect(server.breaches).toEqual([]);
  });

  it("sends the time to retry", async () => {
    const { client } = await start(kind, [
      { fault: { status: 429, retryAfter: "7" } },
      { fault: { status: 503 } },
    ]);
    const error: unknown = await ask(kind, client).catch((caught) => caught);
    expect(error).toBeInstanceOf(RateLimitError);
    expect((error as RateLimitError).headers.get("retry-after")).toBe("7");
    await expect(ask(kind, client)).rejects.toMatchObject({ status: 503 });
  });

  const faults: readonly Fault[] = ["cut-in-text", "cut-in-arguments", "drop-before-headers", "error-event"];
  it.each(faults)("fails: %s", async (fault) => {
    const calls = [{ name: "read", input: { path: "a.txt" } }];
    const { client, server } = await start(kind, [{ text: "A longer word or two", calls, fault }]);
    await expect(ask(kind, client)).rejects.toBeInstanceOf(OpenAIError);
    expect(server.requests.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it.each(["hang-before", "hang-during"] as const)(
    "detects that the client has disconnected: %s",
    async (fault) => {
      const { client, server } = await start(kind, [{ text: "A longer word or two", fault }]);
      const controller = new AbortController();
      const asking = ask(kind, client, undefined, controller.signal);
      await until(() => server.requests.length === 1);
      controller.abort();
      await expect(asking).rejects.toThrow();
      await until(() => server.requests[0]!.aborted);
    },
  );
});

const modelsOf: Readonly<Record<"openai" | "openai-chat" | "openrouter", readonly string[]>> = {
  openai: ["gpt-5", "gpt-5-mini"],
  "openai-chat": ["qwen3-coder", "qwen3-coder-small"],
  openrouter: ["anthropic/claude-sonnet-4.5", "openai/gpt-5"],
};

type Kind = keyof typeof modelsOf;
type FunctionCall = OpenAI.Chat.ChatCompletionMessageFunctionToolCall;
type ChatMessages = OpenAI.Chat.ChatCompletionMessageParam[];

async function start(kind: Kind, script: Script, options?: ProviderOptions) {
  const server = await startProvider(kind, script, options);
  servers.push(server);
  return { server, client: clientOf(server, kind) };
}

function clientOf(server: ProviderServer, kind: ProviderKind, key = apiKey): OpenAI {
  return new OpenAI({ apiKey: key, baseURL: server.settings.providers![kind]!.baseUrl!, maxRetries: 0 });
}

/** Returns any reply; throws when the SDK does. */
async function ask(
  kind: Kind,
  client: OpenAI,
  model = modelsOf[kind][0]!,
  signal?: AbortSignal,
): Promise<unknown> {
  const options = signal ? { signal } : {};
  if (kind === "openai") {
    const stream = client.responses.stream({ ...question([user("Hello")]), model }, options);
    return stream.finalResponse();
  }
  const asked = { ...chatQuestion([{ role: "user", content: "Hello" }], kind), model };
  return client.chat.completions.stream(asked, options).finalChatCompletion();
}

function question(input: ResponseInputItem[]): ResponseCreateParamsStreaming {
  return {
    model: "gpt-5",
    input: [...input],
    tools,
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    reasoning: { effort: "low", summary: "auto" },
  };
}

const tools: Tool[] = [
  {
    type: "function",
    name: "read",
    strict: true,
    parameters: {
      type: "object",
      properties: { path: { type: "string" }, limit: { type: ["number", "null"] } },
      required: ["path", "limit"],
      additionalProperties: false,
    },
  },
  {
    type: "custom",
    name: "apply_patch",
    format: { type: "grammar", syntax: "lark", definition: patchGrammar },
  },
];

function chatQuestion(messages: ChatMessages, kind: Kind = "openai-chat") {
  const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
  const asked = {
    model: modelsOf[kind][0]!,
    messages: [...messages],
    tools: [{ type: "function" as const, function: { name: "read", parameters } }],
    stream_options: { include_usage: true },
  };
  return kind === "openrouter" ? { ...asked, usage: { include: true } } : asked;
}

function user(content: string): ResponseInputItem {
  return { role: "user", content };
}

/** Fields that the SDK adds to items are not sent back. */
function withoutParsed<Item>(item: object): Item {
  return JSON.parse(JSON.stringify(item), (key, value) => (/^parsed/.test(key) ? undefined : value));
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}
