import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { repairResults } from "./repair-results.ts";

it("marks results as complete when the server does not, and leaves the rest unchanged", () => {
  const transport: Transport = repairResults({
    onmessage: undefined,
    start: async () => {},
    send: async () => {},
    close: async () => {},
  } as Transport);
  const received: JSONRPCMessage[] = [];
  expect(transport.onmessage).toBeUndefined();
  transport.onmessage = (message) => void received.push(message);
  const others = [
    { jsonrpc: "2.0", id: 2, result: { resultType: "input_required", requestState: "s" } },
    { jsonrpc: "2.0", id: 3, error: { code: -32603, message: "no" } },
    { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
  ] as JSONRPCMessage[];
  for (const message of [{ jsonrpc: "2.0", id: 1, result: { content: [] } } as JSONRPCMessage, ...others])
    transport.onmessage?.(message);
  expect(received).toEqual([
    { jsonrpc: "2.0", id: 1, result: { resultType: "complete", content: [] } },
    ...others,
  ]);
});

it("cuts lists that are too long to check", () => {
  const transport = repairResults({
    start: async () => {},
    send: async () => {},
    close: async () => {},
  } as Transport);
  const received: unknown[] = [];
  transport.onmessage = (message) => void received.push("result" in message && message.result);
  const result = { content: Array(1_200).fill(0), tools: Array(20_000).fill(0) };
  transport.onmessage({ jsonrpc: "2.0", id: 1, result });
  expect(received).toEqual([
    {
      resultType: "complete",
      content: [...Array(1_000).fill(0), { type: "text", text: "[200 more parts not shown]" }],
      tools: Array(10_000).fill(0),
    },
  ]);
});

it.each(['abc"def\\gh', '"result":', "jsonrpc", "result", "nabcdef"])(
  "removes the secret %s from a message, and leaves the rest unchanged",
  (secret) => {
    const transport = repairResults({} as Transport, () => [secret]);
    const received: unknown[] = [];
    transport.onmessage = (message) => void received.push(message);
    const result = { content: [`Sent: ${secret}`, "a\nabcdef"], structuredContent: { [`${secret}!`]: 1 } };
    transport.onmessage({ jsonrpc: "2.0", id: 1, result } as JSONRPCMessage);
    transport.onmessage({ jsonrpc: "2.0", id: 2, error: { code: 1, message: secret } });
    const content = ["Sent: [secret]", "a\nabcdef"];
    expect(received).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        result: { resultType: "complete", content, structuredContent: { "[secret]!": 1 } },
      },
      { jsonrpc: "2.0", id: 2, error: { code: 1, message: "[secret]" } },
    ]);
  },
);
