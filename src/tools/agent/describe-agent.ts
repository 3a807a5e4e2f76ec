import * as z from "zod/mini";
import type { AgentStatus } from "../../contract/agents.ts";
import type { ToolOutput } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";

/** A longer answer is shown in part; the whole answer is stored. */
export const agentLimits = { maxChars: 20_000, keep: "both" } as const;

/** Describes the state of an agent and its answer. */
export function describeAgent(agent: AgentStatus): ToolOutput<AgentStatus> {
  const { id, state, turns, output } = agent;
  const spent = counted(turns, "turn");
  const head =
    state === "running" ? `${id} is running, ${spent} so far` : `${id} ${ends[state]} after ${spent}`;
  return {
    data: agent,
    text: output === "" ? `${head}.` : `${head}:\n${output}`,
    isError: state === "failed" || undefined,
    continuation: state === "running" ? nextSteps : undefined,
  };
}

const ends = { completed: "completed", failed: "failed", closed: "is closed" };

const nextSteps =
  "Get its answer with agent.wait; send it a message with agent.send; close it with agent.close.";

export const agentField = z.string().check(z.minLength(1));
