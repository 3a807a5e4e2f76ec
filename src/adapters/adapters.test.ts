import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { temporaryToolcrib } from "../../test/support/temporary-toolcrib.ts";
import { aiSdkTools } from "./ai-sdk.ts";
import { answerMessages } from "./anthropic.ts";
import { inOrder } from "./calls.ts";
import { answerGemini } from "./google.ts";
import { langChainTools } from "./langchain.ts";
import { answerChat, answerResponses } from "./openai.ts";

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** The request for every adapter: two calls at once, of which the first fails. */
const twoCalls = [
  { id: "call_1", name: "file_read", input: { path: "missing.txt" } },
  { id: "call_2", name: "file_read", input: { path: "a.txt" } },
];
const missing = expect.stringContaining("missing.txt");

async function fixture() {
  const made = await temporaryToolcrib();
  made.write("a.txt", "one\n");
  writeFileSync(made.at("dot.png"), Buffer.from(pixel, "base64"));
  return made;
}

describe("for OpenAI's Responses", () => {
  const call = (id: string, name: string, text: string) => ({
    type: "function_call",
    call_id: id,
    name,
    arguments: text,
  });

  it("answers all calls in order, and nothing else", async () => {
    await using made = await fixture();
    const items = twoCalls.map(({ id, name, input }) => call(id, name, JSON.stringify(input)));
    expect(await answerResponses(made.crib, [{ type: "reasoning" }, ...items, { type: "message" }])).toEqual([
      { type: "function_call_output", call_id: "call_1", output: missing },
      { type: "function_call_output", call_id: "call_2", output: "1 | one" },
    ]);
  });

  it("treats nulls of strict mode as absent", async () => {
    await using made = await fixture();
    const strict = { path: "a.txt", paths: null, offset: null, limit: null, line_numbers: false };
    expect(await answerResponses(made.crib, [call("call_1", "file_read", JSON.stringify(strict))])).toEqual([
      { type: "function_call_output", call_id: "call_1", output: "one\n" },
    ]);
  });

  it("does not make a call with truncated arguments", async () => {
    await using made = await fixture();
    const cut = call("call_1", "file_write", '{"path": "b.txt", "content": "hal');
    const [answer] = await answerResponses(made.crib, [cut]);
    expect([answer, made.crib.log({ limit: 1 })]).toEqual([
      {
        type: "function_call_output",
        call_id: "call_1",
        output: expect.stringMatching(
          /^The arguments are not valid JSON: .*\nThe call was not made. Make it again/,
        ),
      },
      [],
    ]);
  });

  it("answers two calls with one id once", async () => {
    await using made = await fixture();
    const once = call("call_1", "file_write", JSON.stringify({ path: "b.txt", content: "b" }));
    expect(await answerResponses(made.crib, [once, once])).toHaveLength(1);
    expect(made.crib.log({ limit: 10 })).toHaveLength(1);
  });

  it("reports that another call with the same id was not made", async () => {
    await using made = await fixture();
    const write = (path: string) => call("call_1", "file_write", JSON.stringify({ path, content: "b" }));
    const [answer] = await answerResponses(made.crib, [write("b.txt"), write("c.txt"), write("b.txt")]);
    expect([answer, made.crib.log({ limit: 10 }).length]).toEqual([
      expect.objectContaining({
        output: expect.stringMatching(/\n\[Another call had the same id and was not made\. /),
      }),
      1,
    ]);
  });

  it("answers each unreadable call, and makes the others", async () => {
    await using made = await fixture();
    const deep = `${"[".repeat(100_000)}null${"]".repeat(100_000)}`;
    const answers = await answerResponses(made.crib, [
      call("call_1", "file_read", '{"path":"a.txt"}'),
      call("call_2", "file_read", deep),
      { type: "function_call", call_id: "call_3", name: "time_now" } as { type: string },
      { type: "function_call", call_id: "call_4", name: "file_read", arguments: { path: "a.txt" } } as {
        type: string;
      },
      { type: "apply_patch_call", call_id: "call_5" } as { type: string },
      { type: "custom_tool_call", call_id: "call_6", name: "edit_patch" } as { type: string },
      { type: "function_call", call_id: "call_7" } as { type: string },
    ]);
    expect(answers.map((answer) => [answer.call_id, String(answer.output).split("\n")[0]])).toEqual([
      ["call_1", "1 | one"],
      ["call_2", "The arguments are nested deeper than 200 levels."],
      ["call_3", expect.stringMatching(/^\d{4}-/)],
      ["call_4", "1 | one"],
      ["call_5", "The operation is not create_file, update_file or delete_file of a path."],
      ["call_6", "The call has no text."],
      ["call_7", 'Unknown tool "undefined"'],
    ]);
  });

  it("lets an operation change only the file that it names", async () => {
    await using made = await fixture();
    const answers = await answerResponses(made.crib, [
      operation("call_1", { type: "create_file", path: "c.txt", diff: "+x\n*** Delete File: a.txt" }),
      operation("call_2", { type: "delete_file", path: "c.txt\n*** Delete File: a.txt" }),
      operation("call_3", { type: "constructor", path: "a.txt" }),
    ]);
    expect([answers.map((answer) => "status" in answer && answer.status), made.read("a.txt")]).toEqual([
      ["failed", "failed", "failed"],
      "one\n",
    ]);
  });

  it("applies freeform patches, and those of OpenAI's own tool", async () => {
    await using made = await fixture();
    const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n";
    const answers = await answerResponses(made.crib, [
      { type: "custom_tool_call", call_id: "call_1", name: "edit_patch", input: patch } as { type: string },
    ]);
    const native = await answerResponses(made.crib, [
      operation("call_2", { type: "update_file", path: "a.txt", diff: "@@\n-two\n+three\n" }),
      operation("call_3", { type: "create_file", path: "b.txt", diff: "+new\n" }),
      operation("call_4", { type: "delete_file", path: "nowhere.txt" }),
    ]);
    expect([answers, native, made.read("a.txt"), made.read("b.txt")]).toEqual([
      [{ type: "custom_tool_call_output", call_id: "call_1", output: expect.stringContaining("a.txt") }],
      [
        applied("call_2", "completed", "a.txt"),
        applied("call_3", "completed", "b.txt"),
        applied("call_4", "failed", "nowhere.txt"),
      ],
      "three\n",
      "new\n",
    ]);
  });

  it("refuses plain text for a tool that takes fields", async () => {
    await using made = await fixture();
    const item = { type: "custom_tool_call", call_id: "call_1", name: "file_read", input: "a.txt" };
    const [answer] = await answerResponses(made.crib, [item]);
    expect(answer).toMatchObject({
      output: expect.stringContaining("file_read takes an object, not plain text."),
    });
  });

  it("sends images", async () => {
    await using made = await fixture();
    const [answer] = await answerResponses(made.crib, [call("call_1", "file_read", '{"path":"dot.png"}')]);
    expect(answer).toEqual({
      type: "function_call_output",
      call_id: "call_1",
      output: [
        { type: "input_text", text: expect.stringContaining("dot.png") },
        { type: "input_image", image_url: `data:image/png;base64,${pixel}`, detail: "auto" },
      ],
    });
  });

  it("answers calls that are cancelled", async () => {
    await using made = await fixture();
    const items = twoCalls.map(({ id, name, input }) => call(id, name, JSON.stringify(input)));
    const answers = await answerResponses(made.crib, items, { signal: AbortSignal.abort() });
    expect(answers.map((answer) => [answer.call_id, /cancel/i.test(String(answer.output))])).toEqual([
      ["call_1", true],
      ["call_2", true],
    ]);
  });

  function operation(call_id: string, what: object): { type: string } {
    return { type: "apply_patch_call", call_id, operation: what } as { type: string };
  }

  function applied(call_id: string, status: string, path: string) {
    return { type: "apply_patch_call_output", call_id, status, output: expect.stringContaining(path) };
  }
});

it("answers chat messages, and sends images after all answers", async () => {
  await using made = await fixture();
  const calls = [...twoCalls, { id: "call_3", name: "file_read", input: { path: "dot.png" } }];
  const message = {
    tool_calls: calls.map(({ id, name, input }) => ({
      id,
      type: "function" as const,
      function: { name, arguments: JSON.stringify(input) },
    })),
  };
  expect([await answerChat(made.crib, message), await answerChat(made.crib, {})]).toEqual([
    [
      { role: "tool", tool_call_id: "call_1", content: missing },
      { role: "tool", tool_call_id: "call_2", content: "1 | one" },
      { role: "tool", tool_call_id: "call_3", content: expect.stringContaining("dot.png") },
      {
        role: "user",
        content: [
          { type: "text", text: "From file_read:" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } },
        ],
      },
    ],
    [],
  ]);
});

