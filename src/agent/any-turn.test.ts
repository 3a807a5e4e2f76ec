/** @module-tag slow */
import fc from "fast-check";
import { expect, it } from "vitest";
import { sessionOnLoopback } from "../../test/agent/session-on-loopback.ts";
import type {
  Fault,
  ProviderKind,
  ScriptedCall,
  ScriptedReply,
} from "../../test/providers/provider-server.ts";
import { checkHistory } from "../../test/support/check-history.ts";
import { rounds } from "../../test/support/rounds.ts";

const call: fc.Arbitrary<ScriptedCall> = fc.constantFrom(
  { name: "file_read", input: { path: "a.txt" } },
  { name: "file_read", input: { path: "missing.txt" } },
  { name: "file_write", input: { path: "b.txt", content: "x" } },
  { name: "file_list", input: {} },
  { name: "no_such_tool", input: {} },
  { name: "file_read", input: {} },
);

const fault: fc.Arbitrary<Fault | undefined> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Fault>(
      { status: 500 },
      { status: 429, retryAfter: "0" },
      { status: 400 },
      "cut-in-text",
      "cut-in-arguments",
      "no-terminal-event",
      "empty",
      "error-event",
      "duplicate-ids",
      "drop-before-headers",
      "text-after-calls",
    ),
  },
);

const reply: fc.Arbitrary<ScriptedReply> = fc
  .record({
    text: fc.constantFrom(undefined, "Words.", "Ünïcödé 🎉 words"),
    reasoning: fc.constantFrom(undefined, "Thoughts."),
    calls: fc.array(call, { maxLength: 3 }),
    finish: fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, fc.constantFrom("length", "filtered")),
    fault,
  })
  .map((record) => {
    const given = Object.entries(record).filter(([, value]) => value !== undefined);
    const scripted: ScriptedReply = Object.fromEntries(given);
    if (scripted.calls?.length)
      return scripted.fault === "cut-in-text" ? { ...scripted, text: "Well." } : scripted;
    const { fault, ...words } = { ...scripted, text: scripted.text ?? "Well." };
    return fault === "cut-in-arguments" || fault === "text-after-calls"
      ? words
      : { ...words, ...(fault && { fault }) };
  });

/** The servers identify replies by their text. */
function distinct(reply: ScriptedReply | undefined, number: number): ScriptedReply | undefined {
  if (reply === undefined) return undefined;
  const { text, reasoning } = reply;
  return {
    ...reply,
    ...(text && { text: `${text} ${number}` }),
    ...(reasoning && { reasoning: `${reasoning} ${number}` }),
  };
}

/** The user's action after this number of events. */
const deeds = fc.array(
  fc.record({ at: fc.integer({ min: 1, max: 60 }), deed: fc.constantFrom("abort", "steer", "follow up") }),
  { maxLength: 3 },
);

const kinds: readonly ProviderKind[] = [
  "openai",
  "anthropic",
  "google",
  "openai-chat",
  "ollama",
  "openrouter",
];

it.each(kinds)("leaves a conversation that %s accepts, whichever events occur in a turn", async (kind) => {
  await fc.assert(
    fc.asyncProperty(fc.array(reply, { maxLength: 5 }), deeds, async (replies, deeds) => {
      const { session, events, close } = await sessionOnLoopback(
        ({ number, messages }) => {
          const isOver = messages.some(({ text }) => text.includes("Go on."));
          return (isOver ? undefined : distinct(replies[number - 1], number)) ?? { text: "Fine." };
        },
        {
          kind,
          dialect: "toolcrib",
          files: { "a.txt": "hello\n" },
          limits: { retryWaitMs: 2, retries: 2 },
          server: { chunks: "whole" },
        },
      );
      const idle = Promise.withResolvers<void>();
      session.on((event) => {
        if (event.type === "state" && event.state === "idle") idle.resolve();
        for (const { at, deed } of deeds) {
          if (events.length !== at || session.state === "idle") continue;
          if (deed === "abort") void session.abort();
          if (deed === "steer") session.steer("To the left.");
          if (deed === "follow up") session.followUp("And then?");
        }
      });
      session.run("Go.");
      await idle.promise;
      expect(checkHistory(session.messages)).toEqual([]);
      const ended = events.filter(({ type }) => type === "tool-end").length;
      expect(ended).toBe(events.filter(({ type }) => type === "tool-start").length);
      deeds.length = 0;
      const { outcome, error } = await session.run("Go on.").result;
      expect({ outcome, error }).toEqual({ outcome: "completed", error: null });
      expect(checkHistory(session.messages)).toEqual([]);
      expect(await close()).toEqual([]);
    }),
    { numRuns: rounds(3) },
  );
});
