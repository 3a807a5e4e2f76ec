import { expect, it } from "vitest";
import { type LoopbackSession, sessionOnLoopback } from "../../../test/agent/session-on-loopback.ts";
import type { ProviderKind, ScriptedReply, SeenRequest } from "../../../test/providers/provider-server.ts";
import { checkHistory } from "../../../test/support/check-history.ts";

/** Providers that report how many tokens they read. */
const kinds: readonly ProviderKind[] = ["openai", "anthropic", "google", "ollama", "openrouter"];

const files = Object.fromEntries(
  Array.from({ length: 9 }, (_, index) => [`f${index}.txt`, `${index} `.repeat(2_000)]),
);

const reads = (number: number): ScriptedReply => ({
  reasoning: "Which one next?",
  text: `Number ${number}.`,
  calls: [{ name: "file_read", input: { path: `f${number}.txt` } }],
});

const isAskedToSumUp = ({ messages }: SeenRequest) =>
  messages.at(-1)?.text.includes("The conversation is too long and will be compacted") ?? false;

/** Reads one file after the other; the sixth reply fills the window. `aside` answers side requests. */
function reader(loopback: () => LoopbackSession, aside: (request: SeenRequest) => ScriptedReply) {
  let replies = 0;
  return (request: SeenRequest): ScriptedReply => {
    if (isAskedToSumUp(request)) {
      loopback().server.forget();
      return aside(request);
    }
    replies += 1;
    if (replies > 8) return { text: "All read." };
    const share = replies === 6 ? 0.93 : 0.1 * Math.min(replies, 3);
    return {
      ...reads(replies),
      usage: { input: Math.round((loopback().session.context.window ?? 0) * share) },
    };
  };
}

it.each(kinds)("continues with %s after a compaction", { tags: "slow" }, async (kind) => {
  const summaries: SeenRequest[] = [];
  const loopback: LoopbackSession = await sessionOnLoopback(
    reader(
      () => loopback,
      (request) => {
        summaries.push(request);
        return { ...reads(7), text: "## Task\nRead them." };
      },
    ),
    { kind, dialect: "toolcrib", files },
  );
  const { session, events } = loopback;
  const result = await session.run("Read all files.").result;
  const [task, summary, ...rest] = session.messages;
  expect({
    outcome: result.outcome,
    text: result.text,
    calls: result.calls,
    compactions: events.filter(({ type }) => type === "compaction").length,
    warnings: events.filter((event) => event.type === "warning" && /80 %|full/i.test(event.message)).length,
    asked: summaries.map(({ messages, tools }) => [messages.length > 12, tools.length > 10]),
    task,
    faults: checkHistory(session.messages),
    hasTail: rest.length > 5,
  }).toEqual({
    outcome: "completed",
    text: "All read.",
    calls: 8,
    compactions: 1,
    warnings: 1,
    asked: [[true, true]],
    task: { role: "user", content: [{ type: "text", text: "Read all files." }] },
    faults: [],
    hasTail: true,
  });
  expect(JSON.stringify(summary)).toContain("## Task\\nRead them.");
  expect(await loopback.close()).toEqual([]);
});

it("leaves everything unchanged when it is aborted, and continues", { tags: "slow" }, async () => {
  const loopback: LoopbackSession = await sessionOnLoopback(
    reader(
      () => loopback,
      () => {
        setTimeout(() => void loopback.session.abort(), 0);
        return { text: "## Task", fault: "hang-during" };
      },
    ),
    { dialect: "toolcrib", files },
  );
  const { session, events } = loopback;
  const stopped = await session.run("Read all files.").result;
  const kept = session.messages.length;
  expect([stopped.outcome, kept, checkHistory(session.messages)]).toEqual(["aborted", 14, []]);
  expect(events.some(({ type }) => type === "compaction")).toBe(false);
  expect(await loopback.close()).toEqual([]);
});

it.each(["openai", "openai-chat"] as const)(
  "compacts a conversation that %s rejects as too long",
  async (kind) => {
    let refusals = 0;
    const loopback: LoopbackSession = await sessionOnLoopback(
      (request) => {
        if (isAskedToSumUp(request)) {
          loopback.server.forget();
          return { text: "## Task\nRead them." };
        }
        const rounds = request.messages.filter(({ role }) => role === "assistant").length;
        if (rounds < 5) return refusals > 0 ? { text: "All read." } : reads(rounds + 1);
        refusals += 1;
        return { fault: tooLong };
      },
      { kind, dialect: "toolcrib", files },
    );
    const { session, events } = loopback;
    const { outcome, text } = await session.run("Read all files.").result;
    expect({
      outcome,
      text,
      refusals,
      compactions: events.filter(({ type }) => type === "compaction").length,
      faults: checkHistory(session.messages),
    }).toEqual({ outcome: "completed", text: "All read.", refusals: 1, compactions: 1, faults: [] });
    expect(await loopback.close()).toEqual([]);
  },
);