it("answers Anthropic's messages, failures as failures", async () => {
  await using made = await fixture();
  const calls = [...twoCalls, { id: "call_3", name: "file_read", input: { path: "dot.png" } }];
  const content = [{ type: "text" }, ...calls.map((call) => ({ type: "tool_use", ...call }))];
  expect(await answerMessages(made.crib, { content })).toEqual([
    { type: "tool_result", tool_use_id: "call_1", content: missing, is_error: true },
    { type: "tool_result", tool_use_id: "call_2", content: "1 | one" },
    {
      type: "tool_result",
      tool_use_id: "call_3",
      content: [
        { type: "text", text: expect.stringContaining("dot.png") },
        { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } },
      ],
    },
  ]);
});

it("answers Gemini's calls, with their ids if they have any", async () => {
  await using made = await fixture();
  const calls = [
    { name: "file_read", args: { path: "missing.txt" } },
    { id: "2", name: "file_read", args: { path: "a.txt" } },
    { id: "3", name: "file_read", args: { path: "dot.png" } },
  ];
  expect([await answerGemini(made.crib, calls), await answerGemini(made.crib, undefined)]).toEqual([
    [
      { functionResponse: { name: "file_read", response: { error: missing } } },
      { functionResponse: { id: "2", name: "file_read", response: { output: "1 | one" } } },
      {
        functionResponse: {
          id: "3",
          name: "file_read",
          response: { output: expect.stringContaining("dot.png") },
          parts: [{ inlineData: { mimeType: "image/png", data: pixel } }],
        },
      },
    ],
    [],
  ]);
});

