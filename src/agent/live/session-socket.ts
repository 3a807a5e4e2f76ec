import { ToolError, textForUser } from "../../contract/error.ts";
import type { Plan } from "../../contract/tool.ts";
import { userDirectories } from "../../system/directories.ts";
import { type JsonConnection, PrivateSocket } from "../../system/private-socket.ts";
import type { ClientInfo } from "../../toolcrib/index.ts";
import type { AgentEvent } from "../event.ts";
import type { Session } from "../session.ts";
import {
  type LiveCommand,
  type LiveHello,
  type LivePlanStep,
  type LiveReply,
  type LiveUpdate,
  socketFolder,
  socketPrefix,
} from "./live-protocol.ts";

export interface SocketOptions {
  readonly client: ClientInfo;
  /** Ends the session as Ctrl-C would. */
  readonly stop: () => void;
  /** Takes a message of another program. Default: `session.steer`. */
  readonly steer?: ((text: string) => void) | undefined;
  /** Default: the user's. */
  readonly state?: string | undefined;
}

/**
 * Tells other programs of this user what happens in a session, and takes their commands, until the session closes.
 * Rejects when the socket cannot be made.
 */
export async function openSessionSocket(session: Session, options: SocketOptions): Promise<void> {
  const folder = socketFolder(options.state ?? userDirectories().state);
  const peers = new SessionPeers(session, options);
  const socket = await PrivateSocket.listen(folder, socketPrefix(session.id), (peer) => peers.welcome(peer));
  peers.onClose(socket.close);
}

/** The programs that are attached to a session. */
class SessionPeers {
  readonly #session: Session;
  readonly #options: SocketOptions;
  readonly #peers = new Set<JsonConnection>();
  readonly #stopListening: () => void;
  #closed = () => {};
  #plan: readonly LivePlanStep[] = [];

  constructor(session: Session, options: SocketOptions) {
    this.#session = session;
    this.#options = options;
    this.#stopListening = session.on((event) => this.#hear(event));
  }

  welcome(peer: JsonConnection): void {
    this.#peers.add(peer);
    void peer.ended.then(() => this.#peers.delete(peer));
    peer.send(this.#hello());
    peer.receive(
      (message) => this.#obey(peer, message as Partial<LiveCommand>),
      (error) => {
        peer.send(replyTo(undefined, error));
        peer.end();
      },
    );
  }

  /** Calls `closed` when the session closes, or at once when it has closed. */
  onClose(closed: () => void): void {
    this.#closed = closed;
    if (this.#session.state === "closed") this.#close();
  }

  #close(): void {
    this.#stopListening();
    for (const peer of this.#peers) peer.end();
    this.#closed();
  }

  #hello(): LiveHello {
    const {
      id,
      state,
      model,
      turns,
      usage,
      cost,
      context,
      agents,
      toolcrib: crib,
      isPlanning,
    } = this.#session;
    return {
      type: "hello",
      session: id,
      pid: process.pid,
      workspace: crib.target ?? crib.workspace,
      client: this.#options.client,
      ...{ state, model: model.id, mode: crib.mode, isPlanning, turns, usage, cost, context },
      plan: this.#plan,
      agents,
    };
  }

  #obey(peer: JsonConnection, command: Partial<LiveCommand>): void {
    try {
      this.#perform(command);
      peer.send(replyTo(command.id, undefined));
    } catch (error) {
      peer.send(replyTo(command.id, error));
    }
  }

  #perform(command: Partial<LiveCommand>): void {
    switch (command.type) {
      case "steer":
        if (typeof command.text !== "string") throw unknownCommand();
        (this.#options.steer ?? ((text) => this.#session.steer(text)))(command.text);
        break;
      case "interrupt":
        void this.#session.abort();
        break;
      case "stop":
        // The reply is sent first.
        setImmediate(this.#options.stop);
        break;
      default:
        throw unknownCommand();
    }
  }

  #hear(event: AgentEvent): void {
    this.#notePlan(event);
    if (this.#peers.size > 0)
      for (const update of updatesOf(event, this.#session, this.#plan))
        for (const peer of this.#peers) peer.send(update);
    if (event.type === "state" && event.state === "closed" && event.agent === undefined) this.#close();
  }

  #notePlan(event: AgentEvent): void {
    if (event.type !== "tool-end" || event.canonical !== "plan.update") return;
    if (event.isError || event.agent !== undefined) return;
    const { steps = [] } = (event.data ?? {}) as Partial<Plan>;
    this.#plan = steps.map(({ step, status }) => ({ text: step, state: stepStates[status] ?? "pending" }));
  }
}

const stepStates: Readonly<Record<string, LivePlanStep["state"] | undefined>> = {
  in_progress: "active",
  completed: "done",
};

function updatesOf(
  event: AgentEvent,
  { agents }: Pick<Session, "agents">,
  plan: readonly LivePlanStep[],
): readonly LiveUpdate[] {
  const { agent = null } = event;
  const recorded = agent === null ? [{ type: "recorded" } as const] : [];
  switch (event.type) {
    case "state":
      return agent === null ? [{ type: "state", state: event.state }] : [{ type: "agents", agents }];
    case "text-delta":
      return [{ type: "text", id: event.id, agent, text: event.text }];
    case "tool-output":
      return [{ type: "output", id: event.id, agent, text: event.text }];
    case "usage":
      return agent === null
        ? [{ type: "usage", usage: event.total, cost: event.cost, context: event.context }]
        : [];
    case "tool-end":
      return event.canonical === "plan.update" && agent === null
        ? [{ type: "plan", plan }, ...recorded]
        : recorded;
    case "user-input":
    case "steering":
    case "tool-start":
    case "reply-end":
    case "clearing":
    case "compaction":
    case "turn-end":
      return recorded;
    default:
      return [];
  }
}

function replyTo(id: unknown, error: unknown): LiveReply {
  const failure = error instanceof ToolError ? textForUser(error) : { message: String(error), hint: null };
  return { type: "reply", id: typeof id === "number" ? id : 0, error: error === undefined ? null : failure };
}

function unknownCommand(): ToolError {
  return new ToolError("invalid-input", "The session does not know this command", {
    hint: "Use steer, interrupt or stop.",
  });
}
