import { expect, it } from "vitest";
import { plain, sessionOnLoopback } from "../../test/agent/session-on-loopback.ts";
import { checkHistory } from "../../test/support/check-history.ts";
import type { AgentEvent } from "./event.ts";

const toolcrib = { dialect: "toolcrib" } as const;
const readsHello = { text: "Reading.", calls: [{ name: "file_read", input: { path: "a.txt" } }] };

it("asks, makes the calls of the reply, and asks again until a reply makes none", async () => {
  const { session, events, close } = await sessionOnLoopback(
    [
      { ...readsHello, usage: { input: 100, output: 10 } },
      { text: "It says hello.", usage: { input: 120, output: 5 } },
    ],
    { ...toolcrib, files: { "a.txt": "hello\n" } },
  );
  const turn = session.run("What does a.txt say?");
  const iterated = await listed(turn);
  const result = await turn.result;
  expect(result).toEqual({
    turn: 1,
    outcome: "completed",
    text: "It says hello.",
    error: null,
    rounds: 2,
    calls: 1,
    usage: { input: 220, cached: 0, cacheWritten: 0, output: 15, reasoning: 0 },
    cost: expect.any(Number),
  });
  const usage = { input: 100, cached: 0, cacheWritten: 0, output: 10, reasoning: 0 };
  const context = { tokens: expect.any(Number), window: expect.any(Number) };
  const cost = expect.any(Number);
  expect(plain(events)).toEqual([
    {
      type: "session-start",
      model: "openai/gpt-5",
      dialect: "toolcrib",
      workspace: session.toolcrib.workspace,
      protocol: "native",
      isResumed: false,
    },
    { type: "state", state: "processing" },
    { type: "turn-start", turn: 1 },
    { type: "user-input", text: "What does a.txt say?" },
    { type: "round-start", round: 1 },
    { type: "text-start", id: "text_1" },
    { type: "text-delta", id: "text_1", text: expect.any(String) },
    { type: "text-end", id: "text_1", text: "Reading." },
    { type: "reply-end", reason: "calls" },
    { type: "usage", usage, total: usage, cost, context },
    {
      type: "tool-start",
      id: "call_1_1",
      name: "file_read",
      canonical: "file.read",
      input: { path: "a.txt" },
    },
    {
      type: "tool-end",
      id: "call_1_1",
      name: "file_read",
      canonical: "file.read",
      output: "1 | hello",
      shown: "1 | hello",
      isError: false,
      error: null,
      data: expect.any(Object),
      callId: expect.stringMatching(/^call_/),
      durationMs: expect.any(Number),
    },
    { type: "round-start", round: 2 },
    { type: "text-start", id: expect.any(String) },
    { type: "text-delta", id: expect.any(String), text: "It says hello." },
    { type: "text-end", id: expect.any(String), text: "It says hello." },
    { type: "reply-end", reason: "stop" },
    {
      type: "usage",
      usage: { ...usage, input: 120, output: 5 },
      total: result.usage,
      cost,
      context,
    },
    { type: "turn-end", ...result },
    { type: "state", state: "idle" },
  ]);
  // An iteration covers its turn: it begins after the request for it, and ends with the turn.
  expect(iterated).toEqual(events.slice(0, -1));
  expect(session.messages).toEqual([
    { role: "user", content: [{ type: "text", text: "What does a.txt say?" }] },
    {
      role: "assistant",
      model: "openai/gpt-5",
      content: [
        { type: "text", text: "Reading.", meta: expect.any(Object) },
        {
          type: "call",
          id: "call_1_1",
          name: "file_read",
          input: { ok: true, value: { path: "a.txt" } },
          meta: expect.any(Object),
        },
      ],
    },
    {
      role: "tool",
      answers: [{ id: "call_1_1", name: "file_read", content: "1 | hello", isError: false, images: [] }],
    },
    {
      role: "assistant",
      model: "openai/gpt-5",
      content: [{ type: "text", text: "It says hello.", meta: expect.any(Object) }],
    },
  ]);
  expect(checkHistory(session.messages)).toEqual([]);
  expect(await close()).toEqual([]);
});

