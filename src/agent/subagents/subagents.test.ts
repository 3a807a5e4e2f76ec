import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  done,
  family,
  familyOnLoopback,
  type Reply,
  spawn,
  wait,
} from "../../../test/agent/family-on-loopback.ts";
import type { ScriptedReply, SeenRequest } from "../../../test/providers/provider-server.ts";
import { startProvider } from "../../../test/providers/start-provider.ts";
import { checkHistory } from "../../../test/support/check-history.ts";
import type { SessionEntry } from "../records/session-entry.ts";

it("gives a task to an agent with its own history, and returns its answer", async () => {
  const usage = { input: 100, output: 10 };
  const { run, answers, session, server, events, close } = await familyOnLoopback(
    {
      user: [
        { calls: [spawn("Read a.txt")], usage },
        { calls: [wait("agent_1")], usage },
        { ...done, usage },
      ],
      "Read a.txt": [
        { calls: [{ name: "file_read", input: { path: "a.txt" } }], usage },
        { text: "It says hello.", usage },
      ],
    },
    { files: { "a.txt": "hello\n" } },
  );
  const result = await run();
  expect(answers()).toEqual([
    expect.stringMatching(/^agent_1 is running, \d turns? so far\.$/),
    "agent_1 completed after 2 turns:\nIt says hello.",
  ]);
  expect({ ...result, cost: 0 }).toEqual({
    turn: 1,
    outcome: "completed",
    text: "Done.",
    error: null,
    rounds: 3,
    calls: 2,
    usage: { input: 500, cached: 0, cacheWritten: 0, output: 50, reasoning: 0 },
    cost: 0,
  });
  expect([session.usage, session.cost]).toEqual([result.usage, result.cost]);
  const children = server.requests.filter(({ system }) => system.includes("Another agent gave you a task"));
  expect(children.map(({ messages }) => messages[0])).toEqual([
    { role: "user", text: "Read a.txt" },
    { role: "user", text: "Read a.txt" },
  ]);
  expect(children[0]!.tools.filter((name) => name.startsWith("agent_"))).toEqual([]);
  const ofChild = events.filter(({ agent }) => agent === "agent_1");
  expect(new Set(events.map((event) => event.session))).toEqual(new Set([session.id]));
  expect(ofChild.map(({ type }) => type)).toEqual([
    "session-start",
    "state",
    "turn-start",
    "user-input",
    "round-start",
    "reply-end",
    "usage",
    "tool-start",
    "tool-end",
    "round-start",
    "text-start",
    "text-delta",
    "text-end",
    "reply-end",
    "usage",
    "turn-end",
    "state",
  ]);
  // Each reply is reported once, and every total includes all.
  const used = events.flatMap((event) => (event.type === "usage" ? [event] : []));
  expect(used.map(({ usage }) => usage.input)).toEqual([100, 100, 100, 100, 100]);
  expect(used.map(({ total }) => total.input)).toEqual([100, 200, 300, 400, 500]);
  expect(used.at(-1)?.cost).toBe(session.cost);
  expect(checkHistory(session.messages)).toEqual([]);
  expect(await close()).toEqual([]);
});

it("runs agents in parallel, and lets them write one file in turn", { tags: "slow" }, async () => {
  const both = barrier(2);
  const replaces = (find: string, replace: string): readonly Reply[] => [
    { calls: [{ name: "file_read", input: { path: "a.txt" } }] },
    async () => {
      await both();
      return { calls: [{ name: "edit_replace", input: { path: "a.txt", find, replace } }] };
    },
    { text: `${find} is ${replace}` },
  ];
  const { run, answers, workspace, session, close } = await familyOnLoopback(
    {
      user: [{ calls: [spawn("one"), spawn("two")] }, { calls: [wait("agent_1"), wait("agent_2")] }, done],
      one: replaces("one", "1"),
      two: replaces("two", "2"),
    },
    { files: { "a.txt": "one\nsome\nlines\nbetween\ntwo\n" } },
  );
  await run();
  expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("1\nsome\nlines\nbetween\n2\n");
  expect(answers().slice(2).toSorted()).toEqual([
    expect.stringMatching(/^agent_\d completed after 3 turns:\none is 1$/),
    expect.stringMatching(/^agent_\d completed after 3 turns:\ntwo is 2$/),
  ]);
  const changing = session.toolcrib.log().filter(({ tool }) => tool === "edit.replace");
  expect(changing).toHaveLength(2);
  expect(await close()).toEqual([]);
});

