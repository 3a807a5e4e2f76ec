import type { AgentStatus } from "../../contract/agents.ts";
import { ToolError } from "../../contract/error.ts";
import type { Answer } from "../answer.ts";
import type { DialectTool } from "../dialect.ts";
import { rename } from "../rename.ts";
import { reshape } from "../reshape.ts";

const spawnAgent: DialectTool = reshape(["agent.spawn"], {
  name: "spawn_agent",
  summary:
    "Start another agent on a task of its own, which works beside you. It knows only what `message` says. Get its answer with agent.wait.",
  input: (z) =>
    z.strictObject({
      message: z.string().check(z.minLength(1), z.describe("What to do and answer, with all it must know.")),
      agent_type: z.optional(z.string().check(z.describe("Makes no difference."))),
      fork_context: z.optional(z.boolean().check(z.describe("Not granted."))),
      model: z.optional(z.string().check(z.describe("Yours if not given."))),
    }),
  means: ({ message, fork_context: isFork, model }) => {
    if (isFork) throw noFork();
    return ["agent.spawn", { task: message, model }];
  },
  fields: { task: "message" },
  answer: ({ data: { id } }) => inJson({ agent_id: id, nickname: null }),
});

const sendInput: DialectTool = reshape(["agent.send"], {
  name: "send_input",
  summary: "Tell an agent more while it works, or give it more to do after its answer.",
  input: (z) =>
    z.strictObject({
      target: z.string().check(z.minLength(1), z.describe("Its id.")),
      message: z.string().check(z.minLength(1)),
      interrupt: z.optional(
        z.boolean().check(z.describe("Makes no difference: it hears it after the step it is at.")),
      ),
    }),
  means: ({ target, message }) => ["agent.send", { agent: target, message }],
  fields: { agent: "target" },
  answer: ({ data }) => inJson({ agent_id: data.id, status: statusOf(data) }),
});

const [leastWaitMs, usualWaitMs, mostWaitMs] = [10_000, 30_000, 3_600_000];

const waitAgent: DialectTool = reshape(["agent.wait"], {
  name: "wait_agent",
  summary: "Wait until the first of some agents has answered, and see the answers of all that have.",
  input: (z) =>
    z.strictObject({
      targets: z.array(z.string()).check(z.minLength(1), z.describe("Their ids.")),
      timeout_ms: z.optional(
        z.number().check(z.describe("10000 to 3600000; 30000 if not given. Prefer long waits.")),
      ),
    }),
  means: ({ targets: [agent = "", ...more], timeout_ms: wanted = usualWaitMs }) => [
    "agent.wait",
    {
      agent,
      timeout_ms: Math.round(Math.min(Math.max(wanted, leastWaitMs), mostWaitMs)),
      ...(more.length > 0 && { more_agents: more }),
    },
  ],
  fields: { agent: "targets" },
  answer: ({ data: { others = [], ...first } }) => {
    const ended = [first, ...others].filter(({ state }) => state !== "running");
    const status = Object.fromEntries(ended.map((agent) => [agent.id, statusOf(agent)]));
    return inJson({ status, timed_out: ended.length === 0 });
  },
});

const closeAgent: DialectTool = rename("agent.close", {
  name: "close_agent",
  fields: { agent: "target" },
  answer: ({ data }) => inJson({ status: statusOf(data) }),
});

/** They are there in a room that has agents. */
export const agentTools: readonly DialectTool[] = [spawnAgent, sendInput, waitAgent, closeAgent];

function inJson(answer: object): Answer {
  return { text: JSON.stringify(answer), continuation: undefined };
}

function statusOf({ state, output }: AgentStatus): unknown {
  if (state === "completed") return { completed: output };
  if (state === "failed") return { errored: output };
  return state === "closed" ? "shutdown" : "running";
}

function noFork(): ToolError {
  return new ToolError("unsupported", "An agent sees nothing of this conversation", {
    hint: "Leave out `fork_context`, and say all that it must know in `message`.",
  });
}
