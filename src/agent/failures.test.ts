import { describe, expect, it } from "vitest";
import { type LoopbackOptions, plain, sessionOnLoopback } from "../../test/agent/session-on-loopback.ts";
import type { Fault, Script } from "../../test/providers/provider-server.ts";
import { checkHistory } from "../../test/support/check-history.ts";
import { withEnoughTime } from "../../test/support/enough-time.ts";
import type { Model } from "../models/model.ts";
import type { AgentEvent } from "./event.ts";
import type { LiveSession } from "./live-session.ts";
import { formatDuration } from "./retry.ts";

const sessionOptions = {
  dialect: "toolcrib",
  limits: { retryWaitMs: 10 },
} as const satisfies LoopbackOptions;

async function played(script: Script, options: LoopbackOptions = {}) {
  const held = await sessionOnLoopback(script, { ...sessionOptions, ...options });
  const { session, events } = held;
  const result = await session.run("Go.").result;
  const of = <Type extends AgentEvent["type"]>(type: Type) =>
    plain(events).filter(
      (event): event is Extract<AgentEvent, { type: Type }> => "type" in event && event.type === type,
    );
  expect(checkHistory(session.messages)).toEqual([]);
  return { ...held, result, of };
}

describe("a reply that fails temporarily", () => {
  const faults: { fault: Fault; kind: string }[] = [
    { fault: { status: 500 }, kind: "server" },
    { fault: { status: 429 }, kind: "rate-limit" },
    { fault: { status: 429, retryAfter: "0" }, kind: "rate-limit" },
    { fault: "cut-in-text", kind: "cut" },
    { fault: "cut-in-arguments", kind: "cut" },
    { fault: "end-in-text", kind: "cut" },
    { fault: "end-in-arguments", kind: "cut" },
    { fault: "no-terminal-event", kind: "cut" },
    { fault: "empty", kind: "empty" },
    { fault: "error-event", kind: "server" },
    { fault: "drop-before-headers", kind: "network" },
  ];
  it.each(faults)(
    "is requested again after $fault, and nothing of the first attempt counts",
    async ({ fault, kind }) => {
      const write = { name: "file_write", input: { path: "b.txt", content: "x" } };
      const { session, result, of, close } = await played([
        { text: "Wrong from the beginning", calls: [write], fault },
        { text: "Right." },
      ]);
      expect(result).toMatchObject({ outcome: "completed", text: "Right.", rounds: 1, calls: 0 });
      expect(of("retry")).toEqual([
        { type: "retry", attempt: 1, waitMs: expect.any(Number), code: kind, message: expect.any(String) },
      ]);
      expect(of("text-start")).toHaveLength(of("text-end").length);
      expect(of("tool-start")).toEqual([]);
      expect(session.messages).toHaveLength(2);
      expect(await close()).toEqual([]);
    },
  );

  it.each(["hang-before", "hang-during"] as const)(
    "times out when nothing arrives: %s",
    { tags: "slow" },
    async (fault) => {
      // On a busy machine the next answer also takes long, and is waited for longer.
      const next = Array.from({ length: 6 }, () => ({ text: "Right." }));
      const [{ result, retries, left }, silenceMs] = await withEnoughTime(
        300,
        async (silenceMs) => {
          const { result, of, close } = await played([{ text: "Once upon", fault }, ...next], {
            limits: { retryWaitMs: 10, silenceMs },
          });
          return { result, retries: of("retry"), left: await close() };
        },
        ({ retries }) => retries.length <= 1,
      );
      expect(result).toMatchObject({ outcome: "completed", text: "Right." });
      expect(retries).toEqual([
        {
          type: "retry",
          attempt: 1,
          waitMs: expect.any(Number),
          code: "timeout",
          message: `The model sent nothing for ${formatDuration(silenceMs)}.`,
        },
      ]);
      expect(left).toEqual([]);
    },
  );

  it("fails after the allowed number of attempts", async () => {
    const { result, of, session, close } = await played(() => ({ fault: { status: 503 } }), {
      limits: { retryWaitMs: 10, retries: 2 },
    });
    expect(result).toMatchObject({
      outcome: "failed",
      error: { code: "server", message: expect.stringContaining("(3 attempts)") },
    });
    expect(of("retry")).toHaveLength(2);
    expect(of("error")).toEqual([{ type: "error", error: result.error }]);
    expect(session.state).toBe("idle");
    expect(await close()).toEqual([]);
  });
});