it("sends messages to a running agent, and new tasks to one that has answered", async () => {
  const received = Promise.withResolvers<void>();
  const { run, answers, server, close } = await familyOnLoopback({
    user: [
      { calls: [spawn("Think")] },
      { calls: [{ name: "agent_send", input: { agent: "agent_1", message: "Hurry." } }] },
      () => {
        received.resolve();
        return { calls: [wait("agent_1")] };
      },
      { calls: [{ name: "agent_send", input: { agent: "agent_1", message: "And now?" } }] },
      { calls: [wait("agent_1")] },
      done,
    ],
    Think: [
      async () => {
        await received.promise;
        return { text: "Hm." };
      },
      { text: "I hurried." },
      { text: "Now I rest." },
    ],
  });
  await run();
  expect(answers().slice(1)).toEqual([
    expect.stringMatching(/^agent_1 is running, \d turns? so far\.$/),
    "agent_1 completed after 2 turns:\nI hurried.",
    "agent_1 is running, 2 turns so far.",
    "agent_1 completed after 3 turns:\nNow I rest.",
  ]);
  const last = server.requests.findLast(({ system }) => system.includes("Another agent gave you a task"));
  expect(last?.messages.map(({ text }) => text)).toEqual([
    "Think",
    "Hm.",
    "Hurry.",
    "I hurried.",
    "And now?",
  ]);
  expect(await close()).toEqual([]);
});

it("stops waiting at the timeout, and closes agents on request", async () => {
  const { run, answers, server, session, close } = await familyOnLoopback({
    user: [
      { calls: [spawn("Hang")] },
      { calls: [wait("agent_1", { timeout_ms: 1 })] },
      { calls: [{ name: "agent_close", input: { agent: "agent_1" } }] },
      { calls: [{ name: "agent_send", input: { agent: "agent_1", message: "Still there?" } }] },
      { calls: [wait("agent_1")] },
      { calls: [wait("agent_2")] },
      done,
    ],
    Hang: [{ fault: "hang-before" }],
  });
  const { outcome } = await run();
  expect([outcome, answers().slice(1)]).toEqual([
    "completed",
    [
      expect.stringMatching(/^agent_1 is running, \d turns? so far\.$/),
      expect.stringMatching(/^agent_1 is closed after \d turns?\.$/),
      "agent_1 is closed\nStart another with agent_spawn.",
      expect.stringMatching(/^agent_1 is closed after \d turns?\.$/),
      'Unknown agent "agent_2"\nUse one of: agent_1.',
    ],
  ]);
  const hanging = server.requests.filter(({ messages }) => messages[0]?.text === "Hang");
  expect(hanging.every(({ aborted }) => aborted)).toBe(true);
  expect(await session.toolcrib.processes()).toEqual([]);
  expect(await close()).toEqual([]);
});

