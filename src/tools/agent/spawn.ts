import * as z from "zod/mini";
import type { AgentStatus } from "../../contract/agents.ts";
import { ToolError } from "../../contract/error.ts";
import type { Tool } from "../../contract/tool.ts";
import { amount, string } from "../fields.ts";
import { agentLimits, describeAgent } from "./describe-agent.ts";
import { maxTimeoutMs } from "./wait.ts";

const input = z.strictObject({
  task: z
    .string()
    .check(z.minLength(1), z.describe("What to do and what to answer, with all the context it needs.")),
  cwd: z.optional(z.string()),
  model: string("Default: the current model."),
  max_turns: z.optional(z.int().check(z.minimum(1), z.describe("Maximum number of model requests."))),
  wait_ms: amount(1, maxTimeoutMs, "Wait at most this long for its answer."),
});

export const agentSpawn: Tool<z.infer<typeof input>, AgentStatus> = {
  name: "agent.spawn",
  description:
    "Start a subagent on a task. It sees only `task`, not this conversation. Get its answer with agent.wait.",
  // Starting an agent touches nothing; every call the agent makes passes the pipeline.
  risk: "read",
  hints: { readOnly: false, openWorld: true },
  input,
  limits: agentLimits,
  timeoutMs: maxTimeoutMs + 10_000,
  accesses: ({ cwd }) => (cwd === undefined ? [] : [{ kind: "read", path: cwd }]),

  async run({ task, cwd, model, max_turns: maxTurns, wait_ms: timeoutMs }, { agents, environment, signal }) {
    if (cwd !== undefined && (await environment.info(cwd)).kind !== "directory") throw noDirectory(cwd);
    const spawned = await agents.spawn({ task, cwd, model, maxTurns }, signal);
    if (timeoutMs === undefined) return describeAgent(spawned);
    return describeAgent(await agents.wait(spawned.id, { timeoutMs, signal }));
  },
};

function noDirectory(path: string): ToolError {
  return new ToolError("unsupported", `${path} is not a directory`, {
    hint: "Give a directory as `cwd`.",
  });
}
