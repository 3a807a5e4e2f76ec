import { randomBytes } from "node:crypto";
import { chmodSync, unlinkSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { ToolError, textForUser } from "../../contract/error.ts";
import type { Plan } from "../../contract/tool.ts";
import { attempt } from "../../system/attempt.ts";
import { makePrivateDirectory, userDirectories } from "../../system/directories.ts";
import type { ClientInfo } from "../../toolcrib/index.ts";
import type { AgentEvent } from "../event.ts";
import type { Session } from "../session.ts";
import {
  isPrivateFolder,
  type LiveCommand,
  type LiveHello,
  type LivePlanStep,
  type LiveReply,
  type LiveUpdate,
  maxCommandBytes,
  readLines,
  socketFolder,
  socketPrefix,
  socketSuffix,
  withAddress,
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

/** Listens on the socket of a session until the session closes. Rejects when the socket cannot be made. */
export async function openSessionSocket(session: Session, options: SocketOptions): Promise<SessionSocket> {
  const folder = socketFolder(options.state ?? userDirectories().state);
  makePrivateDirectory(folder);
  if (!isPrivateFolder(folder))
    throw new ToolError("unavailable", `Other users can enter ${folder}, or it is a link`, {
      hint: `Remove it: rm -r ${folder}`,
    });
  const socket = new SessionSocket(session, options, folder);
  await socket.listen();
  return socket;
}

/** The socket of one open session. It tells attached programs what happens, and takes their commands. */
export class SessionSocket {
  readonly #session: Session;
  readonly #options: SocketOptions;
  readonly #folder: string;
  readonly #name: string;
  readonly #server: Server;
  readonly #peers = new Set<Socket>();
  readonly #stopListening: () => void;
  #release = () => {};
  #plan: readonly LivePlanStep[] = [];

  constructor(session: Session, options: SocketOptions, folder: string) {
    this.#session = session;
    this.#options = options;
    this.#folder = folder;
    this.#name = `${socketPrefix(session.id)}${randomBytes(12).toString("hex")}${socketSuffix}`;
    this.#server = createServer((peer) => this.#welcome(peer));
    this.#server.maxConnections = maxPeers;
    this.#stopListening = session.on((event) => this.#hear(event));
  }

  async listen(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject);
    withAddress(this.#folder, this.#name, (address, release) => {
      this.#release = release;
      this.#server.listen(address, resolve);
    });
    try {
      await promise;
    } catch (error) {
      this.close();
      throw error;
    }
    this.#server.off("error", reject);
    this.#server.on("error", () => this.close());
    // Nothing waits for peers.
    this.#server.unref();
    chmodSync(join(this.#folder, this.#name), 0o600);
    process.once("exit", this.close);
    if (this.#session.state === "closed") this.close();
  }

  /** Ends all connections and removes the socket. May be called twice. */
  readonly close = (): void => {
    process.off("exit", this.close);
    this.#stopListening();
    for (const peer of this.#peers) peer.end();
    this.#server.close();
    attempt(() => unlinkSync(join(this.#folder, this.#name)));
    this.#release();
  };

  #welcome(peer: Socket): void {
    this.#peers.add(peer);
    peer.unref();
    peer.on("error", () => peer.destroy());
    peer.on("close", () => this.#peers.delete(peer));
    this.#send(peer, this.#hello());
    readLines(
      peer,
      maxCommandBytes,
      (message) => this.#obey(peer, message as Partial<LiveCommand>),
      (error) => {
        this.#send(peer, replyTo(undefined, error));
        peer.destroySoon();
      },
    );
  }

  #hello(): LiveHello {
    const { id, state, model, turns, usage, cost, context, agents, crib, isPlanning } = this.#session;
    return {
      type: "hello",
      session: id,
      pid: process.pid,
      workspace: crib.workspace,
      client: this.#options.client,
      ...{ state, model: model.id, mode: crib.mode, isPlanning, turns, usage, cost, context },
      plan: this.#plan,
      agents,
    };
  }

  #obey(peer: Socket, command: Partial<LiveCommand>): void {
    try {
      this.#perform(command);
      this.#send(peer, replyTo(command.id, undefined));
    } catch (error) {
      this.#send(peer, replyTo(command.id, error));
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
        for (const peer of this.#peers) this.#send(peer, update);
    if (event.type === "state" && event.state === "closed" && event.agent === undefined) this.close();
  }

  #notePlan(event: AgentEvent): void {
    if (event.type !== "tool-end" || event.canonical !== "plan.update") return;
    if (event.isError || event.agent !== undefined) return;
    const { steps = [] } = (event.data ?? {}) as Partial<Plan>;
    this.#plan = steps.map(({ step, status }) => ({ text: step, state: stepStates[status] ?? "pending" }));
  }

  #send(peer: Socket, message: LiveHello | LiveUpdate | LiveReply): void {
    if (peer.destroyed || peer.writableEnded) return;
    // A peer that does not read attaches again when it can.
    if (peer.writableLength > maxUnsentBytes) peer.destroy();
    else peer.write(`${JSON.stringify(message)}\n`);
  }
}

const maxPeers = 16;
const maxUnsentBytes = 4 * 1024 * 1024;

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