describe("limits", () => {
  it("bound the depth of agents", async () => {
    const tools: Record<string, readonly string[]> = {};
    const note = (name: string, reply: ScriptedReply) => (request: SeenRequest) => {
      tools[name] = request.tools.filter((tool) => tool.startsWith("agent_"));
      return reply;
    };
    const { run, answers, events, session, close } = await familyOnLoopback(
      {
        user: [{ calls: [spawn("upper")] }, { calls: [wait("agent_1")] }, done],
        upper: [note("upper", { calls: [spawn("lower")] }), { calls: [wait("agent_1")] }, { text: "Both." }],
        lower: [note("lower", { text: "Deep down.", usage: { input: 7, output: 1 } })],
      },
      { limits: { agentDepth: 2 } },
    );
    await run();
    expect(tools).toEqual({
      upper: ["agent_spawn", "agent_send", "agent_wait", "agent_close"],
      lower: [],
    });
    expect(answers().at(-1)).toBe("agent_1 completed after 3 turns:\nBoth.");
    const deep = events.filter(({ agent }) => agent === "agent_1/agent_1");
    expect(deep.find(({ type }) => type === "usage")).toMatchObject({ usage: { input: 7 } });
    const used = events.flatMap((event) => (event.type === "usage" ? [event.usage.input] : []));
    expect(session.usage.input).toBe(used.reduce((one, other) => one + other));
    const entries = session.toolcrib.conversations
      .entries(session.id)
      .map(({ entry }) => entry as SessionEntry);
    expect(entries.filter(({ kind }) => kind === "agent")).toEqual([
      { kind: "agent", agent: "agent_1", state: "running", task: "upper" },
      { kind: "agent", agent: "agent_1/agent_1", state: "running", task: "lower" },
      { kind: "agent", agent: "agent_1/agent_1", state: "completed" },
      { kind: "agent", agent: "agent_1", state: "completed" },
    ]);
    expect(await close()).toEqual([]);
  });

  it("on rounds apply to agents, regardless of what the call requests", async () => {
    const listing = (path: string) => ({ calls: [{ name: "file_list", input: { path } }] });
    const { run, answers, close } = await familyOnLoopback(
      {
        user: [{ calls: [spawn("Look", { max_turns: 100 })] }, { calls: [wait("agent_1")] }, done],
        Look: ["a", "b", "c", "d"].map(listing),
      },
      { limits: { rounds: 3 } },
    );
    await run();
    expect(answers().at(-1)).toBe("agent_1 failed after 3 turns:\nNo answer within 3 turns.");
    expect(await close()).toEqual([]);
  });

  it("of zero disable agents in a session", async () => {
    for (const limits of [{ agentDepth: 0 }, { agents: 0 }]) {
      const { run, server, close } = await familyOnLoopback({ user: [done] }, { limits });
      await run();
      expect(server.requests[0]!.tools.filter((name) => name.startsWith("agent_"))).toEqual([]);
      expect(await close()).toEqual([]);
    }
  });

  it("bound running agents; an agent that has answered is closed for a new one", async () => {
    const refused = Promise.withResolvers<void>();
    const { run, answers, close } = await familyOnLoopback(
      {
        user: [
          { calls: [spawn("first")] },
          { calls: [spawn("second")] },
          () => {
            refused.resolve();
            return { calls: [wait("agent_1")] };
          },
          { calls: [spawn("second", { max_turns: 5 })] },
          { calls: [wait("agent_1"), wait("agent_2")] },
          done,
        ],
        first: [() => refused.promise.then(() => ({ text: "First." }))],
        second: [{ text: "Second." }],
      },
      { limits: { agents: 1 } },
    );
    await run();
    expect(answers().filter((answer) => !answer?.includes("is running"))).toEqual([
      "The limit of 1 running agent is reached\nWait for one with agent_wait, or end one with agent_close.",
      "agent_1 completed after 1 turn:\nFirst.",
      "agent_1 is closed after 1 turn:\nFirst.",
      "agent_2 completed after 1 turn:\nSecond.",
    ]);
    expect(await close()).toEqual([]);
  });

  it("on tokens and cost include agents", async () => {
    const usage = { input: 600, output: 0 };
    const { run, answers, of, close } = await familyOnLoopback(
      {
        user: [
          { calls: [spawn("Spend")], usage: { input: 10 } },
          { calls: [wait("agent_1")], usage: { input: 10 } },
          done,
        ],
        Spend: [
          { calls: [{ name: "file_list", input: {} }], usage },
          { calls: [{ name: "git_status", input: {} }], usage },
          { text: "Never." },
        ],
      },
      { limits: { tokens: 1_000 } },
    );
    const { outcome } = await run();
    expect([outcome, answers().at(-1)]).toEqual([
      "limit",
      "agent_1 failed after 2 turns:\nThe session has reached its limit of 1000 tokens.",
    ]);
    expect(of("limit")).toEqual([
      { type: "limit", limit: "tokens", allowed: 1_000, agent: "agent_1" },
      { type: "limit", limit: "tokens", allowed: 1_000 },
    ]);
    expect(await close()).toEqual([]);
  });
});

