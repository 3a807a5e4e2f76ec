import { expect, it } from "vitest";
import type { Message } from "../message.ts";
import type { ModelEvent } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { recordedModel } from "./recorded-model.ts";

const model = recordedModel({
  name: "two",
  replies: [
    { text: "Let me look.", calls: [{ name: "file.read", input: { path: "a" } }], usage: { input: 5 } },
    { reasoning: "Hm.", text: "Done" },
  ],
});

const asked: Message = { role: "user", content: [{ type: "text", text: "Go" }] };
const replied: Message = { role: "assistant", model: "recorded/two", content: [{ type: "text", text: "x" }] };

async function ask(
  messages: readonly Message[],
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream({ system: "", messages, tools: [] }, signal)) events.push(event);
  return events;
}

const usage = { input: 0, cached: 0, cacheWritten: 0, output: 0, reasoning: 0 };

it("plays the next reply of the recording", async () => {
  expect([await ask([asked]), await ask([asked, replied, asked])]).toEqual([
    [
      { type: "part-start", id: "text_1", part: "text" },
      { type: "part-delta", id: "text_1", text: "Let " },
      { type: "part-delta", id: "text_1", text: "me " },
      { type: "part-delta", id: "text_1", text: "look." },
      { type: "part-end", id: "text_1" },
      { type: "call-start", id: "call_1_1", name: "file.read" },
      { type: "call-delta", id: "call_1_1", text: '{"path":"a"}' },
      {
        type: "call",
        call: { type: "call", id: "call_1_1", name: "file.read", input: { ok: true, value: { path: "a" } } },
      },
      { type: "finish", reason: "calls", usage: { ...usage, input: 5 } },
    ],
    [
      { type: "part-start", id: "reasoning_2", part: "reasoning" },
      { type: "part-delta", id: "reasoning_2", text: "Hm." },
      { type: "part-end", id: "reasoning_2" },
      { type: "part-start", id: "text_2", part: "text" },
      { type: "part-delta", id: "text_2", text: "Done" },
      { type: "part-end", id: "text_2" },
      { type: "finish", reason: "stop", usage },
    ],
  ]);
});

it("fails after its last reply, and aborts at once", async () => {
  await expect(ask([asked, replied, asked, replied, asked])).rejects.toEqual(
    new ModelError("not-found", "The recording has ended.", {
      hint: "Set up a model: toolcrib models",
    }),
  );
  await expect(ask([asked], AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
});

it("rejects with the reason of the abort, also between two words", async () => {
  const slow = recordedModel({ name: "slow", replies: [{ text: "Never." }] }, { wordMs: 600_000 });
  const stop = new AbortController();
  const events = slow
    .stream({ system: "", messages: [asked], tools: [] }, stop.signal)
    [Symbol.asyncIterator]();
  await events.next();
  const word = events.next();
  const reason = new Error("stop");
  stop.abort(reason);
  await expect(word).rejects.toBe(reason);
});
