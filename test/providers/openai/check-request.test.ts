import { expect, it } from "vitest";
import { type Breaches, breachesOf, changed } from "../breaches-of.ts";
import type { Script } from "../provider-server.ts";

const script: Script = [
  {
    reasoning: "Hm.",
    text: "Reading.",
    calls: [
      { name: "read", input: { path: "a" } },
      { name: "apply_patch", input: "***" },
    ],
  },
  { text: "Done." },
];
const summary = [{ type: "summary_text", text: "Hm." }];
const good = {
  model: "gpt-5",
  stream: true,
  store: false,
  include: ["reasoning.encrypted_content"],
  reasoning: { effort: "low", summary: "auto" },
  tools: [
    {
      type: "function",
      name: "read",
      strict: true,
      parameters: {
        type: "object",
        properties: { path: { type: "string" } },
        required: ["path"],
        additionalProperties: false,
      },
    },
    {
      type: "custom",
      name: "apply_patch",
      format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
    },
  ],
  input: [
    { role: "developer", content: "Be kind." },
    { role: "user", content: "Mend it" },
    { type: "reasoning", id: "rs_1", encrypted_content: "encrypted:1:SG0u", summary },
    { role: "assistant", content: "Reading.", phase: "commentary" },
    { type: "function_call", call_id: "call_1_1", name: "read", arguments: '{"path":"a"}' },
    { type: "custom_tool_call", call_id: "call_1_2", name: "apply_patch", input: "***" },
    { type: "function_call_output", call_id: "call_1_1", output: "one line" },
    { type: "custom_tool_call_output", call_id: "call_1_2", output: "patched" },
  ],
};
const breaches: Breaches = {
  "an unanswered call": [
    ({ input }) => input.splice(6, 1),
    "The call call_1_1 is not answered before the next message.",
  ],
  "an answer after a user message": [
    ({ input }) => input.splice(6, 0, { role: "user", content: "Wait" }),
    "The call call_1_1 is not answered before the next message.",
    "The call call_1_2 is not answered before the next message.",
    "The call call_1_1 is answered twice, or too late.",
    "The call call_1_2 is answered twice, or too late.",
  ],
  "a call between the answers": [
    ({ input }) =>
      input.splice(
        7,
        0,
        { type: "function_call", call_id: "x", name: "read", arguments: "{}" },
        { type: "function_call_output", call_id: "x", output: "" },
      ),
    "The call call_1_2 is not answered before another call.",
    "The call call_1_2 is answered twice, or too late.",
  ],
  "a call answered twice": [
    ({ input }) => input.push(input[6]),
    "The call call_1_1 is answered twice, or too late.",
  ],
  "an answer without a call": [
    ({ input }) => input.push({ type: "function_call_output", call_id: "x", output: "" }),
    "No call has the id x that is answered.",
  ],
  "an answer of another call type": [
    ({ input }) => {
      input[7].type = "function_call_output";
    },
    "The custom_tool_call call_1_2 is answered as a function_call.",
  ],
  "two calls with one id": [
    ({ input }) => {
      input[5].call_id = "call_1_1";
      input.pop();
    },
    "The id call_1_1 is that of two calls.",
    "The custom_tool_call call_1_1 is answered as a function_call.",
  ],
  "an id that is too long": [
    ({ input }) => {
      input[4].call_id = "x".repeat(65);
      input[6].call_id = "x".repeat(65);
    },
    "Invalid 'input[4].call_id'.",
  ],
  "truncated arguments": [
    ({ input }) => {
      input[4].arguments = '{"path":';
    },
    "'input[4].arguments' is not the JSON of an object: {\"path\":",
  ],
  "arguments that are not an object": [
    ({ input }) => {
      input[4].arguments = '"a"';
    },
    "'input[4].arguments' is not the JSON of an object: \"a\"",
  ],
  "altered encrypted reasoning": [
    ({ input }) => {
      input[2].encrypted_content += "=";
    },
    "The encrypted content of a reasoning item could not be verified.",
    "Item 'text:Reading.' was provided without its required 'reasoning' item.",
  ],
  "omitted reasoning": [
    ({ input }) => input.splice(2, 1),
    "Item 'text:Reading.' was provided without its required 'reasoning' item.",
  ],
  "reasoning before another item": [
    ({ input }) => input.splice(3, 1),
    "The reasoning rs_1 was provided without its required following item.",
  ],
  "reasoning with another id": [
    ({ input }) => {
      input[2].id = "rs_2";
    },
    "The reasoning rs_2 was not called so.",
  ],
  "reasoning with another summary": [
    ({ input }) => {
      input[2].summary = [];
    },
    "The reasoning rs_1 was summarised otherwise.",
  ],
  "a lost phase": [({ input }) => delete input[3].phase, "'input[3]' has another phase than 'undefined'."],
  "an assistant message at the end": [
    ({ input }) => input.push({ role: "assistant", content: "Well" }),
    "The last item is nothing that a model has to answer.",
  ],
  "an item by reference": [
    ({ input }) => {
      input[2] = { type: "item_reference", id: "rs_1" };
    },
    "Invalid value: 'input[2].type' item_reference.",
    "Item 'text:Reading.' was provided without its required 'reasoning' item.",
  ],
  "an empty message": [
    ({ input }) => {
      input[1].content = [];
    },
    "'input[1].content' is empty.",
  ],
  "a part of another API": [
    ({ input }) => {
      input[1].content = [{ type: "text", text: "Mend it" }];
    },
    "Invalid value: a part of type 'text' in a message of role user.",
  ],
  "a role of another API": [
    ({ input }) => {
      input[1].role = "model";
    },
    "Invalid value: 'input[1].role' model.",
  ],
  "fields of another API": [
    (body) => {
      body.max_tokens = 5;
      body.input[1].name = "me";
    },
    "Unknown parameter: 'max_tokens'.",
    "Unknown parameter: 'input[1].name'.",
  ],
  "a request that would be stored": [
    (body) => delete body.store,
    "'store' is not false: OpenAI would store the conversation.",
  ],
  "reasoning that would be lost": [
    (body) => delete body.include,
    "'include' lacks reasoning.encrypted_content, without which reasoning is lost.",
  ],
  "a temperature for a model that reasons": [
    (body) => {
      body.temperature = 0;
    },
    "Unsupported parameter: 'temperature'.",
  ],
  "an unknown effort": [
    (body) => {
      body.reasoning.effort = "huge";
    },
    "Invalid value: 'reasoning.effort' huge.",
  ],
  "an optional field in a strict tool": [
    ({ tools }) => {
      tools[0].parameters.required = [];
    },
    "Invalid schema for function 'read': parameters.path: not required.",
  ],
  "a tool without the strict flag": [
    ({ tools }) => {
      delete tools[0].strict;
      tools[0].parameters.properties.path.minLength = 1;
    },
    "Invalid schema for function 'read': parameters.path: minLength.",
  ],
  "a tool without parameters": [
    ({ tools }) => delete tools[0].parameters,
    "The tool read does not say what it takes.",
  ],
  "a tool in the Chat Completions format": [
    ({ tools }) => {
      tools[0].function = {};
    },
    "Unknown parameter: 'tools.read.function'.",
  ],
  "two tools with one name": [({ tools }) => tools.push(tools[0]), "Two tools are called read."],
};

const asking = { kind: "openai", path: "/responses", script } as const;
const opening = { ...good, input: good.input.slice(0, 2) };

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

it("refuses a conversation with changed history", async () => {
  const requests = [opening, changed(good, ({ input }) => (input[0].content = "Be kinder."))];
  expect(await breachesOf({ ...asking, requests })).toEqual({
    statuses: [200, 400],
    breaches: [expect.stringMatching(/^Request 2: Message 0 has changed: .*kind\..* became .*kinder\..*$/)],
  });
});

it("refuses changed tools", async () => {
  const requests = [opening, changed(good, ({ tools }) => tools.reverse())];
  expect(await breachesOf({ ...asking, requests })).toEqual({
    statuses: [200, 400],
    breaches: [expect.stringMatching(/^Request 2: The head has changed: /)],
  });
});
