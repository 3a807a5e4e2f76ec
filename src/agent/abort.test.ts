import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventNumbers } from "../../test/agent/event-numbers.ts";
import { type LoopbackOptions, plain, sessionOnLoopback } from "../../test/agent/session-on-loopback.ts";
import type { ScriptedReply, SeenRequest } from "../../test/providers/provider-server.ts";
import { checkHistory } from "../../test/support/check-history.ts";
import type { AgentEvent } from "./event.ts";
import type { Session } from "./session.ts";

const sessionOptions = {
  dialect: "toolcrib",
  files: { "a.txt": "hello\n" },
  limits: { retryWaitMs: 20 },
} as const satisfies LoopbackOptions;

/** A retry, text, parallel reads, a command, a malformed call, an end. "Go on." is answered at once. */
function scenario(request: SeenRequest): ScriptedReply {
  if (request.messages.some(({ text }) => text === "Go on.")) return { text: "Fine." };
  const answers = request.messages.filter(({ role }) => role === "tool").length;
  if (request.number === 1) return { text: "A few wor", fault: "cut-in-text" };
  if (answers === 0) {
    const read = { name: "file_read", input: { path: "a.txt" } };
    return {
      reasoning: "Both.",
      text: "Reading.",
      calls: [read, read, { name: "file_read", input: {}, raw: "{" }],
    };
  }
  if (answers === 3) {
    return {
      text: "Running.",
      calls: [{ name: "shell_run", input: { command: "echo 1; sleep 0.05; echo 2" } }],
    };
  }
  return { text: "All done." };
}

/** Events of a command are another kind than those of a read. */
function kindOf(event: AgentEvent): string {
  return "name" in event ? `${event.type} ${event.name}` : event.type;
}

async function stoppedAt(index: number) {
  const held = await sessionOnLoopback(scenario, sessionOptions);
  const { session, events } = held;
  const aborts: Promise<void>[] = [];
  session.on(() => {
    if (events.length === index) aborts.push(session.abort());
  });
  const turn = session.run("Look around.");
  const result = await turn.result;
  await Promise.all(aborts);
  return { ...held, result };
}

/** The session can continue, and the strictest provider accepts the rest of the turn. */
async function goesOn(session: Session, close: () => Promise<readonly string[]>) {
  expect(checkHistory(session.messages)).toEqual([]);
  expect(session.state).toBe("idle");
  const { outcome, text, error } = await session.run("Go on.").result;
  expect({ outcome, text, error }).toEqual({ outcome: "completed", text: "Fine.", error: null });
  expect(checkHistory(session.messages)).toEqual([]);
  expect(await close()).toEqual([]);
}

it("can be aborted at any event of a turn, and continues", { tags: "slow" }, async () => {
  const { events, result, session, close } = await stoppedAt(0);
  expect(result.outcome).toBe("completed");
  expect(new Set(events.map(({ type }) => type))).toEqual(
    new Set([
      "state",
      "session-start",
      "turn-start",
      "user-input",
      "round-start",
      "retry",
      "reasoning-start",
      "reasoning-end",
      "text-start",
      "text-delta",
      "text-end",
      "reply-end",
      "usage",
      "tool-start",
      "tool-output",
      "tool-end",
      "turn-end",
    ]),
  );
  const before = events.findIndex(({ type }) => type === "turn-end");
  await goesOn(session, close);
  for (const index of eventNumbers(events.slice(0, before), kindOf)) {
    const { result, session, close, events } = await stoppedAt(index);
    // The output of a command arrives in a varying number of chunks.
    const end = events.findIndex(({ type }) => type === "turn-end");
    expect([index, result.outcome]).toEqual([index, index <= end ? "aborted" : "completed"]);
    // Each announced call has ended, too.
    const calls = (type: AgentEvent["type"]) => events.filter((event) => event.type === type).length;
    expect(calls("tool-end")).toBe(calls("tool-start"));
    await goesOn(session, close);
  }
});

it("keeps the text that was shown, without provider metadata, and adds a notice for the model", {
  tags: "slow",
}, async () => {
  const script = [
    { text: "Once upon a time there was a model.", fault: "hang-during" as const },
    { text: "Fine." },
  ];
  const { session, close } = await sessionOnLoopback(script, sessionOptions);
  let shown = "";
  session.on((event) => {
    if (event.type !== "text-delta" || session.turns > 1) return;
    shown += event.text;
    void session.abort();
  });
  const { outcome } = await session.run("Tell me a story.").result;
  expect(outcome).toBe("aborted");
  expect(shown).not.toBe("");
  expect(session.messages).toEqual([
    { role: "user", content: [{ type: "text", text: "Tell me a story." }] },
    { role: "assistant", model: "openai/gpt-5", content: [{ type: "text", text: shown }] },
    {
      role: "user",
      content: [{ type: "text", text: expect.stringContaining("The user interrupted this turn") }],
    },
  ]);
  await goesOn(session, close);
});

it("ends a command and answers it, and does not make the calls after it", async () => {
  const calls = [
    { name: "shell_run", input: { command: "echo begun; sleep 60; touch late.txt" } },
    { name: "file_write", input: { path: "never.txt", content: "" } },
  ];
  const { session, workspace, events, close } = await sessionOnLoopback(
    [{ calls }, { text: "Fine." }],
    sessionOptions,
  );
  session.on((event) => {
    if (event.type === "tool-output") void session.abort();
  });
  const { outcome, calls: made } = await session.run("Go.").result;
  expect({ outcome, made }).toEqual({ outcome: "aborted", made: 2 });
  const answers = session.messages.flatMap((message) => (message.role === "tool" ? message.answers : []));
  expect(answers).toEqual([
    expect.objectContaining({ name: "shell_run", isError: true, content: expect.stringContaining("begun") }),
    {
      id: expect.any(String),
      name: "file_write",
      isError: true,
      content: "The call was not made: the user interrupted the turn.",
      images: [],
    },
  ]);
  expect(existsSync(join(workspace, "never.txt"))).toBe(false);
  expect(await session.toolcrib.processes()).toEqual([]);
  expect(plain(events).filter((event) => "callId" in event && event.callId === null)).toHaveLength(1);
  await goesOn(session, close);
});

