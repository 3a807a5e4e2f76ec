import { describe, expect, it } from "vitest";
import { breachesOf } from "../breaches-of.ts";
import type { Json } from "../json.ts";

const anthropic = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
const openAi = { format: "openai-responses-v1", index: 0 };

const vendors = {
  "anthropic/claude-sonnet-4.5": [{ ...anthropic, text: "Hm.", signature: "sealed:1:SG0u" }],
  "openai/gpt-5": [
    { ...openAi, type: "reasoning.summary", summary: "Hm." },
    { ...openAi, type: "reasoning.encrypted", data: "sealed:1:SG0u", id: "rs_1" },
  ],
} satisfies Record<string, readonly Json[]>;

describe.each(Object.entries(vendors))("%s", (model, details) => {
  const lost = "Request 2: The reasoning before messages[1] has changed.";

  it.each([
    ["whole", details, []],
    ["with fields in another order", details.map(reversed), []],
    ["not at all", undefined, [lost]],
    ["in part", details.slice(1), [lost]],
    ["altered", details.map((detail: Json) => ({ ...detail, index: 1 })), [lost]],
    ["twice", [...details, ...details], [lost]],
  ] as const)("checks reasoning that comes back %s", async (_, reasoning_details, breaches) => {
    const opening = { model, stream: true, messages: [{ role: "user", content: "Read it" }] };
    const tool_calls = [{ id: "call_1_1", type: "function", function: { name: "read", arguments: "{}" } }];
    const messages = [
      ...opening.messages,
      { role: "assistant", content: null, tool_calls, reasoning_details },
      { role: "tool", tool_call_id: "call_1_1", content: "one" },
    ];
    const found = await breachesOf({
      kind: "openrouter",
      path: "/chat/completions",
      script: [{ reasoning: "Hm.", calls: [{ name: "read", input: {} }] }, { text: "Done." }],
      requests: [opening, { ...opening, messages }],
    });
    expect(found).toEqual({ statuses: [200, breaches.length === 0 ? 200 : 400], breaches });
  });
});

function reversed(detail: object): object {
  return Object.fromEntries(Object.entries(detail).reverse());
}
