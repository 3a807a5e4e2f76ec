import * as z from "zod/mini";
import type { AgentStatus } from "../../contract/agents.ts";
import type { Tool } from "../../contract/tool.ts";
import { agentField, agentLimits, describeAgent } from "./describe-agent.ts";

const input = z.strictObject({ agent: agentField });

export const agentClose: Tool<z.infer<typeof input>, AgentStatus> = {
  name: "agent.close",
  description: "Close an agent that is no longer needed.",
  risk: "read",
  hints: { readOnly: false, idempotent: true },
  input,
  limits: agentLimits,
  accesses: () => [],
  run: async ({ agent }, { agents }) => describeAgent(await agents.close(agent)),
};
