import * as z from "zod/mini";
import type { AgentStatus } from "../../contract/agents.ts";
import type { Tool } from "../../contract/tool.ts";
import { agentField, agentLimits, describeAgent } from "./describe-agent.ts";

export interface AgentSendInput {
  readonly agent: string;
  readonly message: string;
}

/** Sends a message to an agent. */
export const agentSend: Tool<AgentSendInput, AgentStatus> = {
  name: "agent.send",
  summary: "Tell an agent more while it works, or give it more to do after its answer.",
  risk: "read",
  hints: { readOnly: false, openWorld: true },
  input: z.strictObject({
    agent: agentField,
    message: z.string().check(z.minLength(1)),
  }),
  limits: agentLimits,
  accesses: () => [],
  run: async ({ agent, message }, { agents }) => describeAgent(await agents.send(agent, message)),
};
