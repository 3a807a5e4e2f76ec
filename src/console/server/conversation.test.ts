import { expect, it } from "vitest";
import type { SessionEntry } from "../../agent/records/session-entry.ts";
import { RecordedConversation } from "./conversation.ts";

it("a recorded conversation has the tree of its subagents, also after the session was resumed", () => {
  const conversation = new RecordedConversation("session_1", () => undefined);
  const agent = (agent: string, state: "running" | "completed" | "failed", task?: string): SessionEntry => ({
    kind: "agent",
    agent,
    state,
    ...(task !== undefined && { task }),
  });
  const entries = [
    agent("agent_1", "running", "upper"),
    agent("agent_1/agent_1", "running", "lower"),
    agent("agent_2", "running", "other"),
    agent("agent_1/agent_1", "completed"),
    agent("agent_1", "failed"),
    // Their records are lost.
    agent("agent_9/agent_1", "running", "orphan"),
    agent("agent_8", "completed"),
    // The session is resumed.
    agent("agent_1", "running", "again"),
    agent("agent_1", "completed"),
  ];
  conversation.read(entries.map((entry, index) => ({ number: index + 1, at: index, entry })));
  expect(conversation.agents).toEqual([
    {
      id: "agent_1",
      task: "upper",
      state: "failed",
      agents: [{ id: "agent_1", task: "lower", state: "completed", agents: [] }],
    },
    { id: "agent_2", task: "other", state: "running", agents: [] },
    { id: "agent_1", task: "again", state: "completed", agents: [] },
  ]);
});
