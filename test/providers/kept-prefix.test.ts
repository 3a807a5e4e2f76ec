import { expect, it } from "vitest";
import { KeptPrefix } from "./kept-prefix.ts";
import type { Conversation } from "./protocol.ts";

it("accepts a conversation that only grows or is repeated", () => {
  expect(checked(conversationOf(1), conversationOf(3), conversationOf(3), conversationOf(5))).toEqual([]);
});

it("accepts parallel conversations, also with the same beginning", () => {
  const other = (count: number) => conversationOf(count, { last: "other" });
  expect(
    checked(conversationOf(1), conversationOf(1), conversationOf(3), other(3), conversationOf(5)),
  ).toEqual([]);
});

it("accepts a conversation that began elsewhere", () => {
  expect(checked(conversationOf(5), conversationOf(7))).toEqual([]);
});

it("accepts any conversation after a reset", () => {
  const prefix = new KeptPrefix();
  const changed = conversationOf(5, { first: "changed" });
  expect([prefix.check(conversationOf(3)), prefix.forget(), prefix.check(changed)].flat()).toEqual([
    undefined,
  ]);
});

it.each([
  [
    "tools",
    conversationOf(3, { head: "tools and more" }),
    "The head has changed: …tools… became …tools and more…",
  ],
  [
    "the first message",
    conversationOf(3, { first: "now 12:01" }),
    "Message 0 has changed: …message 0… became …now 12:01…",
  ],
  ["an answer", conversationOf(5, { third: "cut" }), "Message 2 has changed: …message 2… became …cut…"],
  ["an omitted message", conversationOf(2), "Message 2 has changed: …message 2… became …nothing…"],
])("detects a change of %s", (_, changed, sentence) => {
  expect(checked(conversationOf(1), conversationOf(3), changed)).toEqual([sentence]);
});

function checked(...asked: readonly Conversation[]): readonly string[] {
  const prefix = new KeptPrefix();
  return asked.flatMap((conversation) => prefix.check(conversation));
}

interface Change {
  readonly head?: string;
  readonly first?: string;
  readonly third?: string;
  readonly last?: string;
}

/** The first message is the user's. */
function conversationOf(count: number, { head = "tools", first, third, last }: Change = {}): Conversation {
  const messages = Array.from({ length: count }, (_, index) => `message ${index}`);
  if (first !== undefined) messages[0] = first;
  if (third !== undefined) messages[2] = third;
  if (last !== undefined) messages[count - 1] = last;
  return { head, messages, opening: 1 };
}
