import { describe, expect, it } from "vitest";
import {
  answer,
  begun,
  call,
  reply,
  start,
  turnEnd,
  usage,
  user,
} from "../../../test/support/session-records/entries.ts";
import { entriesUpTo, readEntry } from "./read-entries.ts";
import { restore } from "./restore.ts";
import type { SessionEntry } from "./session-entry.ts";

const task = user(1, "make it", { isPinned: true });
const whole = reply("two files", call("a"), call("b"));

describe("a restored session", () => {
  it("has its messages, answers in the order of the calls, totals and last settings", () => {
    const entries: SessionEntry[] = [
      start,
      task,
      whole,
      begun("a"),
      begun("b"),
      answer("b"),
      answer("a"),
      reply("done"),
      turnEnd(1),
      { kind: "change", model: "google/gemini", reasoning: "high" },
      { kind: "spent", model: "google/gemini", usage },
      user(2, "more"),
    ];
    expect(restore(entries)).toEqual({
      start,
      isPlanning: false,
      messages: [
        task.message,
        whole.message,
        { role: "tool", answers: [answer("a").answer, answer("b").answer] },
        reply("done").message,
        user(2, "more").message,
      ],
      pinned: new Set([task.message]),
      turns: 2,
      usage: new Map([
        ["openai/gpt-5", { input: 20, cached: 4, cacheWritten: 0, output: 6, reasoning: 2 }],
        ["google/gemini", usage],
      ]),
      isTurnOpen: true,
      openTurn: { rounds: 0, calls: 0, wasCut: false },
      model: "google/gemini",
      reasoning: "high",
      unanswered: [],
    });
  });

  it("lists unanswered calls, and whether they had begun", () => {
    const restored = restore([start, task, whole, begun("a")]);
    expect([restored?.messages, restored?.unanswered]).toEqual([
      [task.message, whole.message],
      [
        { call: call("a"), callId: "call_a" },
        { call: call("b"), callId: null },
      ],
    ]);
  });

  it("has the compacted conversation, and what came after", () => {
    const summary = user(1, "what was done").message;
    const restored = restore([
      start,
      task,
      whole,
      answer("a"),
      answer("b"),
      { kind: "compacted", messages: [task.message, summary], pinned: [0], tokensBefore: 9, tokensAfter: 4 },
      reply("done"),
      turnEnd(1),
    ]);
    expect([restored?.messages, restored?.pinned, restored?.isTurnOpen]).toEqual([
      [task.message, summary, reply("done").message],
      new Set([task.message]),
      false,
    ]);
  });

  it("answers every call once, even if the record has missing, duplicate or foreign entries", () => {
    const restored = restore([
      start,
      answer("nobody"),
      task,
      whole,
      answer("b"),
      answer("b", "again"),
      answer("other"),
      user(2, "go on"),
    ]);
    const lost = { id: "a", name: "file_write", content: "The result of this call was lost." };
    expect(restored?.messages.slice(2)).toEqual([
      { role: "tool", answers: [{ ...lost, isError: true, images: [] }, answer("b").answer] },
      user(2, "go on").message,
    ]);
  });

  it("does not count the usage of its parent", () => {
    const forked = { ...start, parent: { session: "session_a", turn: 1 } };
    const entries = [forked, task, reply("one"), turnEnd(1), user(2, "more"), reply("two"), turnEnd(2)];
    expect(restore(entries)?.usage).toEqual(new Map([["openai/gpt-5", usage]]));
  });

  it("is undefined without its beginning", () => {
    expect([restore([]), restore([task])]).toEqual([undefined, undefined]);
  });
});

describe("the entries up to a turn", () => {
  const first = [start, task, reply("one"), turnEnd(1)];
  const entries: SessionEntry[] = [
    ...first,
    { kind: "change", reasoning: "low" },
    user(2, "more"),
    user(2, "wait", { source: "steering" }),
    reply("two"),
  ];
  it("end with it; the last turn includes everything after it", () => {
    expect([1, 2, 3, 0, 1.5].map((turn) => entriesUpTo(entries, turn))).toEqual([
      first,
      entries,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("end where the next turn begins if the turn was interrupted", () => {
    const cut = [start, task, reply("one", call("a")), user(2, "more")];
    expect(entriesUpTo(cut, 1)).toEqual(cut.slice(0, 3));
  });
});

describe("an entry", () => {
  it.each<[string, unknown, string]>([
    ["not JSON", undefined, "Entry 7 of session s is damaged"],
    ["null", null, "Entry 7 of session s is damaged"],
    ["without a kind", {}, "Entry 7 of session s is damaged"],
    [
      "of a kind named like an object property",
      { kind: "constructor" },
      "Session s was written by a newer version of Toolcrib",
    ],
    [
      "half",
      { kind: "reply", message: { role: "assistant", content: [{}] } },
      "Entry 7 of session s is damaged",
    ],
    ["a message that is a plain text", { ...task, message: "hello" }, "Entry 7 of session s is damaged"],
    ["of an unknown kind", { kind: "vision" }, "Session s was written by a newer version of Toolcrib"],
    ["of a newer version", { ...start, version: 2 }, "Session s was written by a newer version of Toolcrib"],
  ])("that is %s is refused", (_name, entry, message) => {
    expect(() => readEntry({ number: 7, at: 1, entry }, "s")).toThrow(
      expect.objectContaining({ code: "unavailable", message, hint: expect.any(String) }),
    );
  });

  it("with unknown fields is returned unchanged", () => {
    const entry = { ...task, later: 1 };
    expect(readEntry({ number: 1, at: 1, entry }, "s")).toBe(entry);
  });
});
