import { expect, it } from "vitest";
import type { Message } from "../../src/models/message.ts";
import { sessionOnLoopback } from "../agent/session-on-loopback.ts";
import { checkHistory } from "../support/check-history.ts";

const list = { name: "file_list", input: {} };

it("keeps the input of a turn that is stopped before it begins", async () => {
  const { session, again, close } = await sessionOnLoopback([], { dialect: "toolcrib" });
  const turn = session.run("The task.");
  await session.abort();
  expect((await turn.result).outcome).toBe("aborted");
  expect(wordsOf(session.messages)[0]).toBe("The task.");
  await session.close();
  const resumed = await again({ resume: session.id });
  expect(resumed.messages).toEqual(session.messages);
  expect(await close()).toEqual([]);
});

it.each<[string, () => unknown]>([
  ["returns something other than text", () => ({ words: 1 })],
  ["returns null", () => null],
  [
    "throws a value without a message",
    () => {
      throw Object.create(null);
    },
  ],
])("continues, and can be resumed, after a hook that %s", async (_, hook) => {
  const { session, again, close } = await sessionOnLoopback([{ calls: [list] }, { text: "Done." }], {
    dialect: "toolcrib",
    hooks: { PostToolUse: hook as () => string },
  });
  expect((await session.run("Go.").result).outcome).toBe("completed");
  expect(checkHistory(session.messages)).toEqual([]);
  await session.close();
  const resumed = await again({ resume: session.id });
  expect(resumed.messages).toEqual(session.messages);
  expect(await close()).toEqual([]);
});

it("runs no call from reasoning when the reply was cut", async () => {
  const thought = JSON.stringify({
    action: "tool_call",
    tool: "file_write",
    args: { path: "a.txt", content: "x" },
  });
  const { session, events, close } = await sessionOnLoopback(
    [
      { text: `<think>Perhaps ${thought}? No, rather`, finish: "length" },
      { text: JSON.stringify({ action: "done", summary: "Nothing to do." }) },
    ],
    { dialect: "toolcrib", protocol: "text" },
  );
  const { outcome, calls } = await session.run("Go.").result;
  expect({ outcome, calls }).toEqual({ outcome: "completed", calls: 0 });
  expect(events.filter(({ type }) => type === "tool-start")).toEqual([]);
  expect(await close()).toEqual([]);
});

it("leaves nothing open in the journal when it is closed during a model change", async () => {
  const { session, server, again, close } = await sessionOnLoopback([{ text: "Well." }], {
    dialect: "toolcrib",
  });
  await session.run("Go.").result;
  const changing = session.use({ model: server.model }).catch(() => {});
  await session.close();
  await changing;
  const resumed = await again({ resume: session.id });
  expect(resumed.messages).toEqual(session.messages);
  expect(await close()).toEqual([]);
});

function wordsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) =>
    message.role === "tool"
      ? []
      : message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );
}
