import { setTimeout as sleep } from "node:timers/promises";
import type { AgentStatus, Agents, AgentTask } from "../../src/contract/agents.ts";
import { ToolError } from "../../src/contract/error.ts";

/**
 * Agents that need no model. Each answers with its task in capitals, one word per turn. With the task "wait" it
 * answers only after another message.
 */
export function loudAgents(): Agents {
  const agents = new Map<string, LoudAgent>();
  const find = (id: string) => {
    const agent = agents.get(id);
    if (agent) return agent;
    throw new ToolError("not-found", `There is no agent "${id}"`, {
      hint: "Use an id that spawning one gave.",
    });
  };
  return {
    spawn: async (task) => {
      const agent = new LoudAgent(`agent_${agents.size + 1}`, task);
      agents.set(agent.id, agent);
      return agent.tell(task.task);
    },
    send: async (id, message) => find(id).tell(message),
    wait: (id, options) => find(id).wait(options),
    close: async (id) => find(id).close(),
  };
}

class LoudAgent {
  readonly id: string;
  readonly #task: AgentTask;
  #status: AgentStatus;
  #work: Promise<void> = Promise.resolve();
  #hasAnswered = Promise.withResolvers<void>();

  constructor(id: string, task: AgentTask) {
    this.id = id;
    this.#task = task;
    this.#status = { id, state: "running", turns: 0, output: "" };
  }

  tell(message: string): AgentStatus {
    if (this.#status.state === "closed")
      throw new ToolError("unavailable", `${this.id} is closed`, { hint: "Spawn another." });
    this.#status = { ...this.#status, state: "running", output: "" };
    this.#hasAnswered = Promise.withResolvers();
    if (message !== "wait") this.#work = this.#work.then(() => this.#answer(message.split(" ")));
    return this.#status;
  }

  async wait({ timeoutMs, signal }: Parameters<Agents["wait"]>[1]): Promise<AgentStatus> {
    const enough = new AbortController();
    const whenOver = sleep(timeoutMs, undefined, { signal: AbortSignal.any([signal, enough.signal]) });
    try {
      if (this.#status.state === "running") await Promise.race([this.#hasAnswered.promise, whenOver]);
      return this.#status;
    } finally {
      enough.abort();
      await whenOver.catch(() => {});
    }
  }

  close(): AgentStatus {
    this.#status = { ...this.#status, state: "closed" };
    this.#hasAnswered.resolve();
    return this.#status;
  }

  async #answer(words: readonly string[]): Promise<void> {
    const { maxTurns = Number.POSITIVE_INFINITY } = this.#task;
    const spoken: string[] = [];
    for (const word of words) {
      if (this.#status.turns === maxTurns) return this.#end("failed", `No answer within ${maxTurns} turns.`);
      spoken.push(word.toUpperCase());
      this.#status = { ...this.#status, turns: this.#status.turns + 1 };
      await sleep(0);
    }
    this.#end("completed", spoken.join(" "));
  }

  #end(state: "completed" | "failed", output: string): void {
    if (this.#status.state === "closed") return;
    this.#status = { ...this.#status, state, output };
    this.#hasAnswered.resolve();
  }
}
