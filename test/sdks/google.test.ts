/** @module-tag slow */
import { ApiError, type Content, GoogleGenAI, type Part } from "@google/genai";
import { describe, expect, it } from "vitest";
import type { Json } from "../providers/json.ts";
import { apiKey } from "../providers/protocol.ts";
import type { Fault, ProviderServer, ScriptedReply } from "../providers/provider-server.ts";
import { started } from "../providers/started.ts";

const reading: ScriptedReply = {
  reasoning: "The file 世界.txt first.",
  text: "Grüße 🎉, in more than one piece.",
  calls: [
    { name: "read", input: { path: "世界.txt", offset: 3 } },
    { name: "now", input: {} },
  ],
  usage: { input: 100, cached: 60, output: 50, reasoning: 20 },
};

const functionDeclarations = [
  {
    name: "read",
    description: "Reads a file.",
    parametersJsonSchema: {
      type: "object",
      properties: { path: { type: "string" }, offset: { type: "integer", minimum: 1 } },
      required: ["path"],
      additionalProperties: false,
    },
  },
  { name: "now", description: "Tells the time." },
];

describe("the official client", () => {
  it.each(["whole", "events", "bytes"] as const)("reads a reply that arrives in %s", async (chunks) => {
    const server = await started("google", [reading], { chunks });
    const { parts, finishReason, usage } = await ask(server);
    expect(joined(parts)).toEqual([
      { text: "The file 世界.txt first.", thought: true },
      { text: "Grüße 🎉, in more than one piece." },
      {
        functionCall: { id: "call_1_1", name: "read", args: { path: "世界.txt", offset: 3 } },
        thoughtSignature: expect.stringMatching(/^.{176}$/),
      },
      { functionCall: { id: "call_1_2", name: "now", args: {} } },
    ]);
    expect({ finishReason, usage }).toEqual({
      finishReason: "STOP",
      usage: {
        promptTokenCount: 100,
        cachedContentTokenCount: 60,
        candidatesTokenCount: 30,
        thoughtsTokenCount: 20,
        totalTokenCount: 150,
      },
    });
    expect(server.breaches).toEqual([]);
  });

  it("continues over several rounds, with parts merged or not", async () => {
    const script: ScriptedReply[] = [
      reading,
      { calls: [{ name: "now", input: {} }], fault: "no-ids" },
      { text: "It is noon." },
      { text: "Done." },
    ];
    const server = await started("google", script);
    const contents: Content[] = [user({ text: "Read it" })];
    for (const answer of ["one", "two"]) {
      const { parts } = await ask(server, contents);
      const answers = parts.flatMap(({ functionCall }) =>
        functionCall
          ? [{ functionResponse: { ...withoutArgs(functionCall), response: { output: answer } } }]
          : [],
      );
      contents.push({ role: "model", parts: withoutEmpty(parts) }, user(...answers));
    }
    const { parts } = await ask(server, contents);
    contents.push({ role: "model", parts: joined(parts) }, user({ text: "Well?" }));
    expect((await ask(server, contents)).finishReason).toBe("STOP");
    expect(server.breaches).toEqual([]);
    const { system, messages: seen, tools, reasoning, aborted } = server.requests[3]!;
    expect({ system, seen, tools, reasoning, aborted }).toEqual({
      system: "Be kind.",
      seen: [
        { role: "user", text: "Read it" },
        {
          role: "assistant",
          text: "Grüße 🎉, in more than one piece.",
          calls: [
            { id: "call_1_1", name: "read", input: { path: "世界.txt", offset: 3 } },
            { id: "call_1_2", name: "now", input: {} },
          ],
        },
        { role: "tool", text: "one", id: "call_1_1" },
        { role: "tool", text: "one", id: "call_1_2" },
        { role: "assistant", text: "", calls: [{ id: "", name: "now", input: {} }] },
        { role: "tool", text: "two", id: "" },
        { role: "assistant", text: "It is noon." },
        { role: "user", text: "Well?" },
      ],
      tools: ["read", "now"],
      reasoning: "low",
      aborted: false,
    });
  });

  it("gets the finish reason of a reply", async () => {
    const script: ScriptedReply[] = [
      { text: "Hel", finish: "length" },
      { text: "No", finish: "filtered" },
      { text: "I call.", calls: [{ name: "read", input: {}, raw: "{path" }] },
      { text: "Hello", fault: "no-terminal-event" },
      { text: "Hello, in more than one piece.", fault: "end-in-text" },
      { text: "", fault: "blocked-prompt" },
      { fault: "empty" },
    ];
    const server = await started("google", script);
    const ends: unknown[] = [];
    for (const _ of script) {
      const { parts, finishReason, blockReason } = await ask(server);
      ends.push([joined(parts).map(({ text }) => text), finishReason ?? blockReason]);
    }
    expect(ends).toEqual([
      [["Hel"], "MAX_TOKENS"],
      [["No"], "SAFETY"],
      [["I call."], "MALFORMED_FUNCTION_CALL"],
      [["Hello"], undefined],
      [["Hello, in more t"], undefined],
      [[], "PROHIBITED_CONTENT"],
      [[], "STOP"],
    ]);
  });

  it.each<[Fault, RegExp, number?]>([
    [{ status: 429, retryAfter: "7" }, /RESOURCE_EXHAUSTED.*RetryInfo.*"retryDelay":"7s"/, 429],
    [{ status: 429 }, /RESOURCE_EXHAUSTED/, 429],
    [{ status: 500 }, /INTERNAL/, 500],
    [{ status: 503 }, /UNAVAILABLE/, 503],
    ["error-event", /overloaded.*UNAVAILABLE/, 503],
    ["cut-in-text", /terminated/],
    ["cut-in-arguments", /terminated/],
    ["end-in-arguments", /Incomplete JSON segment at the end/],
    ["drop-before-headers", /fetch failed/],
  ])("fails at %j", async (fault, words, status) => {
    const server = await started("google", [{ ...reading, fault }]);
    const error = await ask(server).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(`${error.message}`).toMatch(words);
    if (status !== undefined) expect([error instanceof ApiError, error.status]).toEqual([true, status]);
    expect(server.breaches).toEqual([]);
  });

  it("gets the retry delay in the body, and not in a header", async () => {
    const server = await started("google", [{ fault: { status: 429, retryAfter: "7" } }]);
    const { status, headers } = await post(server, await opening());
    expect([status, headers.get("retry-after")]).toEqual([429, null]);
  });

  it.each(["hang-before", "hang-during"] as const)("is aborted at %s", async (fault) => {
    const server = await started("google", [{ ...reading, fault }]);
    const controller = new AbortController();
    const failed = ask(server, undefined, controller.signal).catch((error: Error) => error.message);
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    expect(await failed).toMatch(/abort/i);
    await expect.poll(() => server.requests[0]!.aborted).toBe(true);
  });

  it("lists models, and gets an error for an unknown one", async () => {
    const server = await started("google", []);
    const names: (string | undefined)[] = [];
    for await (const { name } of await clientOf(server).models.list()) names.push(name);
    expect(names).toEqual(["models/gemini-3.1-pro-preview", "models/gemini-2.5-flash"]);
    const unknown = clientOf(server).models.generateContentStream({ model: "gemini-0", contents: "Hi" });
    await expect(unknown).rejects.toThrow(/models\/gemini-0 is not found/);
    const stranger = new GoogleGenAI({ apiKey: "wrong", httpOptions: { baseUrl: server.url } });
    await expect(
      stranger.models.generateContentStream({ model: "gemini-2.5-flash", contents: "Hi" }),
    ).rejects.toThrow(/UNAUTHENTICATED/);
    expect(server.breaches).toEqual([]);
  });
});