it("refuses a second turn while one runs, with a hint", async () => {
  const { session, close } = await sessionOnLoopback([{ text: "Done." }], toolcrib);
  const turn = session.run("Go.");
  expect(() => session.run("Go on.")).toThrow(
    expect.objectContaining({ code: "unavailable", hint: expect.stringContaining("followUp()") }),
  );
  await turn.result;
  expect(() => session.run("  ")).toThrow(expect.objectContaining({ code: "invalid-input" }));
  expect(await close()).toEqual([]);
});

it("sends steering to the model between two rounds", async () => {
  const { session, server, events, close } = await sessionOnLoopback(
    [readsHello, { text: "In German: hallo." }, { text: "Auch gut." }],
    { ...toolcrib, files: { "a.txt": "hello\n" } },
  );
  session.on((event) => {
    if (event.type === "tool-end") session.steer("In German, please.");
    if (event.type === "text-start" && session.messages.length === 4) session.steer("And thanks.");
  });
  const { outcome, rounds } = await session.run("What does a.txt say?").result;
  expect({ outcome, rounds }).toEqual({ outcome: "completed", rounds: 3 });
  expect(server.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual([
    "What does a.txt say?",
    "In German, please.",
    "And thanks.",
  ]);
  expect(events.filter(({ type }) => type === "steering")).toHaveLength(2);
  expect(checkHistory(session.messages)).toEqual([]);
  expect(await close()).toEqual([]);
});

it("runs follow-ups one after the other as their own turns", async () => {
  const { session, server, close } = await sessionOnLoopback(
    [{ text: "One." }, { text: "Two." }, { text: "Three." }],
    toolcrib,
  );
  const turn = session.run("First.");
  session.followUp("Second.");
  session.followUp("Third.");
  const ends: string[] = [];
  for await (const event of turn) if (event.type === "turn-end") ends.push(event.text);
  expect(ends).toEqual(["One.", "Two.", "Three."]);
  expect((await turn.result).text).toBe("One.");
  expect([session.turns, session.state]).toEqual([3, "idle"]);
  expect(server.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual([
    "First.",
    "Second.",
    "Third.",
  ]);
  expect(await close()).toEqual([]);
});

it("starts a turn with steering when none runs", async () => {
  const { session, close } = await sessionOnLoopback([{ text: "One." }, { text: "Two." }], toolcrib);
  const ended = Promise.withResolvers<void>();
  session.on(({ type }) => type === "turn-end" && session.turns === 2 && ended.resolve());
  session.steer("First.");
  session.followUp("Second.");
  await ended.promise;
  expect(session.turns).toBe(2);
  expect(await close()).toEqual([]);
});

it("lets a listener of the end of a turn start the next", async () => {
  const { session, close } = await sessionOnLoopback([{ text: "One." }, { text: "Two." }], toolcrib);
  const second = Promise.withResolvers<string>();
  const stop = session.on((event) => {
    if (event.type !== "turn-end") return;
    stop();
    void session.run("Second.").result.then(({ text }) => second.resolve(text));
  });
  await session.run("First.").result;
  expect(await second.promise).toBe("Two.");
  expect(await close()).toEqual([]);
});

it("gives every iteration all events, and continues when a listener throws", async () => {
  const { session, close } = await sessionOnLoopback([{ text: "One." }], toolcrib);
  const warned = new Promise((resolve) => process.once("warning", resolve));
  const stop = session.on(() => {
    stop();
    throw new Error("a listener's own fault");
  });
  const turn = session.run("First.");
  const all = await Promise.all([listed(turn), listed(turn)]);
  expect(all[0]).toEqual(all[1]);
  expect(all[0]!.at(-1)).toMatchObject({ type: "turn-end", outcome: "completed" });
  expect(await listed(turn)).toEqual([]);
  expect(await warned).toMatchObject({ message: "a listener's own fault" });
  expect(await close()).toEqual([]);
});

it("aborts a turn when its iteration is left", async () => {
  const { session, close } = await sessionOnLoopback(
    [{ fault: "hang-during", text: "Once upon a time" }],
    toolcrib,
  );
  const turn = session.run("Tell me a story.");
  for await (const { type } of turn) if (type === "text-delta") break;
  expect(session.state).toBe("idle");
  expect(await turn.result).toMatchObject({ outcome: "aborted" });
  expect(await close()).toEqual([]);
});

it("does nothing once it is closed", async () => {
  const { session, events, close } = await sessionOnLoopback([{ fault: "hang-before" }], toolcrib);
  const turn = session.run("Go.");
  session.followUp("Go on.");
  const closing = session.close();
  expect(session.state).toBe("closed");
  for (const act of [() => session.run("x"), () => session.steer("x"), () => session.followUp("x")]) {
    expect(act).toThrow(expect.objectContaining({ code: "unavailable" }));
  }
  await expect(session.use({ reasoning: "low" })).rejects.toMatchObject({ code: "unavailable" });
  await expect(session.compact()).rejects.toMatchObject({ code: "unavailable" });
  await closing;
  expect(await turn.result).toMatchObject({ outcome: "aborted" });
  expect(events.slice(-2).map(({ type }) => type)).toEqual(["state", "session-end"]);
  await session.close();
  expect(await close()).toEqual([]);
});

it("uses another model and another effort from the next round on, with the same tools", async () => {
  const { session, server, events, close } = await sessionOnLoopback([readsHello, { text: "Hello." }], {
    ...toolcrib,
    files: { "a.txt": "hello\n" },
  });
  session.on(({ type }) => {
    if (type === "reply-end" && session.messages.length === 2) {
      void session.use({ model: "openai/gpt-5-mini", reasoning: "high" });
    }
  });
  await session.run("What does a.txt say?").result;
  const [first, second] = server.requests;
  expect([first?.reasoning, second?.reasoning]).toEqual([undefined, "high"]);
  expect(second?.tools).toEqual(first?.tools);
  expect([session.model.id, session.reasoning]).toEqual(["openai/gpt-5-mini", "high"]);
  expect(events.find(({ type }) => type === "model")).toMatchObject({
    model: "openai/gpt-5-mini",
    reasoning: "high",
  });
  expect(await close()).toEqual([]);
});

it("changes nothing once it is closed, however long the change took", async () => {
  const { session, events, again, close } = await sessionOnLoopback([{ text: "One." }], toolcrib);
  await session.run("First.").result;
  const change = session.use({ model: "openai/gpt-5-mini" });
  const refused = expect(change).rejects.toMatchObject({ code: "unavailable" });
  await session.close();
  await refused;
  expect(events.at(-1)).toMatchObject({ type: "session-end" });
  const resumed = await again({ resume: session.id });
  expect(resumed.model.id).toBe("openai/gpt-5");
  expect(await close()).toEqual([]);
});

it("starts a turn with a message from the listener of a dropped one", async () => {
  const { session, events, close } = await sessionOnLoopback(
    ({ messages }) =>
      messages.at(-1)?.text === "Then this." ? { text: "Fine." } : { fault: { status: 400 } },
    toolcrib,
  );
  session.on(({ type }) => {
    if (type === "turn-start" && session.turns === 1) session.followUp("And that.");
    if (type === "warning") session.steer("Then this.");
  });
  const ended = Promise.withResolvers<void>();
  session.on((event) => event.type === "turn-end" && event.turn === 2 && ended.resolve());
  await session.run("First.").result;
  await ended.promise;
  expect(events.flatMap((event) => (event.type === "turn-end" ? [event.outcome] : []))).toEqual([
    "failed",
    "completed",
  ]);
  expect(await close()).toEqual([]);
});

async function listed(turn: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of turn) events.push(event);
  return events;
}