it.each([
  { fault: { status: 401 }, kind: "auth" },
  { fault: { status: 403 }, kind: "auth" },
  { fault: { status: 400 }, kind: "bad-request" },
  { fault: { status: 429, retryAfter: "86400" }, kind: "rate-limit" },
] as const)("fails at once after $fault, and the session can continue", async ({ fault, kind }) => {
  const { result, of, session, close } = await played([{ fault }, { text: "Fine." }]);
  expect(result).toMatchObject({ outcome: "failed", text: "", error: { code: kind } });
  expect(of("retry")).toEqual([]);
  expect(await session.run("Again.").result).toMatchObject({ outcome: "completed", text: "Fine." });
  expect(checkHistory(session.messages)).toEqual([]);
  expect(await close()).toEqual([]);
});

describe("a reply that exceeds the output limit", () => {
  it("is continued", async () => {
    const { result, server, close } = await played([
      { text: "One, two,", finish: "length" },
      { text: "three." },
    ]);
    expect(result).toMatchObject({ outcome: "completed", text: "three.", rounds: 2 });
    expect(server.requests[1]?.messages.at(-1)).toMatchObject({
      role: "user",
      text: expect.stringContaining("Your last reply was cut off"),
    });
    expect(await close()).toEqual([]);
  });

  it("has its complete calls made", async () => {
    const calls = [{ name: "file_read", input: { path: "a.txt" } }];
    const { result, server, close } = await played([{ calls, finish: "length" }, { text: "Done." }]);
    expect(result).toMatchObject({ outcome: "completed", calls: 1 });
    expect(server.requests[1]?.messages.at(-1)?.text).toContain("1 complete call in it was made.");
    expect(await close()).toEqual([]);
  });

  it("fails when it never ends", async () => {
    const { result, server, close } = await played(() => ({ text: "and so on", finish: "length" }));
    expect(result).toMatchObject({
      outcome: "failed",
      error: { code: "cut", message: expect.stringContaining("4 replies") },
    });
    expect(server.requests).toHaveLength(4);
    expect(await close()).toEqual([]);
  });
});

it("names the content filter when the provider blocks a reply", async () => {
  const { result, session, close } = await played([
    { text: "I will not", finish: "filtered" },
    { text: "Fine." },
  ]);
  expect(result).toMatchObject({
    outcome: "failed",
    error: {
      code: "bad-request",
      message: "The provider's content filter blocked this request.",
      hint: "Rephrase the request, or use another model.",
    },
  });
  expect(await session.run("Again.").result).toMatchObject({ outcome: "completed" });
  expect(await close()).toEqual([]);
});

describe("a reply that fails is charged", () => {
  const usage = { input: 1_000, output: 100 };
  // gpt-5: $1.25 and $10 per million tokens.
  const perReply = (1_000 * 1.25 + 100 * 10) / 1_000_000;

  it("when it is empty, also the third time, which ends the turn", async () => {
    const { session, result, server, close } = await played(() => ({ fault: "empty", usage }));
    expect(result).toMatchObject({
      outcome: "failed",
      error: { code: "empty", message: `${session.model.id} gave 3 empty replies in a row.` },
    });
    expect([server.requests.length, session.usage.input, session.usage.output]).toEqual([3, 3_000, 300]);
    expect(session.cost).toBeCloseTo(3 * perReply, 9);
    await close();
  });

  it("when it is empty and the next one is not", async () => {
    const { result, close } = await played([
      { fault: "empty", usage },
      { text: "Fine.", usage },
    ]);
    expect(result).toMatchObject({ outcome: "completed", usage: { input: 2_000, output: 200 } });
    await close();
  });

  it("by an estimate when it breaks off before its usage came", async () => {
    const text = "Words that were generated. ".repeat(40);
    const { result, close } = await played([
      { text, fault: "cut-in-text", usage },
      { text: "Fine.", usage },
    ]);
    expect(result.usage.input).toBeGreaterThan(1_000);
    expect(result.usage.output).toBeGreaterThan(110);
    await close();
  });

  it("before the limit of cost is looked at again", async () => {
    const { result, server, of, close } = await played(() => ({ fault: "empty", usage }), {
      limits: { retryWaitMs: 10, cost: perReply * 1.5 },
    });
    expect([result.outcome, server.requests.length, of("limit").length]).toEqual(["limit", 2, 1]);
    await close();
  });
});

