import type { AgentStatus, Agents } from "../../contract/agents.ts";
import { ToolError } from "../../contract/error.ts";
import { throwIfAborted, unlessAborted } from "../../lib/async/abort.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import type { AgentEvent, TurnResult } from "../event.ts";
import type { LiveSession } from "../live-session.ts";
import type { AgentNode } from "../session.ts";

/** An agent that works for another: its session and its state. */
export class Subagent {
  readonly id: string;
  readonly #task: string;
  readonly #listeners: SubagentListeners;
  #session: Promise<LiveSession> | undefined;
  #live: LiveSession | undefined;
  #state: AgentStatus["state"] = "running";
  #turns = 0;
  #output = "";
  #stoppedBy: AgentEvent | undefined;
  #answered = Promise.withResolvers<void>();
  #closed: Promise<void> | undefined;

  constructor(id: string, task: string, listeners: SubagentListeners) {
    this.id = id;
    this.#task = task;
    this.#listeners = listeners;
  }

  get status(): AgentStatus {
    return { id: this.id, state: this.#state, turns: this.#turns, output: this.#output };
  }

  get node(): AgentNode {
    return { ...this.status, task: this.#task, agents: this.#live?.agents ?? [] };
  }

  get isOpen(): boolean {
    return this.#state !== "closed";
  }

  /** Gives the subagent its first task once its session is open. Throws when the session cannot open. */
  async begin(session: Promise<LiveSession>, task: string): Promise<void> {
    this.#session = session;
    const live = await session;
    if (!this.isOpen) return;
    this.#live = live;
    live.on((event) => {
      if (event.agent === undefined) this.#note(event);
      this.#listeners.relay(event);
    });
    live.run(task);
  }

  /** Sends a message between two rounds; after an answer this starts the next turn. */
  send(message: string): void {
    if (this.#live === undefined)
      throw this.isOpen
        ? new ToolError("unavailable", `${this.id} is still starting`, { hint: "Send the message later." })
        : new ToolError("unavailable", `${this.id} is closed`, { hint: "Start another with agent.spawn." });
    this.#live.steer(message);
    if (this.#state === "running") return;
    this.#enter("running");
    this.#output = "";
    this.#answered = Promise.withResolvers();
  }

  async wait({ timeoutMs, signal }: Parameters<Agents["wait"]>[1]): Promise<AgentStatus> {
    throwIfAborted(signal);
    if (this.#state !== "running") return this.status;
    await unlessAborted(this.#answered.promise, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    throwIfAborted(signal);
    return this.status;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    // The result of one that has answered stays recorded.
    if (this.#state === "running") this.#enter("closed");
    this.#state = "closed";
    this.#answered.resolve();
    const live = await this.#session?.catch(() => undefined);
    await live?.close();
    // This frees the memory of the conversation.
    this.#session = undefined;
    this.#live = undefined;
  }

  #note(event: AgentEvent): void {
    if (event.type === "turn-start") this.#stoppedBy = undefined;
    if (event.type === "round-start") this.#turns += 1;
    if (event.type === "limit" || event.type === "loop") this.#stoppedBy = event;
    // A message that arrives at the last moment starts another turn.
    if (event.type !== "turn-end" || this.#state === "closed" || this.#live?.state !== "idle") return;
    const hasSucceeded = event.outcome === "completed";
    this.#enter(hasSucceeded ? "completed" : "failed");
    this.#output = hasSucceeded ? event.text : reasonOf(event, this.#stoppedBy);
    this.#answered.resolve();
    // This ends its own subagents, too.
    void this.#live.abort();
  }

  #enter(state: AgentStatus["state"]): void {
    this.#state = state;
    this.#listeners.onState(state);
  }
}

interface SubagentListeners {
  /** Gets the events of its session. */
  readonly relay: (event: AgentEvent) => void;
  /** Gets each state after the first, "running". */
  readonly onState: (state: AgentStatus["state"]) => void;
}

/** Says why a subagent gave no answer; `stoppedBy` is the limit or loop that stopped it. */
function reasonOf({ error, text }: TurnResult, stoppedBy: AgentEvent | undefined): string {
  const reason = error ? [error.message, error.hint].filter((part) => part).join("\n") : stop(stoppedBy);
  return text === "" ? reason : `${reason}\nIts last message: ${text}`;
}

function stop(event: AgentEvent | undefined): string {
  if (event?.type === "loop") return `Stopped because it repeated itself: ${event.calls.join(", ")}`;
  if (event?.type !== "limit") return "Stopped.";
  const { limit, allowed } = event;
  if (limit === "rounds") return `No answer within ${counted(allowed, "turn")}.`;
  const all = limit === "cost" ? `$${allowed}` : counted(allowed, limit === "tokens" ? "token" : "turn");
  return `The session has reached its limit of ${all}.`;
}
