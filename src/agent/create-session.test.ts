import { expect, it } from "vitest";
import * as z from "zod/mini";
import { plain, sessionOnLoopback } from "../../test/agent/session-on-loopback.ts";
import { checkHistory } from "../../test/support/check-history.ts";
import type { Tool } from "../toolcrib/index.ts";
import { createSession } from "./create-session.ts";

it("opens the model by its id, in the dialect that it was trained on", async () => {
  const { session, server, close } = await sessionOnLoopback([{ text: "Done." }]);
  expect([session.model.id, session.dialect, session.protocol, session.state]).toEqual([
    "openai/gpt-5",
    "codex",
    "native",
    "idle",
  ]);
  expect(session.id).toBe(session.toolcrib.session);
  await session.run("Go.").result;
  expect(server.requests[0]?.tools).toEqual((await session.toolcrib.definitions()).map(({ name }) => name));
  expect(server.requests[0]?.system).toBe(session.system);
  expect(await close()).toEqual([]);
});

it("lists edit.anchored for a model that edits by anchors, in the dialect toolcrib", async () => {
  const { server, again, close } = await sessionOnLoopback([{ text: "Done." }]);
  const models = { ...server.settings, models: { [server.model]: { editsByAnchors: true } } };
  const session = await again({ dialect: "toolcrib", models });
  await session.run("Go.").result;
  const usual = (await session.toolcrib.definitions()).map(({ name }) => name);
  expect(server.requests[0]?.tools).toEqual([...usual, "edit_anchored"]);
  expect(await close()).toEqual([]);
});

it("accepts custom tools", async () => {
  const greet: Tool<{ name: string }, string> = {
    name: "greet",
    description: "Greets somebody.",
    risk: "read",
    input: z.strictObject({ name: z.string() }),
    limits: { maxChars: 1_000, keep: "head" },
    accesses: () => [],
    run: async ({ name }) => ({ data: name, text: `Hello, ${name}.` }),
  };
  const { session, events, close } = await sessionOnLoopback(
    [{ calls: [{ name: "greet", input: { name: "Ada" } }] }, { text: "Done." }],
    { tools: [greet] },
  );
  await session.run("Greet Ada.").result;
  expect(events.find(({ type }) => type === "tool-end")).toMatchObject({
    name: "greet",
    canonical: "greet",
    output: "Hello, Ada.",
    data: "Ada",
    isError: false,
  });
  expect(await close()).toEqual([]);
});

it("uses the text protocol for a model without tool calls", async () => {
  const action = { action: "tool_call", tool: "file_read", args: { path: "a.txt" } };
  const { session, close } = await sessionOnLoopback(
    [{ text: JSON.stringify(action) }, { text: '{"action":"done","summary":"It says hello."}' }],
    { dialect: "toolcrib", protocol: "text", files: { "a.txt": "hello\n" } },
  );
  expect(session.protocol).toBe("text");
  const { text, calls } = await session.run("What does a.txt say?").result;
  expect({ text, calls }).toEqual({ text: "It says hello.", calls: 1 });
  expect(checkHistory(session.messages)).toEqual([]);
  expect(await close()).toEqual([]);
});

it("resumes a session under its id, unchanged", async () => {
  const { session, server, again, close } = await sessionOnLoopback([
    {
      text: "Reading.",
      calls: [{ name: "update_plan", input: { plan: [] } }],
      usage: { input: 100, output: 10 },
    },
    { text: "Done.", usage: { input: 100, output: 10 } },
    { text: "Again.", usage: { input: 100, output: 10 } },
  ]);
  await session.run("Go.").result;
  await session.use({ reasoning: "high" });
  const { id, system, messages, usage, cost } = session;
  await session.close();
  const resumed = await again({ resume: id, model: undefined, instructions: "Not read any more." });
  expect([resumed.id, resumed.system, resumed.messages, resumed.usage, resumed.cost]).toEqual([
    id,
    system,
    messages,
    usage,
    cost,
  ]);
  expect([resumed.model.id, resumed.reasoning, resumed.turns]).toEqual(["openai/gpt-5", "high", 1]);
  const turn = resumed.run("And now?");
  const events = [];
  for await (const event of turn) events.push(event);
  expect(plain(events)[0]).toMatchObject({ type: "session-start", isResumed: true });
  expect(await turn.result).toMatchObject({ turn: 2, text: "Again." });
  expect(server.requests.map(({ reasoning }) => reasoning)).toEqual([undefined, undefined, "high"]);
  expect(await close()).toEqual([]);
});

it("forks a session at the end of a turn", async () => {
  const { session, server, again, close } = await sessionOnLoopback(({ number }) => ({
    text: `Answer ${number}.`,
  }));
  await session.run("One.").result;
  await session.run("Two.").result;
  server.forget();
  const fork = await again({ fork: { session: session.id, turn: 1 } });
  expect(fork.id).not.toBe(session.id);
  expect(fork.messages).toEqual(session.messages.slice(0, 2));
  expect(await fork.run("Three.").result).toMatchObject({ turn: 2, text: "Answer 3." });
  expect(session.messages).toHaveLength(4);
  expect(await close()).toEqual([]);
});

it("explains missing and contradictory options", async () => {
  const noModels = { configDirectory: "/nonexistent/toolcrib", models: {} };
  await expect(createSession({ ...noModels })).rejects.toMatchObject({ code: "invalid-input" });
  await expect(
    createSession({ ...noModels, model: "openai/gpt-5", resume: "a", fork: { session: "b" } }),
  ).rejects.toMatchObject({
    code: "invalid-input",
  });
  await expect(createSession({ ...noModels, reasonin: "low" } as object)).rejects.toMatchObject({
    message: 'createSession has no option "reasonin"',
    hint: "Did you mean reasoning?",
  });
  await expect(createSession({ ...noModels, session: "session_1" } as object)).rejects.toMatchObject({
    message: 'createSession has no option "session"',
  });
});
