import * as z from "zod/mini";
import type { AgentStatus } from "../../contract/agents.ts";
import type { Tool } from "../../contract/tool.ts";
import { agentField } from "./agent-field.ts";
import { agentLimits, describeAgent } from "./describe-agent.ts";

export interface AgentWaitInput {
  readonly agent: string;
  readonly timeout_ms?: number | undefined;
}

const usualTimeoutMs = 600_000;
const maxTimeoutMs = 3_600_000;

/** Waits for what an agent answers. */
export const agentWait: Tool<AgentWaitInput, AgentStatus> = {
  name: "agent.wait",
  summary: "Wait for an agent's answer.",
  risk: "read",
  input: z.strictObject({
    agent: agentField,
    timeout_ms: z.optional(
      z.int().check(z.minimum(1), z.maximum(maxTimeoutMs), z.describe("Default 600000.")),
    ),
  }),
  limits: agentLimits,
  timeoutMs: maxTimeoutMs + 10_000,
  accesses: () => [],
  run: async ({ agent, timeout_ms: timeoutMs = usualTimeoutMs }, { agents, signal }) =>
    describeAgent(await agents.wait(agent, { timeoutMs, signal })),
};
