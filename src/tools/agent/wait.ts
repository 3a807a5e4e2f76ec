import * as z from "zod/mini";
import type { AgentStatus, Agents } from "../../contract/agents.ts";
import type { Tool, ToolOutput } from "../../contract/tool.ts";
import { amount } from "../fields.ts";
import { agentField, agentLimits, describeAgent } from "./describe-agent.ts";

/** Holds the awaited agent, or the first of several that ended, and the others. */
export interface AgentWaitData extends AgentStatus {
  readonly others?: readonly AgentStatus[];
}

const usualTimeoutMs = 600_000;
export const maxTimeoutMs = 3_600_000;

const input = z.strictObject({
  agent: agentField,
  more_agents: z.optional(
    z
      .array(z.string())
      .check(z.maxLength(100), z.describe("Wait until the first of all these agents answers.")),
  ),
  timeout_ms: amount(1, maxTimeoutMs, "Default 600000."),
});

export const agentWait: Tool<z.infer<typeof input>, AgentWaitData> = {
  name: "agent.wait",
  description: "Wait for the answer of an agent.",
  risk: "read",
  input,
  limits: agentLimits,
  timeoutMs: maxTimeoutMs + 10_000,
  accesses: () => [],

  async run(
    { agent, more_agents: more = [], timeout_ms: timeoutMs = usualTimeoutMs },
    { agents, signal },
  ): Promise<ToolOutput<AgentWaitData>> {
    const waiting = { timeoutMs, signal };
    if (more.length === 0) return describeAgent(await agents.wait(agent, waiting));
    return describeAll(await waitForFirst([...new Set([agent, ...more])], agents, waiting));
  },
};

/** Returns the states of all agents once one has ended. Ended agents come first. */
async function waitForFirst(
  ids: readonly string[],
  agents: Agents,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<readonly AgentStatus[]> {
  const enough = new AbortController();
  const both = AbortSignal.any([signal, enough.signal]);
  const waits = ids.map((id) => agents.wait(id, { timeoutMs, signal: both }));
  try {
    await Promise.race(waits);
  } finally {
    enough.abort();
    await Promise.allSettled(waits);
  }
  const all = await Promise.all(ids.map((id) => agents.wait(id, { timeoutMs: 1, signal })));
  return all.toSorted((one, other) => Number(one.state === "running") - Number(other.state === "running"));
}

function describeAll([first, ...others]: readonly AgentStatus[]): ToolOutput<AgentWaitData> {
  const { data, text, ...rest } = describeAgent(first!);
  const texts = [text, ...others.map((other) => describeAgent(other).text)];
  return { data: { ...data, others }, text: texts.join("\n\n"), ...rest };
}
