import type { AgentStatus } from "../../contract/agents.ts";
import type { ToolOutput } from "../../contract/tool.ts";
import type { Answer } from "../answer.ts";
import type { DialectTool } from "../dialect.ts";
import { reshape } from "../reshape.ts";

const mostWaitMs = { foreground: 3_600_000, output: 600_000 };

const agent: DialectTool = reshape(["agent.spawn"], {
  name: "Agent",
  summary:
    "Start another agent on a task of its own. It knows only what `prompt` says. Start several in one reply to have them work side by side.",
  input: (z) =>
    z.strictObject({
      description: z.string().check(z.describe("The task in three to five words.")),
      prompt: z.string().check(z.minLength(1), z.describe("What to do and answer, with all it must know.")),
      subagent_type: z.optional(z.string().check(z.describe("Makes no difference."))),
      model: z.optional(z.string().check(z.describe("provider/name; yours if not given."))),
      run_in_background: z.optional(
        z.boolean().check(z.describe("False: wait for its answer. True if not given.")),
      ),
    }),
  means: ({ prompt, model, run_in_background: isBeside = true }) => [
    "agent.spawn",
    { task: prompt, model, ...(!isBeside && { wait_ms: mostWaitMs.foreground }) },
  ],
  fields: { task: "prompt" },
  answer: answerAgent,
});

const taskOutput: DialectTool = reshape(["agent.wait"], {
  name: "TaskOutput",
  summary: "Get an agent's answer.",
  input: (z) =>
    z.strictObject({
      task_id: z.string().check(z.minLength(1), z.describe("The agent's ID.")),
      block: z.optional(z.boolean().check(z.describe("False: do not wait for it. True if not given."))),
      timeout: z.optional(
        z
          .int()
          .check(
            z.minimum(1),
            z.maximum(mostWaitMs.output),
            z.describe("Milliseconds; 600000 if not given."),
          ),
      ),
    }),
  means: ({ task_id, block = true, timeout = mostWaitMs.output }) => [
    "agent.wait",
    { agent: task_id, timeout_ms: block ? timeout : 1 },
  ],
  fields: { agent: "task_id", timeout_ms: "timeout" },
  answer: answerAgent,
});

const sendMessage: DialectTool = reshape(["agent.send"], {
  name: "SendMessage",
  summary: "Tell an agent more while it works, or give it more to do after its answer.",
  input: (z) =>
    z.strictObject({
      to: z.string().check(z.minLength(1), z.describe("The agent's ID.")),
      message: z.string().check(z.minLength(1)),
      summary: z.optional(z.string().check(z.describe("The message in a few words."))),
    }),
  means: ({ to, message }) => ["agent.send", { agent: to, message }],
  fields: { agent: "to" },
  answer: answerAgent,
});

/** They are there in a room that has agents; `TaskStop` ends one. */
export const agentTools: readonly DialectTool[] = [agent, taskOutput, sendMessage];

function answerAgent({ data, text }: ToolOutput<AgentStatus>): Answer {
  const waysOn = "Get its answer with TaskOutput; tell it more with SendMessage; end it with TaskStop.";
  return { text, continuation: data.state === "running" ? waysOn : undefined };
}
