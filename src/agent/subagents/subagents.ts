import type { AgentStatus, Agents, AgentTask } from "../../contract/agents.ts";
import { ToolError } from "../../contract/error.ts";
import { throwIfAborted } from "../../lib/async/abort.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import type { AgentEvent } from "../event.ts";
import type { AgentNode } from "../session.ts";
import type { SessionCore } from "../session-core.ts";
import { openChild } from "./open-child.ts";
import { Subagent } from "./subagent.ts";

/** The subagents of a session. `open` counts those of the whole session tree, which share one limit. */
export class Subagents implements Agents {
  readonly #parent: () => SessionCore;
  readonly #depth: number;
  readonly #open: Set<Subagent>;
  readonly #agents = new Map<string, Subagent>();

  constructor(parent: () => SessionCore, depth = 1, open: Set<Subagent> = new Set()) {
    this.#parent = parent;
    this.#depth = depth;
    this.#open = open;
  }

  async spawn(task: AgentTask, signal: AbortSignal): Promise<AgentStatus> {
    throwIfAborted(signal);
    const parent = this.#parent();
    this.#closeIdle(parent.parts.limits.agents);
    const id = `agent_${this.#agents.size + 1}`;
    const { recorder } = parent.parts;
    const agent = new Subagent(id, task.task, {
      relay: (event) => this.#relay(id, event),
      onState: (state) => recorder.add({ kind: "agent", agent: id, state }),
    });
    recorder.add({ kind: "agent", agent: id, state: "running", task: task.task });
    this.#agents.set(id, agent);
    this.#open.add(agent);
    const end = () => void agent.close();
    signal.addEventListener("abort", end);
    try {
      await agent.begin(openChild({ id, task, parent, agentsOf: this.#agentsBelow(parent) }), inputOf(task));
      throwIfAborted(signal);
      return agent.status;
    } catch (error) {
      await agent.close();
      throw error;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  async send(id: string, message: string): Promise<AgentStatus> {
    const agent = this.#find(id);
    agent.send(message);
    return agent.status;
  }

  async wait(id: string, options: Parameters<Agents["wait"]>[1]): Promise<AgentStatus> {
    return this.#find(id).wait(options);
  }

  async close(id: string): Promise<AgentStatus> {
    const agent = this.#find(id);
    await agent.close();
    return agent.status;
  }

  list(): readonly AgentNode[] {
    return [...this.#agents.values()].map((agent) => agent.node);
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#agents.values()].map((agent) => agent.close()));
  }

  /** Closes a subagent that has answered when the limit is reached. */
  #closeIdle(most: number): void {
    for (const agent of this.#open) if (!agent.isOpen) this.#open.delete(agent);
    if (this.#open.size < most) return;
    const idle = [...this.#agents.values()].find(({ status }) => /completed|failed/.test(status.state));
    if (idle === undefined)
      throw new ToolError("unavailable", `The limit of ${counted(most, "running agent")} is reached`, {
        hint: "Wait for one with agent.wait, or end one with agent.close.",
      });
    void idle.close();
    this.#open.delete(idle);
  }

  #agentsBelow({ parts }: SessionCore): (parent: () => SessionCore) => Subagents | undefined {
    const depth = this.#depth + 1;
    return (parent) =>
      depth > parts.limits.agentDepth ? undefined : new Subagents(parent, depth, this.#open);
  }

  #relay(id: string, event: AgentEvent): void {
    const { parts, spending, relay } = this.#parent();
    const agent = event.agent === undefined ? id : `${id}/${event.agent}`;
    const own: AgentEvent = { ...event, session: parts.id, agent };
    relay(own.type === "usage" ? { ...own, total: spending.usage, cost: spending.cost } : own);
  }

  #find(id: string): Subagent {
    const agent = this.#agents.get(id);
    if (agent) return agent;
    throw new ToolError("not-found", `Unknown agent "${id}"`, {
      hint:
        this.#agents.size === 0
          ? "Start one with agent.spawn."
          : `Use one of: ${[...this.#agents.keys()].join(", ")}.`,
    });
  }
}

function inputOf({ task, cwd }: AgentTask): string {
  return cwd === undefined ? task : `Work in ${cwd}; paths are relative to the workspace.\n\n${task}`;
}
