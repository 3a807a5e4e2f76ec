import { describe, expect, it } from "vitest";
import type { CallPart } from "../../models/message.ts";
import type { ModelEvent } from "../../models/model.ts";
import type { AgentEventBody } from "../event.ts";
import { noUsage } from "../spending.ts";
import { ReplyReader } from "./reply-reader.ts";

const finish: ModelEvent = { type: "finish", reason: "stop", usage: noUsage };
const call = (id: string): CallPart => ({ type: "call", id, name: "read", input: { ok: true, value: {} } });

function read(...events: ModelEvent[]) {
  const emitted: AgentEventBody[] = [];
  let number = 0;
  const reader = new ReplyReader(
    "test/model",
    () => ++number,
    (happening) => emitted.push(happening),
  );
  const replies = events.map((event) => reader.read(event));
  return { reader, emitted, reply: replies.at(-1) };
}

it("assembles a reply in the order in which its parts began, with provider metadata", () => {
  const { reply, emitted } = read(
    { type: "part-start", id: "r", part: "reasoning" },
    { type: "part-delta", id: "r", text: "Hm" },
    { type: "part-start", id: "t", part: "text" },
    { type: "call-start", id: "1", name: "read" },
    { type: "part-delta", id: "t", text: "Read" },
    { type: "call-start", id: "2", name: "read" },
    { type: "part-delta", id: "t", text: "" },
    { type: "part-delta", id: "t", text: "ing." },
    { type: "call-delta", id: "2", text: "{}" },
    { type: "call", call: call("2") },
    { type: "part-end", id: "r", meta: { signature: "abc" } },
    { type: "call", call: call("1") },
    { type: "part-end", id: "t" },
    { ...finish, reason: "calls", meta: { id: "reply_1" } },
  );
  expect(reply).toEqual({
    message: {
      role: "assistant",
      model: "test/model",
      content: [
        { type: "reasoning", text: "Hm", meta: { signature: "abc" } },
        { type: "text", text: "Reading." },
        call("1"),
        call("2"),
      ],
      meta: { id: "reply_1" },
    },
    reason: "calls",
    usage: noUsage,
    faults: [],
  });
  expect(emitted).toEqual([
    { type: "reasoning-start", id: "reasoning_1" },
    { type: "reasoning-delta", id: "reasoning_1", text: "Hm" },
    { type: "text-start", id: "text_2" },
    { type: "text-delta", id: "text_2", text: "Read" },
    { type: "text-delta", id: "text_2", text: "ing." },
    { type: "reasoning-end", id: "reasoning_1", text: "Hm" },
    { type: "text-end", id: "text_2", text: "Reading." },
  ]);
});

it("keeps empty parts with metadata, and drops others and incomplete calls", () => {
  const { reply } = read(
    { type: "part-start", id: "r", part: "reasoning" },
    { type: "part-end", id: "r", meta: { encrypted: "…" } },
    { type: "part-start", id: "t", part: "text" },
    { type: "part-end", id: "t" },
    { type: "call-start", id: "1", name: "read" },
    { type: "call", call: call("2") },
    finish,
  );
  expect(reply?.message.content).toEqual([
    { type: "reasoning", text: "", meta: { encrypted: "…" } },
    call("2"),
  ]);
});

it("separates two parts with one id, and starts a part for a delta without a start", () => {
  const { reply } = read(
    { type: "part-start", id: "t", part: "text" },
    { type: "part-delta", id: "t", text: "One." },
    { type: "part-start", id: "t", part: "text" },
    { type: "part-delta", id: "t", text: "Two." },
    { type: "part-delta", id: "u", text: "Three." },
    finish,
  );
  expect(reply?.message.content).toEqual(["One.", "Two.", "Three."].map((text) => ({ type: "text", text })));
});

describe("a reply without text and calls", () => {
  it.each(["stop", "calls"] as const)("is an error with finish reason %s", (reason) => {
    expect(() => read({ type: "part-delta", id: "t", text: " \n" }, { ...finish, reason })).toThrow(
      expect.objectContaining({ code: "empty" }),
    );
  });

  it.each(["length", "filtered"] as const)("is accepted with finish reason %s", (reason) => {
    expect(read({ ...finish, reason }).reply).toMatchObject({ reason, message: { content: [] } });
  });

  it("is accepted with a fault", () => {
    const { reply } = read({ type: "fault", message: "No JSON." }, finish);
    expect(reply).toMatchObject({ faults: ["No JSON."], message: { content: [] } });
  });
});

it("ends open parts when it is cut off, and keeps the text that was shown", () => {
  const { reader, emitted } = read(
    { type: "part-start", id: "r", part: "reasoning" },
    { type: "part-delta", id: "t", text: "Once " },
    { type: "part-delta", id: "t", text: "upon" },
    { type: "warning", message: "Slow." },
  );
  reader.breakOff();
  reader.breakOff();
  expect(emitted.slice(-3)).toEqual([
    { type: "warning", message: "Slow." },
    { type: "reasoning-end", id: "reasoning_1", text: "" },
    { type: "text-end", id: "text_2", text: "Once upon" },
  ]);
  expect(reader.shownText).toBe("Once upon");
});

it("refuses arguments that are not JSON, and counts that are not numbers", () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const usage = { ...noUsage, input: Number.NaN, output: undefined as never };
  const values = [circular, 1n, undefined];
  const calls = values.map((value): ModelEvent => {
    return { type: "call", call: { ...call("1"), input: { ok: true, value } } };
  });
  const { reply } = read(...calls, { ...finish, usage });
  const problem = "The arguments are not JSON.";
  expect(reply?.message.content).toEqual(
    values.map((value) => ({ ...call("1"), input: { ok: false, given: String(value), problem } })),
  );
  expect(reply?.usage).toEqual(noUsage);
});