describe("limits", () => {
  const reads = () => ({
    text: `Reading.`,
    calls: [{ name: "file_read", input: { path: `${Math.random()}` } }],
  });
  it.each([
    { limits: { rounds: 3 }, limit: "rounds", rounds: 3 },
    { limits: { tokens: 1 }, limit: "tokens", rounds: 1 },
    { limits: { cost: 0.000_000_1 }, limit: "cost", rounds: 1 },
  ] as const)(
    "ends a turn at the limit of $limit with every call answered",
    async ({ limits, limit, rounds }) => {
      const { result, of, close } = await played(reads, { limits });
      expect(result).toMatchObject({ outcome: "limit", limit, error: null, rounds, calls: rounds });
      expect(of("limit")).toEqual([{ type: "limit", limit, allowed: Object.values(limits)[0] }]);
      expect(await close()).toEqual([]);
    },
  );

  it("start no more turns than allowed", async () => {
    const { session, close } = await played([{ text: "One." }], { limits: { turns: 1 } });
    expect(await session.run("Two.").result).toMatchObject({ outcome: "limit", rounds: 0 });
    expect(session.messages).toHaveLength(2);
    expect(await close()).toEqual([]);
  });

  it("apply the cost limit to known prices, also after a model without a price", async () => {
    const priced = { contextTokens: 100_000, prices: { input: 1_000_000, output: 0 } };
    const { session, server, close } = await sessionOnLoopback(reads, {
      ...sessionOptions,
      limits: { cost: 5, rounds: 2 },
      allowUnpriced: true,
      server: { models: ["gpt-5", "unpriced"] },
    });
    const dear: Model = { ...session.model, facts: priced };
    await session.use({ model: { ...session.model, facts: {} } });
    await session.run("Go.").result;
    expect(session.cost).toBeNull();
    await session.use({ model: dear });
    expect(server.requests).toHaveLength(2);
    expect(await session.run("Go on.").result).toMatchObject({ outcome: "limit", rounds: 1 });
    await close();
  });

  it("of cost refuse a model without a price, at the start and later, unless it is allowed", async () => {
    const options = { ...sessionOptions, limits: { cost: 5 }, server: { models: ["gpt-5", "unpriced"] } };
    const { session, close } = await sessionOnLoopback([], options);
    const unpriced: Model = { ...session.model, id: "openai/unpriced", facts: {} };
    const refusal = {
      code: "invalid-input",
      message: "The price of openai/unpriced is not known, so no limit of cost holds",
    };
    await expect(session.use({ model: unpriced })).rejects.toMatchObject(refusal);
    await close();
    await expect(sessionOnLoopback([], { ...options, model: unpriced })).rejects.toMatchObject(refusal);
    const allowed = await sessionOnLoopback([], { ...options, model: unpriced, allowUnpriced: true });
    await allowed.close();
  });

  it("longer than any timer are not applied", async () => {
    const { result, close } = await played([{ fault: { status: 500 } }, { text: "Fine." }], {
      limits: { silenceMs: 3e9, retryWaitMs: 10 },
    });
    expect(result).toMatchObject({ outcome: "completed", text: "Fine." });
    expect(await close()).toEqual([]);
  });

  it("refuse unknown names", async () => {
    await expect(
      sessionOnLoopback([], { ...sessionOptions, limits: { round: 3 } as never }),
    ).rejects.toMatchObject({
      code: "invalid-input",
      hint: expect.stringContaining("rounds"),
    });
  });
});

it("warns a model that repeats itself, and stops it when it continues", async () => {
  const { result, of, server, close } = await played(
    () => ({ calls: [{ name: "file_read", input: { path: "a.txt" } }] }),
    { files: { "a.txt": "hello\n" } },
  );
  expect(result).toMatchObject({ outcome: "loop", rounds: 5, calls: 5 });
  const calls = ['file_read({"path":"a.txt"})'];
  expect(of("loop")).toEqual([
    { type: "loop", action: "warned", calls, times: 3 },
    { type: "loop", action: "stopped", calls, times: 5 },
  ]);
  expect(server.requests[3]?.messages.at(-1)).toMatchObject({
    role: "user",
    text: expect.stringContaining("You made this call 3 times"),
  });
  expect(await close()).toEqual([]);
});

