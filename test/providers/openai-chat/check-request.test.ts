import { expect, it } from "vitest";
import { type Breaches, breachesOf, changed } from "../breaches-of.ts";
import type { Script } from "../provider-server.ts";

const script: Script = [
  {
    reasoning: "Hm.",
    text: "Reading.",
    calls: [
      { name: "read", input: { path: "a" } },
      { name: "read", input: { path: "b" } },
    ],
  },
  { text: "Done." },
];
const call = (id: string, path: string) => ({
  id,
  type: "function",
  function: { name: "read", arguments: JSON.stringify({ path }) },
});
const good = {
  model: "qwen3-coder",
  stream: true,
  stream_options: { include_usage: true },
  tools: [
    {
      type: "function",
      function: { name: "read", parameters: { type: "object", properties: { path: { type: "string" } } } },
    },
  ],
  messages: [
    { role: "system", content: "Be kind." },
    { role: "user", content: "Read them" },
    {
      role: "assistant",
      content: "Reading.",
      reasoning_content: "Hm.",
      tool_calls: [call("call_1_1", "a"), call("call_1_2", "b")],
    },
    { role: "tool", tool_call_id: "call_1_1", content: "one" },
    { role: "tool", tool_call_id: "call_1_2", content: "two" },
  ],
};
const breaches: Breaches = {
  "an unanswered call": [
    ({ messages }) => messages.pop(),
    "The call call_1_2 is not answered before the next message.",
  ],
  "an answer after a user message": [
    ({ messages }) => messages.splice(4, 0, { role: "user", content: "Wait" }),
    "The call call_1_2 is not answered before the next message.",
    "The call call_1_2 is answered twice, or too late.",
  ],
  "a call answered twice": [
    ({ messages }) => messages.push(messages[3]),
    "The call call_1_1 is answered twice, or too late.",
  ],
  "an answer without a call": [
    ({ messages }) => messages.push({ role: "tool", tool_call_id: "x", content: "" }),
    "No call has the id x that is answered.",
  ],
  "two calls with one id": [
    ({ messages }) => {
      messages[2].tool_calls[1].id = "call_1_1";
      messages.pop();
    },
    "The id call_1_1 is that of two calls.",
  ],
  "truncated arguments": [
    ({ messages }) => {
      messages[2].tool_calls[0].function.arguments = '{"path":';
    },
    "'messages[2].tool_calls' has arguments that are no JSON of an object: {\"path\":",
  ],
  "missing arguments": [
    ({ messages }) => {
      messages[2].tool_calls[0].function.arguments = "";
    },
    "'messages[2].tool_calls' has arguments that are no JSON of an object: ",
  ],
  "a call of another type, without a name": [
    ({ messages }) => {
      messages[2].tool_calls[0].type = "custom";
      messages[2].tool_calls[0].function.name = "";
    },
    "'messages[2].tool_calls' has a call of type custom.",
    "'messages[2].tool_calls' has a call of ''.",
  ],
  "an empty list of calls": [
    ({ messages }) => messages.push({ role: "assistant", content: "So", tool_calls: [] }, messages[1]),
    "'messages[5].tool_calls' is not a list of calls.",
  ],
  "an empty reply": [
    ({ messages }) => messages.push({ role: "assistant", content: null }, messages[1]),
    "'messages[5].content' is missing.",
  ],
  "an empty message": [
    ({ messages }) => {
      messages[1].content = "";
    },
    "'messages[1].content' is empty.",
  ],
  "changed reasoning": [
    ({ messages }) => {
      messages[2].reasoning_content = "Hm!";
    },
    "The reasoning before messages[2] has changed.",
  ],
  "an assistant message at the end": [
    ({ messages }) => messages.push({ role: "assistant", content: "Well" }),
    "The last message is nothing that a model has to answer.",
  ],
  "a system message in the middle": [
    ({ messages }) => messages.push({ role: "system", content: "Hurry" }, messages[1]),
    "Instructions must be at the beginning, not at messages[5].",
  ],
  "an image in an answer": [
    ({ messages }) => {
      messages[3].content = [{ type: "image_url", image_url: { url: "data:" } }];
    },
    "Invalid value: a part of type 'image_url' in a message of role tool.",
  ],
  "a role of another API": [
    ({ messages }) => {
      messages[1].role = "model";
    },
    "Invalid value: 'messages[1].role' model.",
  ],
  "fields of another API": [
    (body) => {
      body.reasoning = { effort: "low" };
      body.messages[3].name = "read";
    },
    "Unknown parameter: 'reasoning'.",
    "Unknown parameter: 'messages[3].name'.",
  ],
  "a tool whose arguments are not an object": [
    ({ tools }) => {
      tools[0].function.parameters = { anyOf: [] };
    },
    "Invalid schema for function 'read': arguments are no object.",
  ],
  "a tool with an invalid name": [
    ({ tools }) => {
      tools[0].function.name = "file.read";
    },
    "Invalid schema for function 'file.read': name file.read.",
  ],
  "a tool in the Responses API format": [
    ({ tools }) => tools.push({ type: "function", name: "write", parameters: {} }),
    "A tool is not a function with parameters.",
  ],
  "two tools with one name": [({ tools }) => tools.push(tools[0]), "Two tools are called read."],
  "an empty list of tools": [(body) => body.tools.pop(), "'tools' is an empty list."],
};

const asking = { kind: "openai-chat", path: "/chat/completions", script } as const;
const opening = { ...good, messages: good.messages.slice(0, 2) };

it("accepts a valid request", async () => {
  const requests = [opening, good];
  expect(await breachesOf({ ...asking, requests })).toEqual({ statuses: [200, 200], breaches: [] });
});

it.each(Object.entries(breaches))("refuses %s", async (_, [change, ...sentences]) => {
  const requests = [opening, changed(good, change)];
  expect(await breachesOf({ ...asking, requests, forgets: true })).toEqual({
    statuses: [200, 400],
    breaches: sentences.map((fault) => `Request 2: ${fault}`),
  });
});
