import * as z from "zod/mini";
import type { AgentStatus } from "../../contract/agents.ts";
import type { Tool } from "../../contract/tool.ts";
import { agentField, agentLimits, describeAgent } from "./describe-agent.ts";

const input = z.strictObject({
  agent: agentField,
  message: z.string().check(z.minLength(1)),
});

export const agentSend: Tool<z.infer<typeof input>, AgentStatus> = {
  name: "agent.send",
  description: "Send a message to an agent while it works, or a follow-up task after its answer.",
  risk: "read",
  hints: { readOnly: false, openWorld: true },
  input,
  limits: agentLimits,
  accesses: () => [],
  run: async ({ agent, message }, { agents }) => describeAgent(await agents.send(agent, message)),
};
