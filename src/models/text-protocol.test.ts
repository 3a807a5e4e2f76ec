import { expect, it } from "vitest";
import type { ScriptedReply, SeenRequest } from "../../test/providers/provider-server.ts";
import { startProvider } from "../../test/providers/start-provider.ts";
import { look } from "../../test/support/models/look.ts";
import type { ToolDefinition } from "../dialects/definition.ts";
import type { AssistantMessage, CallPart, Message, ReplyPart } from "./message.ts";
import type { Model, ModelEvent } from "./model.ts";
import { openModel } from "./open-model.ts";
import { textProtocol } from "./text-protocol.ts";

const call = '{"action": "tool_call", "tool": "look", "args": {"path": "a.ts"}}';
const example = '{"action": "tool_call", "tool": "look", "args": {"path": "src/main.rs"}}';

it("turns actions into calls and responses into text, and sends replies back as written", async () => {
  const written = `I look.\n\`\`\`json\n${call}\n\`\`\``;
  await using talk = await conversation([
    { text: written },
    { text: '{"action":"done","summary":"It is empty."}' },
  ]);
  const first = await talk.ask();
  const { calls } = partsOf(first);
  talk.answer(calls, "(empty)");
  const second = await talk.ask();
  expect([partsOf(first), partsOf(second)]).toEqual([
    {
      text: "I look.",
      calls: [{ name: "look", input: { ok: true, value: { path: "a.ts" } } }],
      reason: "calls",
    },
    { text: "It is empty.", calls: [], reason: "stop" },
  ]);
  expect(talk.requests.map(({ messages, tools }) => ({ messages, tools }))).toEqual([
    { messages: [{ role: "user", text: "Look." }], tools: [] },
    {
      messages: [
        { role: "user", text: "Look." },
        { role: "assistant", text: written, calls: [] },
        { role: "user", text: "Result of look:\n(empty)" },
      ],
      tools: [],
    },
  ]);
  expect(talk.requests[0]?.system).toBe(`You help.

To act, reply with exactly one JSON object:
  ${example}
  {"action": "respond", "message": "Your message"}
  {"action": "done", "summary": "What you did"}
\`tool_call\` calls one tool; its result comes in the next message. Both others end your turn: \`respond\` with a message, such as a question, \`done\` with a summary of the finished task. In strings, write line breaks as \\n, quotes as \\" and backslashes as \\\\.

Tools:
- look: Reads a file.
  path (string)`);
});

it("makes the complete calls before an invalid one, and reports that one", async () => {
  await using talk = await conversation([{ text: `${call}\n{"action": "tool_call", "tool": look}` }]);
  const events = await talk.ask();
  expect(partsOf(events)).toEqual({
    text: "",
    calls: [{ name: "look", input: { ok: true, value: { path: "a.ts" } } }],
    reason: "calls",
    fault: expect.stringContaining(`expected a value, found "l".`),
  });
});

it("reports a reply without an action once, and accepts the next one as the answer", async () => {
  await using talk = await conversation([
    { text: "All is well." },
    { text: "I said so." },
    { text: "Well?" },
  ]);
  const first = partsOf(await talk.ask());
  talk.tell(first.fault!);
  const second = partsOf(await talk.ask());
  talk.tell("And now?");
  const third = partsOf(await talk.ask());
  const fault = `Your reply contains no action. To answer, send {"action": "respond", "message": "Your message"}\nTo call a tool, send ${example}`;
  expect([first, second, third]).toEqual([
    { text: "All is well.", calls: [], reason: "stop", fault },
    { text: "I said so.", calls: [], reason: "stop" },
    { text: "Well?", calls: [], reason: "stop", fault },
  ]);
});

it("never accepts text that looks like a call as the answer", async () => {
  const odd = 'Now: {"name": "look", "arguments": {"path": "a.ts"}}';
  await using talk = await conversation([{ text: "Hm." }, { text: odd }, { text: odd }]);
  const replies = [];
  for (let round = 0; round < 3; round += 1) {
    const parts = partsOf(await talk.ask());
    replies.push(parts.fault?.split(".")[0]);
    talk.tell(String(parts.fault));
  }
  const wrong = 'The object at line 1, column 6 has no "action"';
  expect(replies).toEqual(["Your reply contains no action", wrong, wrong]);
});

it("makes no call of a cut or filtered reply, and reports no fault", async () => {
  await using talk = await conversation([
    { text: `${call} {"action": "tool_call", "tool": "look", "ar`, finish: "length" },
    { text: call, finish: "filtered" },
  ]);
  const cut = partsOf(await talk.ask());
  talk.answer(cut.calls, "x");
  expect([cut, partsOf(await talk.ask())]).toEqual([
    { text: "", calls: [expect.objectContaining({ name: "look" })], reason: "length" },
    { text: "", calls: [], reason: "filtered" },
  ]);
});

