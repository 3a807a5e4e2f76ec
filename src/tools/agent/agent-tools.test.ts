import { join } from "node:path";
import { expect, it } from "vitest";
import { loudAgents } from "../../../test/conformance/agents.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openToolcrib, type ToolcribOptions } from "../../toolcrib/index.ts";

async function fixture(options: ToolcribOptions) {
  const folder = temporaryFolder();
  const crib = await openToolcrib({
    workspace: folder.path,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    ...options,
  });
  return {
    crib,
    call: async (name: string, input: unknown) => {
      const { content, isError, data, error } = await crib.call(name, input);
      return { content, isError, data: data ?? error };
    },
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const waysOn =
  "[Get its answer with agent.wait; send it a message with agent.send; close it with agent.close.]";

it("starts an agent, waits for its answer, sends it more work and ends it", async () => {
  await using one = await fixture({ agents: loudAgents() });
  expect(await one.call("agent.spawn", { task: "say hello" })).toEqual({
    content: `agent_1 is running, 0 turns so far.\n${waysOn}`,
    isError: false,
    data: { id: "agent_1", state: "running", turns: 0, output: "" },
  });
  expect(await one.call("agent.wait", { agent: "agent_1" })).toEqual({
    content: "agent_1 completed after 2 turns:\nSAY HELLO",
    isError: false,
    data: { id: "agent_1", state: "completed", turns: 2, output: "SAY HELLO" },
  });
  await one.call("agent.send", { agent: "agent_1", message: "wait" });
  await one.call("agent.send", { agent: "agent_1", message: "again" });
  expect(await one.call("agent.wait", { agent: "agent_1" })).toEqual({
    content: "agent_1 completed after 3 turns:\nAGAIN",
    isError: false,
    data: { id: "agent_1", state: "completed", turns: 3, output: "AGAIN" },
  });
  expect(await one.call("agent.close", { agent: "agent_1" })).toEqual({
    content: "agent_1 is closed after 3 turns:\nAGAIN",
    isError: false,
    data: { id: "agent_1", state: "closed", turns: 3, output: "AGAIN" },
  });
});

it("reports failed, running and unknown agents", async () => {
  await using one = await fixture({ agents: loudAgents() });
  await one.call("agent.spawn", { task: "one two three", max_turns: 2 });
  expect(await one.call("agent.wait", { agent: "agent_1" })).toEqual({
    content: "agent_1 failed after 2 turns:\nNo answer within 2 turns.",
    isError: true,
    data: { id: "agent_1", state: "failed", turns: 2, output: "No answer within 2 turns." },
  });
  await one.call("agent.spawn", { task: "wait" });
  expect(await one.call("agent.wait", { agent: "agent_2", timeout_ms: 1 })).toEqual({
    content: `agent_2 is running, 0 turns so far.\n${waysOn}`,
    isError: false,
    data: { id: "agent_2", state: "running", turns: 0, output: "" },
  });
  expect(await one.call("agent.send", { agent: "agent_3", message: "hello" })).toEqual({
    content: 'There is no agent "agent_3"\nUse an id that spawning one gave.',
    isError: true,
    data: {
      code: "not-found",
      message: 'There is no agent "agent_3"',
      hint: "Use an id that spawning one gave.",
    },
  });
});

it("starts an agent and waits for its answer in one call, on request", async () => {
  await using one = await fixture({ agents: loudAgents() });
  expect(await one.call("agent.spawn", { task: "say hello", wait_ms: 60_000 })).toEqual({
    content: "agent_1 completed after 2 turns:\nSAY HELLO",
    isError: false,
    data: { id: "agent_1", state: "completed", turns: 2, output: "SAY HELLO" },
  });
  expect(await one.call("agent.spawn", { task: "wait", wait_ms: 1 })).toEqual({
    content: `agent_2 is running, 0 turns so far.\n${waysOn}`,
    isError: false,
    data: { id: "agent_2", state: "running", turns: 0, output: "" },
  });
});

it("waits for the first of several agents, and reports on all", async () => {
  await using one = await fixture({ agents: loudAgents() });
  for (const task of ["wait", "say hello", "wait"]) await one.call("agent.spawn", { task });
  const [first, second, third] = [
    { id: "agent_2", state: "completed", turns: 2, output: "SAY HELLO" },
    { id: "agent_1", state: "running", turns: 0, output: "" },
    { id: "agent_3", state: "running", turns: 0, output: "" },
  ];
  const more_agents = ["agent_2", "agent_3", "agent_1"];
  expect(await one.call("agent.wait", { agent: "agent_1", more_agents })).toEqual({
    content:
      "agent_2 completed after 2 turns:\nSAY HELLO\n\nagent_1 is running, 0 turns so far.\n\nagent_3 is running, 0 turns so far.",
    isError: false,
    data: { ...first, others: [second, third] },
  });
  const none = await one.call("agent.wait", {
    agent: "agent_1",
    more_agents: ["agent_3"],
    timeout_ms: 1,
  });
  expect(none.data).toEqual({ ...second, others: [third] });
  const unknown = await one.call("agent.wait", { agent: "agent_1", more_agents: ["agent_4"] });
  expect(unknown.data).toMatchObject({ code: "not-found" });
});

it("shows 20 000 characters of an answer and stores the rest", async () => {
  await using one = await fixture({ agents: loudAgents() });
  await one.call("agent.spawn", { task: "x".repeat(30_000) });
  const { content, truncated, output } = await one.crib.call("agent.wait", { agent: "agent_1" });
  const all = `agent_1 completed after 1 turn:\n${"X".repeat(30_000)}`;
  expect([content.split("\n").map((line) => line.length), truncated]).toEqual([
    [31, 9_968, 26, 10_000, expect.any(Number)],
    true,
  ]);
  const whole = await one.crib.call("file.read", { path: output!, line_numbers: false, limit: 1 });
  expect(whole.content.split("\n")[0]).toBe(all.split("\n")[0]);
});

it("restricts agents to the workspace", async () => {
  await using one = await fixture({ agents: loudAgents() });
  const codes = ["/etc", "nowhere", "state"].map(async (cwd) => {
    const { error } = await one.crib.call("agent.spawn", { task: "look around", cwd });
    return error?.code;
  });
  expect(await Promise.all(codes)).toEqual(["outside-workspace", "not-found", "denied"]);
});

it("offers no agent tools without agents", async () => {
  await using alone = await fixture({});
  const names = (await alone.crib.definitions({ which: "all" })).map(({ canonical }) => canonical);
  const byProgram = await alone.crib.call("agent.spawn", { task: "hello" });
  const byModel = await alone.crib.call("agent.spawn", { task: "hello" }, { onlyOffered: true });
  expect(names.filter((name) => name.startsWith("agent."))).toEqual([]);
  expect([byProgram.error?.message, byModel.error?.message]).toEqual([
    "agent.spawn needs other agents, and there are none here",
    'Unknown tool "agent.spawn"',
  ]);
});