it("compacts once and retries when the conversation is too long for the model", async () => {
  const overflow = {
    status: 400,
    body: {
      error: {
        message: "Your input exceeds the context window",
        type: "invalid_request_error",
        code: "context_length_exceeded",
      },
    },
  };
  let refusedAt = 0;
  const files = Object.fromEntries(
    [0, 1, 2].map((number) => [`${number}.txt`, `${number} words\n`.repeat(400)]),
  );
  const { session, result, of, close } = await played(
    ({ messages, number }) => {
      const asked = messages.at(-1)!;
      const answers = messages.filter(({ role }) => role === "tool").length;
      if (answers === 3 && asked.role === "tool" && refusedAt === 0) {
        refusedAt = number;
        return { fault: overflow };
      }
      if (refusedAt > 0 && number === refusedAt + 1) return { text: "A summary of what was read." };
      const read = { name: "file_read", input: { path: `${answers}.txt` } };
      return refusedAt > 0 ? { text: "Done." } : { text: "On.", calls: [read] };
    },
    { files, server: { strict: false } },
  );
  expect(of("error")).toEqual([]);
  expect(result).toMatchObject({ outcome: "completed", text: "Done." });
  expect(of("compaction")).toEqual([
    { type: "compaction", tokensBefore: expect.any(Number), tokensAfter: expect.any(Number) },
  ]);
  expect(session.messages[0]).toEqual({ role: "user", content: [{ type: "text", text: "Go." }] });
  await close();
});

it("compacts on request, at once or before the next round", async () => {
  const files = { "long.txt": "words and words\n".repeat(400) };
  const read = { name: "file_read", input: { path: "long.txt" } };
  const { session, of, close } = await played(
    ({ messages, number }) => {
      if (messages.at(-1)?.text.includes("hand")) return { text: "A summary of what was read." };
      return number % 2 === 1 ? { calls: [read] } : { text: "Done." };
    },
    { files, server: { strict: false } },
  );
  const compacting = session.compact();
  expect(session.state).toBe("processing");
  expect(() => session.run("Too early.")).toThrow(expect.objectContaining({ code: "unavailable" }));
  session.followUp("Later.");
  const ended = Promise.withResolvers<void>();
  session.on(({ type }) => type === "turn-end" && ended.resolve());
  expect(await compacting).toBe(true);
  await ended.promise;
  expect(of("compaction")).toHaveLength(1);
  expect(session.turns).toBe(2);
  expect(session.messages.flatMap((message) => (message.role === "user" ? message.content : []))).toEqual(
    expect.arrayContaining([
      { type: "text", text: "Go." },
      { type: "text", text: "Later." },
    ]),
  );
  expect(checkHistory(session.messages)).toEqual([]);
  await close();
});

it("compacts on request right after a turn", async () => {
  const { session, close } = await played(
    ({ messages }) => ({ text: messages.length === 1 ? "A long story. ".repeat(2_000) : "A summary." }),
    { server: { strict: false } },
  );
  expect(await session.compact()).toBe(true);
  await close();
});

it("pins the first task that was recorded, not the first attempt", async () => {
  const { session, close } = await sessionOnLoopback([{ text: "Fine." }], sessionOptions);
  await session.use({ model: { ...session.model, facts: { contextTokens: 30_000 } } });
  expect(await session.run("word ".repeat(60_000)).result).toMatchObject({
    outcome: "failed",
    error: { code: "overflow" },
  });
  await session.run("The real task.").result;
  const { conversation } = (session as LiveSession).core;
  expect([...conversation.pinned]).toEqual([session.messages[0]]);
  expect(session.messages[0]).toEqual({ role: "user", content: [{ type: "text", text: "The real task." }] });
  expect(await close()).toEqual([]);
});

it("warns when every round needs a compaction", async () => {
  const files = Object.fromEntries(
    [0, 1, 2, 3, 4, 5].map((number) => [`${number}.txt`, `${number} words\n`.repeat(1_900)]),
  );
  let reads = 0;
  const { session, close } = await sessionOnLoopback(
    ({ messages }) => {
      if (messages.at(-1)?.text.startsWith("The conversation is too long"))
        return { text: "A summary.", usage: { input: 100 } };
      if (reads === 6) return { text: "Done." };
      const calls = [{ name: "file_read", input: { path: `${reads}.txt` } }];
      reads += 1;
      return { calls, usage: { input: 9_000 } };
    },
    { ...sessionOptions, files, server: { strict: false } },
  );
  await session.use({ model: { ...session.model, facts: { contextTokens: 20_000 } } });
  const reported: string[] = [];
  session.on((event) => {
    if (event.type === "compaction") reported.push("compaction");
    if (event.type === "warning" && event.message.includes("after every round")) reported.push("warning");
  });
  await session.run("Go.").result;
  expect(reported.slice(0, 5)).toEqual(["compaction", "compaction", "compaction", "warning", "compaction"]);
  await close();
});