describe("the request checks", () => {
  /** The body of the first request, as the official client writes it. */
  async function refused(change: (body: Json) => void, model?: string) {
    const server = await started("google", [reading, { text: "Done." }]);
    const { parts } = await ask(server, undefined, undefined, model);
    const body = structuredClone(server.requests[0]!.body) as Json;
    body.contents.push(
      { role: "model", parts: joined(parts) },
      user(answer("call_1_1", "read"), answer("call_1_2", "now")),
    );
    change(body);
    const { status } = await post(server, body, model);
    return { status, sentences: server.breaches.map((breach) => breach.replace(/^Request 2: /, "")) };
  }

  it("accept a valid request", async () => {
    expect(await refused(() => {})).toEqual({ status: 200, sentences: [] });
    expect(await refused(() => {}, "gemini-2.5-flash")).toEqual({ status: 200, sentences: [] });
  });

  it("allow text and images after tool results, and calls of another model", async () => {
    const change = (body: Json) => {
      body.contents.push(
        user({ text: "Hurry" }, { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }),
      );
      body.contents.push({ role: "model", parts: [foreign] }, user(answer("x", "read")));
    };
    expect(await refused(change)).toEqual({ status: 200, sentences: [] });
  });

  const foreign = {
    functionCall: { id: "x", name: "read", args: { path: "a" } },
    thoughtSignature: "skip_thought_signature_validator",
  };

  it.each<[string, (body: Json) => void, ...RegExp[]]>([
    ["an unknown field", (body) => (body.seed = 1), /'seed'/],
    ["an unknown setting", (body) => (body.generationConfig.effort = 1), /'generationConfig.effort'/],
    ["no output limit", (body) => (body.generationConfig.maxOutputTokens = 0), /maxOutputTokens/],
    [
      "an unknown thinking level",
      (body) => (body.generationConfig.thinkingConfig.thinkingLevel = "huge"),
      /huge is invalid/,
    ],
    [
      "a thinking level and a budget",
      (body) => (body.generationConfig.thinkingConfig.thinkingBudget = 100),
      /only set one of thinking budget and thinking level/,
    ],
    [
      "an empty system",
      (body) => (body.systemInstruction.parts = []),
      /systemInstruction/,
      /The head has changed/,
    ],
    [
      "a changed system prompt",
      (body) => (body.systemInstruction.parts[0].text = "Be rude."),
      /The head has changed/,
    ],
    ["two tools with one name", declared((tools) => tools.push(tools[1])), /Duplicate.*now/, /The head/],
    ["an invalid tool name", declared((tools) => (tools[1].name = "1 now")), /name 1 now/, /The head/],
    [
      "a tool without a description",
      declared((tools) => delete tools[1].description),
      /has no description/,
      /The head/,
    ],
    [
      "an unknown keyword",
      property({ type: "string", pattern: "a" }),
      /path: pattern is not supp/,
      /The head/,
    ],
    ["a constant", property({ const: 1 }), /path: const is not supported/, /The head/],
    ["a list without items", property({ type: "array" }), /path: no items/, /The head/],
    [
      "keywords next to a reference",
      property({ $ref: "#", description: "a" }),
      /description beside \$ref/,
      /The head/,
    ],
    [
      "a schema in two formats",
      declared((tools) => (tools[0].parameters = openApi)),
      /mutually excl/,
      /The head/,
    ],
    [
      "a JSON Schema in place of an OpenAPI schema",
      declared((tools) => {
        tools[0].parameters = tools[0].parametersJsonSchema;
        delete tools[0].parametersJsonSchema;
      }),
      /additionalProperties/,
      /type object/,
      /type string/,
      /minimum/,
      /type integer/,
      /The head/,
    ],
    ["no contents", (body) => (body.contents = []), /contents is not specified/],
    ["no tools", (body) => delete body.tools, /tools: must be given/, /The head/],
    ["a changed message", (body) => (body.contents[0].parts[0].text = "Write it"), /^Message 0 has changed/],
    ["an unknown role", (body) => (body.contents[0].role = "system"), /valid role/, /first/, /has changed/],
    ["no role", (body) => delete body.contents[2].role, /valid role/, /the last one/],
    ["no parts", (body) => (body.contents[2].parts = []), /at least one parts field/, /equal to the number/],
    ["an empty text", (body) => body.contents[2].parts.push({ text: "" }), /a part of text is empty/],
    [
      "two kinds of data in one part",
      (body) => (body.contents[2].parts[0].text = "a"),
      /required oneof field/,
    ],
    ["an unknown part", (body) => body.contents[2].parts.push({ json: {} }), /Unknown name "json"/, /oneof/],
    [
      "an image without a type",
      (body) => body.contents[2].parts.push({ inlineData: { data: "a" } }),
      /mimeType/,
    ],
    [
      "a final model message",
      (body) => body.contents.push(model({ text: "Well" })),
      /the last one must be of the/,
    ],
    [
      "two replies in a row",
      (body) => body.contents.splice(2, 0, model({ text: "Hm" })),
      /must come immediately after a user turn/,
      /equal to the number/,
    ],
    ["an unanswered call", (body) => body.contents[2].parts.pop(), /response parts is equal to the number/],
    ["unanswered calls", (body) => (body.contents[2] = user({ text: "Never mind" })), /equal to the number/],
    [
      "answers in two messages",
      (body) => body.contents.push(user(body.contents[2].parts.pop())),
      /contents\[2\].*equal to the number/,
      /contents\[3\].*equal to the number/,
    ],
    [
      "a call answered twice",
      (body) => body.contents[2].parts.push(answer("call_1_2", "now")),
      /equal to the number/,
    ],
    [
      "answers in another order",
      (body) => body.contents[2].parts.reverse(),
      /not in the order of their calls/,
    ],
    [
      "an answer with another id",
      (body) => (body.contents[2].parts[0].functionResponse.id = "y"),
      /not in the order/,
    ],
    [
      "an answer as text",
      (body) => (body.contents[2].parts[0].functionResponse.response = "a"),
      /is not an object/,
    ],
    [
      "one id for two calls",
      (body) => {
        body.contents[1].parts[3].functionCall.id = "call_1_1";
        body.contents[2].parts[1].functionResponse.id = "call_1_1";
      },
      /is that of two calls/,
      /has changed/,
    ],
    [
      "arguments as text",
      (body) => (body.contents[1].parts[2].functionCall.args = "{}"),
      /is not an object/,
      /has changed/,
    ],
    ["changed arguments", (body) => (body.contents[1].parts[2].functionCall.args = {}), /has changed/],
    [
      "a missing signature",
      (body) => delete body.contents[1].parts[2].thoughtSignature,
      /Function call is missing a thought_signature in functionCall parts: read/,
      /missing or at another/,
    ],
    [
      "a signature on another call",
      (body) => {
        body.contents[1].parts[3].thoughtSignature = body.contents[1].parts[2].thoughtSignature;
        delete body.contents[1].parts[2].thoughtSignature;
      },
      /Function call is missing a thought_signature/,
      /missing or at another position/,
    ],
    [
      "a truncated signature",
      (body) =>
        (body.contents[1].parts[2].thoughtSignature = body.contents[1].parts[2].thoughtSignature.slice(1)),
      /Invalid thought signature/,
      /at another position/,
    ],
    [
      "a placeholder for a signature that was given",
      (body) => (body.contents[1].parts[2].thoughtSignature = "skip_thought_signature_validator"),
      /missing or at another position/,
    ],
    [
      "a call of another model without a placeholder",
      (body) => {
        body.contents.push(model({ functionCall: foreign.functionCall }), user(answer("x", "read")));
      },
      /Function call is missing a thought_signature/,
    ],
  ])("refuse %s", async (_, change, ...expected) => {
    const { status, sentences } = await refused(change);
    expect({ status, sentences }).toEqual({
      status: 400,
      sentences: expected.map((sentence) => expect.stringMatching(sentence)),
    });
  });

  it("require the signature of text back, on the text or on its own part", async () => {
    const server = await started("google", [{ text: "Hello." }, { text: "A" }, { text: "B" }]);
    const { parts } = await ask(server);
    const [words, last] = [{ text: "Hello." }, parts.at(-1)!];
    expect(last).toEqual({ text: "", thoughtSignature: expect.any(String) });
    const sendBack = async (...reply: Part[]) => {
      server.forget();
      const { status } = await post(server, {
        ...(await opening()),
        contents: [user({ text: "Read it" }), model(...reply), user({ text: "Go on" })],
      });
      return [status, server.breaches.at(-1)];
    };
    expect(await sendBack(words, last)).toEqual([200, undefined]);
    expect(await sendBack({ ...words, thoughtSignature: last.thoughtSignature! })).toEqual([200, undefined]);
    expect(await sendBack(words)).toEqual([
      400,
      "Request 4: contents[1]: a thought signature is missing or at another position.",
    ]);
  });
});

