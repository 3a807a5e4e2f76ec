import { expect, it } from "vitest";
import { tools, user } from "../../../test/support/models/ask.ts";
import { toAiSdk } from "../../wire/formats.ts";
import type { AssistantMessage, Message } from "../message.ts";
import { offerTools } from "./route.ts";
import { type PromptOptions, promptMaker } from "./to-prompt.ts";

const telling: PromptOptions = {
  id: "acme/one",
  provider: "acme",
  seesImages: true,
  pictures: "in-answer",
  marksErrors: true,
  callsLast: false,
  keepsPlainReasoning: false,
  reasoningOf: "provider",
};
const box = offerTools({ tools }, { toTool: toAiSdk, isStrict: false });

const reply: AssistantMessage = {
  role: "assistant",
  model: "acme/one",
  meta: { acme: { whole: 1 } },
  content: [
    { type: "reasoning", text: "Hm.", meta: { acme: { signature: "s" } } },
    { type: "reasoning", text: "Unsigned." },
    { type: "text", text: "" },
    { type: "text", text: "\n\n" },
    { type: "call", id: "1", name: "status", input: { ok: true, value: {} }, meta: { acme: { item: "i" } } },
    { type: "text", text: "So.", meta: { acme: { phase: "p" } } },
  ],
};

it("sends back provider metadata, and drops empty parts", () => {
  expect(promptOf([reply])).toEqual([
    {
      role: "assistant",
      providerOptions: { acme: { whole: 1 } },
      content: [
        { type: "reasoning", text: "Hm.", providerOptions: { acme: { signature: "s" } } },
        {
          type: "tool-call",
          toolCallId: "1",
          toolName: "status",
          input: {},
          providerOptions: { acme: { item: "i" } },
        },
        { type: "text", text: "So.", providerOptions: { acme: { phase: "p" } } },
      ],
    },
  ]);
});

it("sends another provider only text and calls", () => {
  expect(promptOf([{ ...reply, model: "acme-two/one" }])).toEqual([
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "1", toolName: "status", input: {} },
        { type: "text", text: "So." },
      ],
    },
  ]);
});

it("does not send model-specific reasoning to another model", () => {
  const [message] = promptOf([{ ...reply, model: "acme/two" }], { reasoningOf: "model" });
  expect((message!.content as readonly { type: string }[]).map(({ type }) => type)).toEqual([
    "tool-call",
    "text",
  ]);
});

it("puts calls last when nothing may follow them", () => {
  const [message] = promptOf([reply], { callsLast: true });
  expect((message!.content as readonly { type: string }[]).map(({ type }) => type)).toEqual([
    "reasoning",
    "text",
    "tool-call",
  ]);
});

it("drops trailing reasoning, and a reply that is then empty", () => {
  const thoughts = reply.content.slice(0, 1);
  expect(promptOf([user("Go on."), { ...reply, content: thoughts }, user("Well?")])).toEqual([
    { role: "user", content: [{ type: "text", text: "Go on." }] },
    { role: "user", content: [{ type: "text", text: "Well?" }] },
  ]);
});

it.each<[string, unknown]>([
  ["a list", [1]],
  ["text", "a"],
  ["nothing", null],
])("sends an object for arguments that are %s", (_, value) => {
  const content = [{ type: "call" as const, id: "1", name: "status", input: { ok: true as const, value } }];
  const [message] = promptOf([{ ...reply, content }]);
  expect(message!.content).toEqual([{ type: "tool-call", toolCallId: "1", toolName: "status", input: {} }]);
});

it("puts images after all tool results when a result takes only text", () => {
  const image = { mediaType: "image/png", base64: "AAAA" };
  const answer = { id: "1", name: "view", content: "a.png", isError: false, images: [image] };
  const messages: Message[] = [{ role: "tool", answers: [answer, { ...answer, id: "2", images: [] }] }];
  expect(promptOf(messages, { pictures: "after-answers" }).map(({ role }) => role)).toEqual(["tool", "user"]);
  expect(promptOf(messages).map(({ role }) => role)).toEqual(["tool"]);
});

it("gives calls of other providers a valid id, and their results the same id", () => {
  const ids = ["functions.read:0", "functions_read_0", "x".repeat(70), "good-1"];
  const content = ids.map((id) => ({
    type: "call" as const,
    id,
    name: "status",
    input: { ok: true as const, value: {} },
  }));
  const answers = ids.map((id) => ({ id, name: "status", content: "", isError: false, images: [] }));
  const [calls, answered] = promptOf(
    [
      { ...reply, content },
      { role: "tool", answers },
    ],
    {
      callIds: /^[\w-]{1,64}$/,
    },
  ).map((message) =>
    (message.content as readonly { toolCallId: string }[]).map(({ toolCallId }) => toolCallId),
  );
  expect([calls, new Set(calls).size]).toEqual([answered, 4]);
  expect(calls!.filter((id) => !/^[\w-]{1,64}$/.test(id))).toEqual([]);
  expect([calls![1], calls![3]]).toEqual([ids[1], ids[3]]);
});

it("converts each message once, so that the beginning of a conversation stays the same", () => {
  const toPrompt = promptMaker(telling);
  const messages: Message[] = [user("Go on."), reply];
  const first = toPrompt({ system: "Be brief.", messages, tools }, box);
  const second = toPrompt({ system: "Be brief.", messages: [...messages, user("Well?")], tools }, box);
  expect(second.slice(1, 3).map((message, index) => message === first[index + 1])).toEqual([true, true]);
});

function promptOf(messages: readonly Message[], habits: Partial<PromptOptions> = {}) {
  return promptMaker({ ...telling, ...habits })({ system: "", messages, tools }, box);
}