describe("an agent fails, and its parent continues,", () => {
  const cases: readonly (readonly [string, object, readonly Reply[], string | RegExp])[] = [
    [
      "when its provider refuses it",
      {},
      [{ fault: { status: 401 } }],
      /^agent_1 failed after 1 turn:\n.*(?:401|key)/is,
    ],
    [
      "when it has not answered in time",
      { max_turns: 1 },
      [{ text: "Looking.", calls: [{ name: "file_list", input: {} }] }],
      "agent_1 failed after 1 turn:\nNo answer within 1 turn.\nIts last message: Looking.",
    ],
    [
      "when it repeats itself",
      {},
      Array.from({ length: 20 }, () => ({ calls: [{ name: "file_list", input: {} }] })),
      /^agent_1 failed after \d+ turns:\nStopped because it repeated itself: file_list\(\{\}\)$/,
    ],
  ];
  it.each(cases)("%s", { tags: "slow" }, async (_, more, replies, answer) => {
    const { run, answers, close } = await familyOnLoopback({
      user: [{ calls: [spawn("Fail", more)] }, { calls: [wait("agent_1")] }, done],
      Fail: replies,
    });
    const { outcome } = await run();
    expect(outcome).toBe("completed");
    expect(answers().at(-1)).toEqual(typeof answer === "string" ? answer : expect.stringMatching(answer));
    await close();
  });

  it("when its model cannot be opened", async () => {
    const { run, answers, close } = await familyOnLoopback({
      user: [{ calls: [spawn("x", { model: "nowhere/nothing" }), spawn("x", { model: "sonnet" })] }, done],
    });
    const { outcome } = await run();
    const hint = "\nLeave out `model` to use your own, openai/gpt-5, or name another model of openai.";
    expect([outcome, answers()]).toEqual([
      "completed",
      [expect.stringMatching(/nowhere[\s\S]*/), `"sonnet" does not name a provider${hint}`],
    ]);
    expect(await close()).toEqual([]);
  });
});

it("uses the named model, with the tools of its dialect", async () => {
  const other = await startProvider("anthropic", [{ text: "Bonjour." }]);
  const first = await startProvider(
    "openai",
    family({
      user: [
        { calls: [spawn("Greet", { model: other.model }), spawn("Mini", { model: "gpt-5-mini" })] },
        { calls: [wait("agent_1"), wait("agent_2")] },
        done,
      ],
      Mini: [{ text: "Hi." }],
    }),
  );
  const models = {
    providers: { ...first.settings.providers, ...other.settings.providers },
    agents: ["anthropic"],
  };
  const { run, answers, events, close, session } = await familyOnLoopback({}, { model: first.model, models });
  await run();
  expect(answers().slice(2).toSorted()).toEqual([
    "agent_1 completed after 1 turn:\nBonjour.",
    "agent_2 completed after 1 turn:\nHi.",
  ]);
  const starts = events.flatMap((event) =>
    event.type === "session-start" ? [[event.agent ?? "", `${event.model} ${event.dialect}`]] : [],
  );
  expect(Object.fromEntries(starts)).toEqual({
    "": `${first.model} toolcrib`,
    agent_1: `${other.model} claude-code`,
    agent_2: "openai/gpt-5-mini toolcrib",
  });
  expect(other.requests[0]!.tools).toContain("Bash");
  expect(session.cost).toBeGreaterThan(0);
  await close();
  expect([...first.breaches, ...other.breaches]).toEqual([]);
  await Promise.all([first.close(), other.close()]);
});