const openApi = { type: "OBJECT", properties: { path: { type: "STRING" } } };

function declared(change: (tools: Json[]) => void) {
  return (body: Json) => change(body.tools[0].functionDeclarations);
}

function property(schema: object) {
  return declared((tools) => {
    tools[0].parametersJsonSchema.properties.path = schema;
  });
}

function user(...parts: Part[]): Content {
  return { role: "user", parts };
}

function model(...parts: Part[]): Content {
  return { role: "model", parts };
}

function answer(id: string, name: string): Part {
  return { functionResponse: { id, name, response: { output: "fine" } } };
}

function withoutArgs({ id, name }: { id?: string; name?: string }) {
  return { ...(id === undefined ? {} : { id }), name: name! };
}

function withoutEmpty(parts: readonly Part[]): Part[] {
  return parts.filter(({ text, thoughtSignature }) => text !== "" || thoughtSignature !== undefined);
}

/** Joins the streamed pieces, as clients do. */
function joined(parts: readonly Part[]): Part[] {
  const whole: Part[] = [];
  for (const part of withoutEmpty(parts)) {
    const last = whole.at(-1);
    if (part.text !== undefined && last?.text !== undefined && last.thought === part.thought)
      whole[whole.length - 1] = { ...last, ...part, text: last.text + part.text };
    else whole.push(part);
  }
  return whole;
}