it("fails the turn when it is still too long, with a hint", async () => {
  const loopback: LoopbackSession = await sessionOnLoopback(
    (request) => {
      if (isAskedToSumUp(request)) {
        loopback.server.forget();
        return { text: "## Task\nRead them." };
      }
      const rounds = request.messages.filter(({ role }) => role === "assistant").length;
      return request.number <= 5 ? reads(rounds + 1) : { fault: tooLong };
    },
    { dialect: "toolcrib", files },
  );
  const { session, server } = loopback;
  const { outcome, error } = await session.run("Read all files.").result;
  const requests = server.requests.length;
  expect([outcome, error?.code, requests, checkHistory(session.messages)]).toEqual([
    "failed",
    "overflow",
    8,
    [],
  ]);
  expect(await loopback.close()).toEqual([]);
});

it("does not compact twice without a reply in between", async () => {
  let isSummed = false;
  const loopback: LoopbackSession = await sessionOnLoopback(
    (request) => {
      if (isAskedToSumUp(request)) {
        isSummed = true;
        loopback.server.forget();
        return { text: "## Task\nRead them." };
      }
      if (isSummed) return { fault: tooLong };
      const window = loopback.session.context.window ?? 0;
      return { ...reads(request.number), usage: { input: request.number === 5 ? window * 0.93 : 1_000 } };
    },
    { dialect: "toolcrib", files },
  );
  const { session, server } = loopback;
  const { outcome, error } = await session.run("Read all files.").result;
  expect([outcome, error?.code, server.requests.length]).toEqual(["failed", "overflow", 7]);
  expect(await loopback.close()).toEqual([]);
});

it("does not ask for a summary in every round of a model that writes none", async () => {
  let summaries = 0;
  const loopback: LoopbackSession = await sessionOnLoopback(
    (request) => {
      loopback.server.forget();
      if (isAskedToSumUp(request)) {
        summaries += 1;
        return { calls: [{ name: "file_read", input: { path: "f0.txt" } }] };
      }
      const number = request.messages.filter(({ role }) => role === "assistant").length + 1;
      const input = (loopback.session.context.window ?? 0) * 0.91;
      return number > 8 ? { text: "All read.", usage: { input } } : { ...reads(number), usage: { input } };
    },
    { dialect: "toolcrib", files },
  );
  const { session, events } = loopback;
  const { outcome, text } = await session.run("Read all files.").result;
  const warnings = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
  expect([outcome, text, summaries, warnings]).toEqual([
    "completed",
    "All read.",
    2,
    [
      expect.stringContaining("The conversation uses 91%"),
      expect.stringContaining("The conversation was not compacted"),
    ],
  ]);
  expect(await loopback.close()).toEqual([]);
});

it("refuses input that exceeds the window before it is sent", { tags: "slow" }, async () => {
  const loopback = await sessionOnLoopback([{ text: "Yes?" }], { dialect: "toolcrib" });
  const { session, server } = loopback;
  const { outcome, error } = await session.run("word ".repeat(1_000_000)).result;
  const later = await session.run("Hello?").result;
  expect([outcome, error?.code, later.text, server.requests.length]).toEqual([
    "failed",
    "overflow",
    "Yes?",
    1,
  ]);
  expect(await loopback.close()).toEqual([]);
});

it.each(["openai", "anthropic", "google", "openrouter"] as const)(
  "summarizes a shortened version of a conversation that %s finds too long to summarize",
  async (kind) => {
    const large = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`f${index}.txt`, "many words in a line\n".repeat(600)]),
    );
    const lengths: number[] = [];
    const loopback: LoopbackSession = await sessionOnLoopback(
      reader(
        () => loopback,
        ({ messages }) => {
          lengths.push(Math.max(...messages.map(({ text }) => text.length)));
          return lengths.length < 3 ? { fault: tooLong } : { text: "## Task\nRead them." };
        },
      ),
      { kind, dialect: "toolcrib", files: large },
    );
    const { outcome } = await loopback.session.run("Read all files.").result;
    const [whole = 0, ...shorter] = lengths;
    expect([outcome, whole > 10_000, shorter.map((length) => Math.round(length / 1_000))]).toEqual([
      "completed",
      true,
      [8, 2],
    ]);
    expect(await loopback.close()).toEqual([]);
  },
);

/** OpenAI's error message; those of the others are recognized by the same words. */
const tooLong = {
  status: 400,
  body: {
    error: {
      message: "Your input exceeds the context window of this model.",
      type: "invalid_request_error",
      code: "context_length_exceeded",
    },
  },
} as const;
