import { expect, it } from "vitest";
import { apiKey } from "./protocol.ts";
import type { Fault, ProviderServer } from "./provider-server.ts";
import { started } from "./started.ts";

it("reports more requests than it has replies", async () => {
  const server = await started("openai-chat", []);
  expect((await ask(server)).status).toBe(400);
  expect(server.breaches).toEqual(["Request 1: The script was over."]);
});

it("checks nothing and keeps only the last request when it is not strict", async () => {
  const server = await started("openai-chat", () => ({ text: "Yes." }), { strict: false });
  const statuses = [await ask(server, { nonsense: 1 }), await ask(server, { nonsense: 2 })];
  expect(statuses.map(({ status }) => status)).toEqual([200, 200]);
  expect(server.breaches).toEqual([]);
  expect(
    server.requests.map(({ number, body }) => [number, (body as { nonsense: number }).nonsense]),
  ).toEqual([[2, 2]]);
});

it.each([
  ["no-terminal-event", { received: "A word or two, and more.", isOver: false, isBroken: false }],
  ["end-in-text", { received: "A word or two, a", isOver: false, isBroken: false }],
  ["cut-in-text", { received: "", isOver: false, isBroken: true }],
  ["comments", { received: "A word or two, and more.", isOver: true, isBroken: false }],
  ["crlf", { received: "A word or two, and more.", isOver: true, isBroken: false }],
  ["empty", { received: "", isOver: true, isBroken: false }],
] as const satisfies readonly [Fault, object][])(
  "sends a reply with the fault %s",
  async (fault, expected) => {
    const server = await started("openai-chat", [{ text: "A word or two, and more.", fault }]);
    const { text, isBroken } = await ask(server);
    const deltas = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, delta]) => delta);
    expect({ received: deltas.join(""), isOver: text.includes("[DONE]"), isBroken }).toEqual(expected);
  },
);

/** All received data, and whether the connection broke. */
async function ask(server: ProviderServer, more: object = {}) {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({
      model: "qwen3-coder",
      stream: true,
      messages: [{ role: "user", content: "Hello" }],
      ...more,
    }),
  });
  let text = "";
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
  } catch {
    return { status: response.status, text, isBroken: true };
  }
  return { status: response.status, text, isBroken: false };
}