async function ask(
  server: ProviderServer,
  contents: Content[] = [user({ text: "Read it" })],
  abortSignal?: AbortSignal,
  name = "gemini-3.1-pro-preview",
) {
  const parts: Part[] = [];
  let [finishReason, blockReason, usage]: unknown[] = [];
  const thinkingConfig = name.startsWith("gemini-2") ? {} : { thinkingLevel: "LOW" };
  const stream = await clientOf(server).models.generateContentStream({
    model: name,
    contents,
    config: {
      systemInstruction: "Be kind.",
      maxOutputTokens: 1000,
      thinkingConfig: { includeThoughts: true, ...thinkingConfig } as Json,
      tools: [{ functionDeclarations }],
      ...(abortSignal && { abortSignal }),
    },
  });
  for await (const { candidates, promptFeedback, usageMetadata } of stream) {
    parts.push(...(candidates?.[0]?.content?.parts ?? []));
    finishReason = candidates?.[0]?.finishReason;
    blockReason = promptFeedback?.blockReason;
    usage = usageMetadata;
  }
  return { parts, finishReason, blockReason, usage };
}

/** The body of a first request, as the official client writes it. */
async function opening(): Promise<Json> {
  const server = await started("google", [{ text: "Hello." }]);
  await ask(server);
  return server.requests[0]!.body;
}

async function post({ url }: ProviderServer, body: unknown, name = "gemini-3.1-pro-preview") {
  const response = await fetch(`${url}/v1beta/models/${name}:streamGenerateContent?alt=sse`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "x-goog-api-key": apiKey, "content-type": "application/json" },
  });
  await response.text();
  return response;
}

function clientOf({ url }: ProviderServer): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
}
