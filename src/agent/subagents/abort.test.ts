import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { eventNumbers } from "../../../test/agent/event-numbers.ts";
import { done, familyOnLoopback, type Reply, spawn, wait } from "../../../test/agent/family-on-loopback.ts";
import type { ScriptedReply } from "../../../test/providers/provider-server.ts";
import { checkHistory } from "../../../test/support/check-history.ts";
import type { AgentEvent } from "../event.ts";

let numbered = 0;

/** A session whose agent runs two endless commands, stopped at an event, or when the second one has begun. */
async function stoppedAt(index: number) {
  numbered += 1;
  const never = `sleep 300.${process.pid}${numbered}`;
  const fixture = await familyOnLoopback({
    user: [{ calls: [spawn("Sleep")] }, { calls: [wait("agent_1")] }, done].map(unlessGoingOn),
    Sleep: [
      { calls: [{ name: "process_start", input: { command: never, name: "bed" } }] },
      { calls: [{ name: "shell_run", input: { command: `echo asleep; ${never}` } }] },
    ],
  });
  let stopped: Promise<void> | undefined;
  fixture.session.on((event) => {
    const isLast = event.type === "tool-output" && event.agent !== undefined;
    if (stopped || (fixture.events.length < index && !isLast)) return;
    stopped = fixture.session.abort();
  });
  const { outcome } = await fixture.run();
  await stopped;
  return { ...fixture, outcome, never };
}

it("leaves no agent and no process, whenever the turn is aborted, and the session can continue", {
  tags: "slow",
}, async () => {
  const last = await stoppedAt(Number.POSITIVE_INFINITY);
  const seen = new Set(last.events.map(({ agent, type }) => `${agent ?? ""} ${type}`));
  expect([...seen]).toEqual(
    expect.arrayContaining(["agent_1 tool-start", "agent_1 tool-output", " tool-start"]),
  );
  const before = last.events.slice(0, last.events.findIndex(({ type }) => type === "tool-output") + 1);
  await endsWell(last);
  for (const index of eventNumbers(before, ({ agent, type }) => `${agent} ${type}`))
    await endsWell(await stoppedAt(index));
});

it("closes agents with the session, also those that run in the background", async () => {
  const { run, session, server, events, close } = await familyOnLoopback({
    user: [{ calls: [spawn("Hang")] }, done],
    Hang: [{ fault: "hang-before" }],
  });
  const { outcome } = await run();
  await session.close();
  const ends = events.filter(({ type, agent }) => type === "session-end" || (agent && type === "turn-end"));
  expect([outcome, ends.map(({ type, agent }) => [type, agent])]).toEqual([
    "completed",
    [
      ["turn-end", "agent_1"],
      ["session-end", "agent_1"],
      ["session-end", undefined],
    ],
  ]);
  expect(await close()).toEqual([]);
  // The server sees the end of a connection later.
  const hanging = server.requests.filter(({ messages }) => messages[0]?.text === "Hang");
  expect(hanging).toHaveLength(1);
  await expect.poll(() => hanging.every(({ aborted }) => aborted)).toBe(true);
});

it("aborts agents that run in the background", async () => {
  const { run, session, close } = await familyOnLoopback({
    user: [{ calls: [spawn("Hang")] }, done],
    Hang: [{ fault: "hang-before" }],
  });
  await run();
  await session.abort();
  const { content } = await session.toolcrib.call("agent.wait", { agent: "agent_1" });
  expect(content).toMatch(/^agent_1 is closed after \d turns?\.$/);
  expect(await close()).toEqual([]);
});

function unlessGoingOn(reply: ScriptedReply): Reply {
  return (request) => (request.messages.at(-1)?.text === "Go on." ? done : reply);
}

async function endsWell({
  session,
  events,
  outcome,
  never,
  run,
  close,
}: Awaited<ReturnType<typeof stoppedAt>>) {
  expect(outcome).toBe("aborted");
  expect((await session.toolcrib.processes()).filter(({ state }) => state !== "ended")).toEqual([]);
  expect(running(never)).toEqual([]);
  const { error, data } = await session.toolcrib.call("agent.wait", { agent: "agent_1", timeout_ms: 1 });
  expect([error?.code, (data as { state?: string } | null)?.state]).toEqual(
    error ? ["not-found", undefined] : [undefined, "closed"],
  );
  const countOf = (type: AgentEvent["type"]) => events.filter((event) => event.type === type).length;
  expect(countOf("tool-end")).toBe(countOf("tool-start"));
  expect(checkHistory(session.messages)).toEqual([]);
  expect(await run("Go on.")).toMatchObject({ outcome: "completed" });
  expect(await close()).toEqual([]);
}

/** Command lines that contain these words. */
function running(words: string): readonly string[] {
  if (!existsSync("/proc/self/cmdline")) return [];
  return globSync("/proc/[0-9]*/cmdline").flatMap((path) => {
    try {
      const line = readFileSync(path, "utf8").replaceAll("\0", " ");
      return line.includes(words) ? [line] : [];
    } catch {
      // It has ended in the meantime.
      return [];
    }
  });
}