it("stops waiting for a retry, for an approval, for a hook", { tags: "slow" }, async () => {
  const write = { calls: [{ name: "file_write", input: { path: "b.txt", content: "" } }] };
  const never = () => new Promise<never>(() => {});
  // biome-ignore lint/suspicious/noThenProperty: a thenable that never settles.
  const deaf = { then: () => {} };
  const cases: { options: LoopbackOptions; script: ScriptedReply; at: AgentEvent["type"] }[] = [
    {
      options: { limits: { retryWaitMs: 60_000 } },
      script: { fault: { status: 429, retryAfter: "50" } },
      at: "retry",
    },
    { options: { mode: "paranoid", approve: never }, script: write, at: "approval" },
    { options: { hooks: { PreToolUse: never } }, script: write, at: "tool-start" },
    { options: { hooks: { PostToolUse: never } }, script: write, at: "tool-start" },
    { options: { hooks: { PreToolUse: () => deaf as never } }, script: write, at: "tool-start" },
  ];
  for (const { options, script, at } of cases) {
    const { session, close } = await sessionOnLoopback([script, { text: "Fine." }], {
      ...sessionOptions,
      ...options,
    });
    session.on(({ type }) => {
      if (type === at) setTimeout(() => void session.abort(), 20);
    });
    expect(await session.run("Go.").result).toMatchObject({ outcome: "aborted", error: null });
    await goesOn(session, close);
  }
});

it("keeps the input of a turn that is aborted before anything has happened", async () => {
  const { session, close } = await sessionOnLoopback(() => ({ text: "Fine." }), sessionOptions);
  const turn = session.run("The task.");
  await session.abort();
  expect((await turn.result).outcome).toBe("aborted");
  expect(session.messages).toEqual([
    { role: "user", content: [{ type: "text", text: "The task." }] },
    {
      role: "user",
      content: [{ type: "text", text: expect.stringContaining("The user interrupted this turn") }],
    },
  ]);
  await goesOn(session, close);
});

it("drops queued messages, and warns", async () => {
  const { session, events, close } = await sessionOnLoopback(
    ({ messages }) => (messages.at(-1)?.text === "Go on." ? { text: "Fine." } : { fault: "hang-before" }),
    sessionOptions,
  );
  const turn = session.run("Go.");
  session.steer("Left.");
  session.followUp("Right.");
  await session.abort();
  expect((await turn.result).outcome).toBe("aborted");
  expect(events.flatMap((event) => (event.type === "warning" ? [event.message] : []))).toEqual([
    "The turn ended before this message was sent: Left.",
    "The turn ended before this message was sent: Right.",
  ]);
  await goesOn(session, close);
});

it("leaves the conversation unchanged when a compaction is aborted", { tags: "slow" }, async () => {
  const { session, server, events, close } = await sessionOnLoopback(({ messages }) => {
    if (messages.at(-1)?.text === "Go on.") return { text: "Fine." };
    if (messages.length === 1) return { text: "A long story. ".repeat(2_000) };
    setTimeout(() => void session.abort(), 5);
    return { fault: "hang-before" };
  }, sessionOptions);
  await session.run("Tell me a story.").result;
  const before = [...session.messages];
  const shorter = session.compact();
  session.followUp("Not any more.");
  expect(await shorter).toBe(false);
  await session.abort();
  server.forget();
  expect(session.messages).toEqual(before);
  const emitted = plain(events).filter(
    (event) => "type" in event && /compaction|error|warning/.test(`${event.type}`),
  );
  expect(emitted).toEqual([
    { type: "warning", message: "The turn ended before this message was sent: Not any more." },
  ]);
  await goesOn(session, close);
});

it("sends steering that arrived during a retry wait", async () => {
  const { session, server, events, close } = await sessionOnLoopback(
    ({ number }) => (number === 1 ? { fault: { status: 500 } } : { text: "Fine." }),
    sessionOptions,
  );
  session.on(({ type }) => {
    if (type === "retry") session.steer("To the left.");
  });
  await session.run("Go.").result;
  // The repeated request is unchanged.
  expect(server.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual([
    "Go.",
    "Go.",
    "To the left.",
  ]);
  expect(events.at(-2)).toMatchObject({ type: "turn-end", outcome: "completed", rounds: 2 });
  await goesOn(session, close);
});

it("ends everything when it is closed during a command", async () => {
  const calls = [{ name: "shell_run", input: { command: "echo begun; sleep 60" } }];
  const { session, events, close } = await sessionOnLoopback([{ calls }], sessionOptions);
  const closed = Promise.withResolvers<void>();
  session.on((event) => {
    if (event.type === "tool-output") session.close().then(closed.resolve, closed.reject);
  });
  const { outcome } = await session.run("Go.").result;
  await closed.promise;
  expect(outcome).toBe("aborted");
  expect(checkHistory(session.messages)).toEqual([]);
  expect(plain(events.slice(-2))).toEqual([{ type: "state", state: "closed" }, { type: "session-end" }]);
  expect(await close()).toEqual([]);
});