it("shows native calls as actions", async () => {
  await using talk = await conversation([{ text: '{"action":"done","summary":"x"}' }]);
  const input = { ok: true, value: { path: "b.ts" } } as const;
  talk.messages.push(
    {
      role: "assistant",
      model: "anthropic/claude",
      content: [
        { type: "reasoning", text: "Hm.", meta: { anthropic: { signature: "s" } } },
        { type: "text", text: "I look." },
        { type: "call", id: "1", name: "look", input },
        { type: "call", id: "2", name: "look", input: { ok: false, given: "{", problem: "cut" } },
      ],
    },
    {
      role: "tool",
      answers: [
        { id: "1", name: "look", content: "one", isError: false, images: [] },
        { id: "2", name: "look", content: "cut", isError: true, images: [] },
      ],
    },
  );
  await talk.ask();
  expect(talk.requests[0]?.messages.slice(1)).toEqual([
    {
      role: "assistant",
      text: 'I look.\n{"action":"tool_call","tool":"look","args":{"path":"b.ts"}}\n{"action":"tool_call","tool":"look","args":{}}',
      calls: [],
    },
    { role: "user", text: "Result of look:\none\n\nlook failed:\ncut" },
  ]);
});

it("changes nothing when there are no tools", async () => {
  await using talk = await conversation([{ text: 'It says {"action": "done"}.' }], []);
  expect(partsOf(await talk.ask())).toEqual({
    text: 'It says {"action": "done"}.',
    calls: [],
    reason: "stop",
  });
  expect(talk.requests[0]?.system).toBe("You help.");
});

it("turns thoughts in the text into reasoning, and sends them back as written", async () => {
  const written = `<think>Where?</think>${call}`;
  await using talk = await conversation([{ text: written }, { text: '{"action":"done","summary":"x"}' }]);
  const first = await talk.ask();
  talk.answer(partsOf(first).calls, "x");
  await talk.ask();
  expect(first.filter(({ type }) => type === "part-start" || type === "part-delta")).toEqual([
    { type: "part-start", id: "reasoning_in_text", part: "reasoning" },
    { type: "part-delta", id: "reasoning_in_text", text: "Where?" },
  ]);
  expect(talk.requests[1]?.messages[1]).toEqual({ role: "assistant", text: written, calls: [] });
});

/** A conversation that grows as in an agent. */
async function conversation(script: readonly ScriptedReply[], tools: readonly ToolDefinition[] = [look]) {
  const server = await startProvider("openai-chat", script, { chunks: "bytes" });
  const model = textProtocol(await openModel(server.model, server.settings, {}));
  const messages: Message[] = [{ role: "user", content: [{ type: "text", text: "Look." }] }];
  return {
    messages,
    requests: server.requests as readonly SeenRequest[],
    async ask() {
      const events = await all(model, { messages, tools });
      messages.push(messageOf(model, events));
      return events;
    },
    answer: (calls: readonly Pick<CallPart, "name">[], content: string) =>
      messages.push({
        role: "tool",
        answers: calls.map(({ name }) => ({ id: "x", name, content, isError: false, images: [] })),
      }),
    tell: (text: string) => messages.push({ role: "user", content: [{ type: "text", text }] }),
    async [Symbol.asyncDispose]() {
      await server.close();
      expect(server.breaches).toEqual([]);
    },
  };
}

async function all(
  model: Model,
  request: { readonly messages: readonly Message[]; readonly tools: readonly ToolDefinition[] },
): Promise<readonly ModelEvent[]> {
  const asked = { system: "You help.", ...request, messages: [...request.messages] };
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked, new AbortController().signal)) events.push(event);
  return events;
}

function messageOf(model: Model, events: readonly ModelEvent[]): AssistantMessage {
  const { text, calls } = partsOf(events);
  const content: ReplyPart[] = [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls.map((call, index) => ({ type: "call" as const, id: `${index}`, ...call })),
  ];
  const last = events.at(-1);
  const meta = last?.type === "finish" ? last.meta : undefined;
  return { role: "assistant", model: model.id, content, ...(meta && { meta }) };
}

function partsOf(events: readonly ModelEvent[]) {
  const textIds = events.flatMap((event) =>
    event.type === "part-start" && event.part === "text" ? [event.id] : [],
  );
  const text = events
    .flatMap((event) => (event.type === "part-delta" && textIds.includes(event.id) ? [event.text] : []))
    .join("");
  const calls = events.flatMap((event) =>
    event.type === "call" ? [{ name: event.call.name, input: event.call.input }] : [],
  );
  const [fault] = events.flatMap((event) => (event.type === "fault" ? [event.message] : []));
  const last = events.at(-1);
  const reason = last?.type === "finish" ? last.reason : undefined;
  return { text, calls, reason, ...(fault !== undefined && { fault }) };
}