const writeThenRead = [
  { id: "1", name: "file_read", input: { path: "a.txt", line_numbers: false } },
  { id: "2", name: "file_write", input: { path: "a.txt", content: "two\n" } },
  { id: "3", name: "file_read", input: { path: "a.txt", line_numbers: false } },
  { id: "4", name: "edit_replace", input: { path: "a.txt", find: "two", replace: "three" } },
  { id: "5", name: "file_read", input: { path: "a.txt", line_numbers: false } },
];

it("lets reads see what the calls before them wrote, and nothing later", async () => {
  await using made = await fixture();
  const content = writeThenRead.map((call) => ({ type: "tool_use", ...call }));
  const answers = await answerMessages(made.crib, { content });
  const [first, , third, , fifth] = answers.map((answer) => answer.content);
  expect([first, third, fifth]).toEqual(["one\n", "two\n", "three\n"]);
});

it("keeps the calls of one reply in order when the AI SDK starts them all at once", async () => {
  await using made = await fixture();
  const tools = await aiSdkTools(made.crib);
  const messages = [{ role: "user" }];
  const results = await Promise.all(
    writeThenRead.map(({ name, input }) => tools[name]!.execute(input, { messages })),
  );
  const [first, , third, , fifth] = results.map((result) => result.content);
  expect([first, third, fifth]).toEqual(["one\n", "two\n", "three\n"]);
});

it("runs adjacent reads in parallel", async () => {
  const order = inOrder(new Set(["read"]));
  const { promise: second, resolve } = Promise.withResolvers<string>();
  const waiting = order("read", () => second);
  await order("read", async () => resolve("the second has run"));
  expect(await waiting).toBe("the second has run");
});

it("gives the AI SDK tools that it can run, cancel and describe to its model", async () => {
  await using made = await fixture();
  const { file_read: read } = await aiSdkTools(made.crib);
  const outputFor = async (input: unknown, abortSignal?: AbortSignal) =>
    read!.toModelOutput({ output: await read!.execute(input, { abortSignal }) });
  expect([
    await outputFor({ path: "a.txt" }),
    await outputFor({ path: "missing.txt" }),
    await outputFor({ path: "dot.png" }),
    (await outputFor({ path: "a.txt" }, AbortSignal.abort())).type,
    await outputFor({ nonsense: 1 }),
  ]).toEqual([
    { type: "text", value: "1 | one" },
    { type: "error-text", value: missing },
    {
      type: "content",
      value: [
        { type: "text", text: expect.stringContaining("dot.png") },
        { type: "image-data", mediaType: "image/png", data: pixel },
      ],
    },
    "error-text",
    { type: "error-text", value: expect.stringContaining("nonsense") },
  ]);
});

it("does not repeat an approved call when LangGraph repeats its node for a later one", {
  tags: "slow",
}, async () => {
  await using made = await temporaryToolcrib({ mode: "safe" });
  const commands = ["echo 1 >> log", "echo 2 >> log", "echo 3 >> log"];
  const answers: unknown[] = [];
  // Like `interrupt` of LangGraph: the answers belong to the interrupts of a node by their order.
  let asked = 0;
  let hash = "";
  const interrupt = (pending: { hash: string }) => {
    asked += 1;
    hash = pending.hash;
    if (asked > answers.length) throw new Error("interrupted");
    return answers[asked - 1];
  };
  const tool = (make: (input: unknown) => Promise<unknown>, { name }: { name: string }) => ({ name, make });
  const tools = await langChainTools(made.crib, { tool, interrupt });
  const { make } = tools.find(({ name }) => name === "shell_run")!;
  const runNode = async () => {
    asked = 0;
    for (const command of commands) await make({ command });
  };
  for (const _ of commands) {
    await expect(runNode()).rejects.toThrow("interrupted");
    answers.push({ allow: true, hash });
  }
  await runNode();
  expect(made.read("log")).toBe("1\n2\n3\n");
});
