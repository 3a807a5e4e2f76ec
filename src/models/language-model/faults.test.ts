import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type {
  Fault,
  ProviderKind,
  ProviderOptions,
  ProviderServer,
  ScriptedReply,
} from "../../../test/providers/provider-server.ts";
import { startProvider } from "../../../test/providers/start-provider.ts";
import { ask, gist, tools, user } from "../../../test/support/models/ask.ts";
import { ModelError } from "../model-error.ts";
import { openModel } from "../open-model.ts";

const kinds: readonly ProviderKind[] = ["openai", "openai-chat", "anthropic", "google", "openrouter"];

const reply: ScriptedReply = {
  reasoning: "Hm.",
  text: "Näheres folgt gleich: 漢字 🙂.",
  calls: [{ name: "read_file", input: { path: "a much longer name.txt" } }],
};
const whole = [
  "reasoning: Hm.",
  "text: Näheres folgt gleich: 漢字 🙂.",
  'read_file {"path":"a much longer name.txt"}',
];

const statuses = [
  [400, "bad-request"],
  [401, "auth"],
  [402, "quota"],
  [403, "auth"],
  [404, "not-found"],
  [429, "rate-limit"],
  [500, "server"],
  [503, "server"],
  [529, "server"],
] as const;

let server: ProviderServer;
afterEach(() => server.close());

