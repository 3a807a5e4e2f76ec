import { describe, expect, it } from "vitest";
import { checkHistory } from "../../test/support/check-history.ts";
import type { AssistantMessage, CallAnswer, CallPart, Message, UserMessage } from "../models/message.ts";
import { History, takeId } from "./history.ts";

const user = (text: string): UserMessage => ({ role: "user", content: [{ type: "text", text }] });
const call = (id: string): CallPart => ({ type: "call", id, name: "read", input: { ok: true, value: {} } });
const reply = (...ids: string[]): AssistantMessage => ({
  role: "assistant",
  model: "test/model",
  content: ids.length === 0 ? [{ type: "text", text: "Done." }] : ids.map(call),
});
const answer = (id: string): CallAnswer => ({ id, name: "read", content: "", isError: false, images: [] });
const answers = (...ids: string[]): Message => ({ role: "tool", answers: ids.map(answer) });

describe("call ids", () => {
  it.each([
    ["call_1", [], "call_1"],
    ["call_1", ["call_1"], "call_1_2"],
    ["call_1", ["call_1", "call_1_2"], "call_1_3"],
    ["", [], "call"],
    ["functions.read:0", [], "functions_read_0"],
    ["é|ü", [], "___"],
    ["x".repeat(200), ["x".repeat(56)], `${"x".repeat(56)}_2`],
  ])("are valid for every provider: %j among %j becomes %j", (given, taken, id) => {
    expect(takeId(given, new Map(taken.map((each) => [each, 1])))).toBe(id);
  });

  it("are unique in the whole conversation, also after compaction", () => {
    const history = new History();
    const ids = (message: AssistantMessage) => message.content.map((part) => part.type === "call" && part.id);
    expect(ids(history.addReply(reply("a", "a", "b")))).toEqual(["a", "a_2", "b"]);
    expect(ids(history.addReply(reply("a", "b")))).toEqual(["a_3", "b_2"]);
    history.restart([user("Go on."), reply("c"), answers("c")], new Set());
    expect(ids(history.addReply(reply("a", "c")))).toEqual(["a_4", "c_2"]);
  });

  it("are found without a search, also for a model that repeats one id", { tags: "slow" }, () => {
    const { content } = new History().addReply(reply(...Array.from({ length: 100_000 }, () => "a")));
    expect(new Set(content.map((part) => part.type === "call" && part.id)).size).toBe(100_000);
  });

  it("change nothing else of a reply", () => {
    const given: AssistantMessage = { ...reply("a"), meta: { signed: true } };
    expect(new History().addReply(given)).toEqual(given);
  });
});

it("keeps pinned messages pinned", () => {
  const history = new History();
  const [task, more] = [user("The task."), user("More.")];
  history.addUser(task, { isPinned: true });
  history.addUser(more, { isPinned: true });
  history.addUser(user("Not pinned."));
  history.restart([task, user("A summary.")], history.pinned);
  expect(history.pinned).toEqual(new Set([task]));
});

describe("a history that the strictest provider would reject", () => {
  it.each<[string, Message[], string[]]>([
    ["nothing", [user("Go."), reply("a", "b"), answers("a", "b"), user("Left."), reply()], []],
    ["a call without an answer", [user("Go."), reply("a")], ["Message 2 calls [a], answered are []."]],
    [
      "a missing answer",
      [user("Go."), reply("a", "b"), answers("a")],
      ["Message 2 calls [a, b], answered are [a]."],
    ],
    [
      "a late answer",
      [user("Go."), reply("a"), user("Left."), answers("a")],
      ["Message 2 calls [a], answered are [].", "Message 4 answers no calls."],
    ],
    [
      "a duplicate answer",
      [user("Go."), reply("a"), answers("a", "a")],
      ["Message 2 calls [a], answered are [a, a]."],
    ],
    [
      "a duplicate id",
      [user("Go."), reply("a"), answers("a"), reply("a"), answers("a")],
      ["Message 4 has the id a, which an earlier call has."],
    ],
    [
      "an id that is too long",
      [user("Go."), reply("x".repeat(65)), answers("x".repeat(65))],
      [expect.any(String)],
    ],
    ["two replies in a row", [user("Go."), reply(), reply()], ["Message 2 is followed by another reply."]],
    ["a reply at the beginning", [reply()], ["The first message is not the user's."]],
    ["an empty message", [{ role: "user", content: [] }], ["Message 1 is empty."]],
  ])("is reported: %s", (_, messages, faults) => {
    expect(checkHistory(messages)).toEqual(faults);
  });
});