it("sends nothing to a provider that the user has not allowed for agents", async () => {
  const other = await startProvider("ollama", []);
  const first = await startProvider(
    "openai",
    family({ user: [{ calls: [spawn("All I know", { model: other.model })] }, done] }),
  );
  const models = { providers: { ...first.settings.providers, ...other.settings.providers } };
  const { run, answers, close } = await familyOnLoopback({}, { model: first.model, models });
  await run();
  expect([answers(), other.requests]).toEqual([
    [
      "Subagents may not use ollama: the user has not allowed it\n" +
        "Leave out `model` to use your own, openai/gpt-5, or name another model of openai.",
    ],
    [],
  ]);
  await close();
  await Promise.all([first.close(), other.close()]);
});

it("offers an agent only the allowed tools of the session", async () => {
  const tools: (readonly string[])[] = [];
  const { run, answers, close } = await familyOnLoopback(
    {
      user: [{ calls: [spawn("Look")] }, { calls: [wait("agent_1")] }, done],
      Look: [
        (request) => {
          tools.push(request.tools);
          return { text: "Seen." };
        },
      ],
    },
    { onlyTools: ["file.read", "agent.spawn", "agent.wait"] },
  );
  await run();
  expect([tools, answers().at(-1)]).toEqual([
    ["file_read"].map((name) => [name]),
    "agent_1 completed after 1 turn:\nSeen.",
  ]);
  expect(await close()).toEqual([]);
});

it("starts the agents of one reply in parallel, also awaited ones", async () => {
  const both = barrier(2);
  const meet = (text: string) => () => both().then(() => ({ text }));
  const agent = (prompt: string) => ({
    name: "Agent",
    input: { description: prompt, prompt, run_in_background: false },
  });
  const { run, answers, close } = await familyOnLoopback(
    { user: [{ calls: [agent("one"), agent("two")] }, done], one: [meet("One.")], two: [meet("Two.")] },
    { kind: "anthropic", dialect: "claude-code" },
  );
  await run();
  expect(answers().map((answer) => answer?.replace(/^agent_\d /, ""))).toEqual([
    "completed after 1 turn:\nOne.",
    "completed after 1 turn:\nTwo.",
  ]);
  expect(await close()).toEqual([]);
});

it("asks the same user, names the agent, and remembers the answer for all", { tags: "slow" }, async () => {
  const asked: (string | undefined)[] = [];
  const states: string[] = [];
  const command = { name: "shell_run", input: { command: "touch made" } };
  const { session, run, of, close } = await familyOnLoopback(
    {
      user: [{ calls: [spawn("Touch")] }, { calls: [wait("agent_1")] }, { calls: [command] }, done],
      Touch: [{ calls: [command] }, { text: "Touched." }],
    },
    {
      mode: "safe",
      approve: ({ agent, tool }) => {
        asked.push(`${tool} for ${agent}`);
        states.push(session.state);
        return { allow: true, remember: "session" };
      },
    },
  );
  await run();
  expect([asked, states]).toEqual([["shell.run for agent_1"], ["awaiting"]]);
  expect(of("approval")).toEqual([expect.objectContaining({ agent: "agent_1" })]);
  expect(of("approval-end")).toEqual([expect.objectContaining({ agent: "agent_1", allowed: true })]);
  expect(await close()).toEqual([]);
});

/** Blocks until this many callers have arrived. */
function barrier(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let there = 0;
  return () => {
    there += 1;
    if (there === count) resolve();
    return promise;
  };
}
