import { expect, it } from "vitest";
import { ask, user } from "../../../test/support/models/ask.ts";
import { openrouter } from "./openrouter.ts";

it("keeps reasoning details unchanged, and nothing else", async () => {
  const conversation = [
    "words",
    [null, "x", 5, {}, { type: "reasoning.text", index: 0, text: "Let " }],
    [{ type: "reasoning.text", index: 0, text: "me.", signature: "s" }],
    [{ type: "reasoning.encrypted", index: 1, data: "e" }],
  ];
  const deltas = [...conversation.map((reasoning_details) => ({ reasoning_details })), { content: "Hello." }];
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ];
  const body = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
  const model = await openrouter({
    model: "acme/one",
    facts: {},
    fetch: async () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
  });
  const { message } = await ask(model, { messages: [user("Hi.")] });
  expect(message).toEqual({
    role: "assistant",
    model: "openrouter/acme/one",
    content: [{ type: "text", text: "Hello." }],
    meta: {
      openaiCompatible: {
        reasoning_details: [
          { type: "reasoning.text", index: 0, text: "Let me.", signature: "s" },
          { type: "reasoning.encrypted", index: 1, data: "e" },
        ],
      },
    },
  });
});