describe.each(kinds)("with %s", (kind) => {
  it.each<[string, Partial<ScriptedReply>, ProviderOptions]>([
    ["event by event", {}, {}],
    ["all at once", {}, { chunks: "whole" }],
    ["byte by byte, which splits characters", {}, { chunks: "bytes" }],
    ["with CRLF line ends", { fault: "crlf" }, {}],
    ["with arguments in one piece", { fault: "one-piece-arguments" }, {}],
  ])("reads a reply that arrives %s", async (_, change, options) => {
    const model = await open({ ...reply, ...change }, options);
    const { reason, ...received } = await ask(model, { reasoning: "low" });
    expect({ reason, received: gist({ reason, ...received }), breaches: server.breaches }).toEqual({
      reason: "calls",
      received: whole,
      breaches: [],
    });
  });

  it.each<Fault>(["no-terminal-event", "end-in-text", "end-in-arguments"])(
    "does not accept a stream that ends early as a complete reply: %s",
    async (fault) => {
      const model = await open({ ...reply, fault });
      expect(await failure(ask(model, {}))).toEqual({
        code: "cut",
        message: "The reply was cut off: the stream ended early.",
      });
    },
  );

  it.each<Fault>(["cut-in-text", "cut-in-arguments"])("reports a lost connection: %s", async (fault) => {
    const model = await open({ ...reply, fault });
    expect(await failure(ask(model, {}))).toEqual({
      code: "cut",
      message: "The reply was cut off: Connection closed.",
    });
  });

  it("passes on no call from a reply that was cut off", async () => {
    const calls = [...reply.calls!, { name: "status", input: {} }];
    const model = await open({ ...reply, calls, fault: "no-terminal-event" });
    const types: string[] = [];
    const read = async () => {
      for await (const { type } of model.stream(request(), new AbortController().signal)) types.push(type);
    };
    await expect(read()).rejects.toThrow("cut off");
    expect(types).not.toContain("finish");
  });

  it("treats an error inside the stream as a server error", async () => {
    const model = await open({ ...reply, fault: "error-event" });
    const { code: thrown } = await failure(ask(model, {}));
    expect(thrown).toBe("server");
  });

  it("reports a reply without text and calls", async () => {
    const model = await open({ fault: "empty" });
    expect(await failure(ask(model, {}))).toEqual({
      code: "empty",
      message: "The reply is empty.",
    });
  });

  it("names the address that closed the connection", async () => {
    const model = await open({ fault: "drop-before-headers" });
    expect(await failure(ask(model, {}))).toEqual({
      code: "network",
      message: `Cannot connect to ${new URL(server.url).origin}: Connection closed.`,
    });
  });

  it("names the address that refused the connection", async () => {
    const model = await open({});
    await server.close();
    expect(await failure(ask(model, {}))).toEqual({
      code: "network",
      message: `Cannot connect to ${new URL(server.url).origin}: Connection refused.`,
    });
  });

  it.each(statuses)("classifies status %i as %s", async (status, expected) => {
    const model = await open({ fault: { status } });
    const error = await ask(model, {}).catch((thrown: unknown) => thrown as ModelError);
    expect(error).toBeInstanceOf(ModelError);
    const { code: thrown, status: seen, retryAfterMs } = error as ModelError;
    expect([thrown, seen, retryAfterMs]).toEqual([expected, status, undefined]);
  });

  it("reads how long to wait", async () => {
    const model = await open({ fault: { status: 429, retryAfter: "7" } });
    const error = await ask(model, {}).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "rate-limit", retryAfterMs: 7_000 });
  });

  it.each<Fault>(["hang-before", "hang-during"])(
    "ends at once when it is aborted, with the given reason: %s",
    async (fault) => {
      const model = await open({ ...reply, fault });
      const controller = new AbortController();
      const reason = new Error("That is enough.");
      const asked = ask(model, {}, controller.signal);
      while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      setTimeout(() => controller.abort(reason), 50);
      await expect(asked).rejects.toBe(reason);
      while (!server.requests[0]!.aborted) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  );

  it("sends no request when it is already aborted", async () => {
    const model = await open(reply);
    const reason = new Error("Never mind.");
    await expect(ask(model, {}, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(server.requests).toEqual([]);
  });

  it("yields nothing more after an abort, even if it was read ahead", async () => {
    const model = await open(reply, { chunks: "whole" });
    const controller = new AbortController();
    const reason = new Error("Stop.");
    const seen: string[] = [];
    const read = async () => {
      for await (const { type } of model.stream(request(), controller.signal)) {
        seen.push(type);
        controller.abort(reason);
      }
    };
    await expect(read()).rejects.toBe(reason);
    expect(seen).toEqual(["part-start"]);
  });

  it("closes the connection when the reader leaves", async () => {
    const model = await open({ ...reply, fault: "hang-during" });
    for await (const _ of model.stream(request(), new AbortController().signal)) break;
    while (!server.requests[0]!.aborted) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it("passes on no call that was cut at the output limit", async () => {
    const calls = [
      { name: "status", input: {} },
      { name: "read_file", input: {}, raw: '{"path": "a' },
    ];
    const model = await open({ text: "Now:", calls, finish: "length" });
    const { reason, ...received } = await ask(model, {});
    // Gemini returns no call of a reply that it could not finish.
    const expected = kind === "google" ? ["text: Now:"] : ["text: Now:", "status {}"];
    expect([reason, gist({ reason, ...received })]).toEqual(["length", expected]);
  });

  it("passes on no call when the arguments are missing", async () => {
    const calls = [{ name: "status", input: {}, raw: "" }];
    const model = await open({ text: "Now:", calls, finish: "length" });
    const { reason, ...received } = await ask(model, {});
    expect([reason, gist({ reason, ...received })]).toEqual(["length", ["text: Now:"]]);
  });

  it("reports a filtered reply", async () => {
    const model = await open({ text: "I", finish: "filtered" });
    const { reason } = await ask(model, {});
    expect(reason).toBe("filtered");
  });

  it("treats empty arguments as an empty object", async () => {
    const model = await open({ calls: [{ name: "status", input: {} }], fault: "empty-arguments" });
    const received = await ask(model, {});
    expect([received.reason, gist(received)]).toEqual(["calls", ["status {}"]]);
  });

  it("keeps both of two calls with one id", async () => {
    const calls = [reply.calls![0]!, { name: "status", input: {} }];
    const model = await open({ calls, fault: "duplicate-ids" });
    expect(gist(await ask(model, {}))).toEqual([whole[2], "status {}"]);
  });

  async function open(scripted: ScriptedReply, options?: ProviderOptions) {
    server = await startProvider(kind, [scripted], options);
    return openModel(server.model, server.settings);
  }
});

it.each<[ProviderKind, Fault, readonly string[]]>([
  ["openai", "changing-item-ids", whole],
  ["openai", "text-after-calls", [whole[0]!, whole[2]!, whole[1]!]],
  ["openai-chat", "index-from-one", whole],
  ["openai-chat", "no-usage", whole],
  ["openai-chat", "comments", whole],
  ["openrouter", "comments", whole],
  ["anthropic", "start-twice", whole],
  ["anthropic", "redacted-reasoning", ["reasoning: ", whole[1]!, whole[2]!]],
  ["google", "no-ids", whole],
])("reads features specific to %s: %s", async (kind, fault, expected) => {
  server = await startProvider(kind, [{ ...reply, fault }]);
  const model = await openModel(server.model, server.settings);
  expect(gist(await ask(model, { reasoning: "low" }))).toEqual(expected);
});

it("treats a failed response as a server error", async () => {
  server = await startProvider("openai", [{ ...reply, fault: "failed-reply" }]);
  const model = await openModel(server.model, server.settings);
  expect(await failure(ask(model, {}))).toEqual({
    code: "server",
    message: "The model failed to generate a response.",
  });
});

it("treats a prompt that Gemini blocks as filtered", async () => {
  server = await startProvider("google", [{ ...reply, fault: "blocked-prompt" }]);
  const model = await openModel(server.model, server.settings);
  const received = await ask(model, {});
  expect([received.reason, gist(received)]).toEqual(["filtered", []]);
});

it("reports to the model a call that Gemini could not read", async () => {
  const calls = [{ name: "read_file", input: {}, raw: '{"path": "a' }];
  server = await startProvider("google", [{ calls }]);
  const model = await openModel(server.model, server.settings);
  const { reason, faults, message } = await ask(model, {});
  expect([reason, faults, message.content]).toEqual([
    "stop",
    [
      'Your call could not be parsed and was not made. Make it again as one plain function call with valid arguments. (Malformed function call: read_file({"path": "a))',
    ],
    [],
  ]);
});

it.each<ProviderKind>(["openai-chat", "openrouter"])(
  "reports to the model a call that the server refused: %s",
  async (kind) => {
    const error = {
      message: "tool call validation failed: missing properties: 'path'",
      type: "invalid_request_error",
      code: "tool_use_failed",
      failed_generation: '{"name": "read_file"}',
    };
    server = await startProvider(kind, [{ fault: { status: 400, body: { error } } }]);
    const model = await openModel(server.model, server.settings);
    const { reason, faults, message } = await ask(model, {});
    expect([reason, faults, message.content]).toEqual([
      "stop",
      [
        `Your call was refused and not made: tool call validation failed: missing properties: 'path' Make it again with valid arguments. ({"name": "read_file"})`,
      ],
      [],
    ]);
  },
);

function request() {
  return { system: "", messages: [user("Go on.")], tools };
}

async function failure(
  asked: Promise<unknown>,
): Promise<{ readonly code: string; readonly message: string }> {
  const error = await asked.then(
    () => new Error("There was a reply."),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ModelError)) throw error;
  return { code: error.code, message: error.message };
}

it.each([
  ["invalid JSON", "data: {garbage\n\n"],
  ["an error of unknown format", 'data: {"error":{"message":"upstream","code":500}}\n\n'],
  ["an event of another API", 'event: x\ndata: {"type":"response.created","response":{}}\n\n'],
])("retries Anthropic after %s", async (_, event) => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" }).end(event);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const model = await openModel("anthropic/claude-sonnet-5-5", {
    providers: { anthropic: { baseUrl, apiKey: "test-key" } },
  });
  const failure = await ask(model, { messages: [user("Hello")] }).catch((error) => error);
  expect([failure.name, failure.isPassing]).toEqual(["ModelError", true]);
});
