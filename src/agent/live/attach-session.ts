import { ToolError } from "../../contract/error.ts";
import { Listeners } from "../../lib/async/listeners.ts";
import { userDirectories } from "../../system/directories.ts";
import { connectTo, type JsonConnection, socketNames } from "../../system/private-socket.ts";
import {
  type LiveCommand,
  type LiveHello,
  type LiveReply,
  type LiveUpdate,
  socketFolder,
  socketPrefix,
} from "./live-protocol.ts";

/** A connection to an open session of another process. */
export interface AttachedSession {
  /** The session when the connection began. */
  readonly hello: LiveHello;
  /** Resolves when the connection ends, for example because the session closed. Never rejects. */
  readonly ended: Promise<void>;
  /** Calls the first listener with everything since the hello, and others with what happens from then on. */
  on(listener: (update: LiveUpdate) => void): () => void;
  /**
   * Sends a message to the model in the running turn, or starts a turn with it. Rejects when the session refuses it. With the
   * detail "unanswered-command", the session may have accepted it: its process ended without an answer.
   */
  steer(text: string): Promise<void>;
  /** Ends the running turn. The session stays open. */
  interrupt(): Promise<void>;
  /** Ends the session as Ctrl-C would. */
  stop(): Promise<void>;
  /** Ends the connection, not the session. */
  close(): void;
}

/**
 * Connects to an open session of this user, in any process. Returns undefined when the session is not open or has no
 * socket: clients other than chat, run and acp have none.
 */
export async function attachSession(
  session: string,
  { state = userDirectories().state }: { readonly state?: string | undefined } = {},
): Promise<AttachedSession | undefined> {
  const folder = socketFolder(state);
  for (const name of socketNames(folder)) {
    if (!name.startsWith(socketPrefix(session))) continue;
    const attached = await attachSocket(folder, name);
    if (attached?.hello.session === session) return attached;
    attached?.close();
  }
  return undefined;
}

/** Returns undefined when no session answers. Removes the socket of a process that died. */
export async function attachSocket(
  folder: string,
  name: string,
  helloMs = usualHelloMs,
): Promise<AttachedSession | undefined> {
  const connection = connectTo(folder, name);
  const { promise, resolve } = Promise.withResolvers<LiveHello | undefined>();
  const attached = new Attached(connection, resolve);
  const patience = setTimeout(() => connection.destroy(), helloMs);
  void connection.ended.then(() => resolve(undefined));
  const hello = await promise;
  clearTimeout(patience);
  return hello === undefined ? undefined : attached;
}

const usualHelloMs = 2_000;

class Attached implements AttachedSession {
  readonly ended: Promise<void>;
  readonly #connection: JsonConnection;
  readonly #updates = new Listeners<LiveUpdate>();
  readonly #waiting = new Map<number, (reply: Settled) => void>();
  /** Updates that arrived before the first listener. */
  #early: LiveUpdate[] | undefined = [];
  #hello: LiveHello | undefined;
  #hasClosed = false;
  #count = 0;

  constructor(connection: JsonConnection, onHello: (hello: LiveHello) => void) {
    this.#connection = connection;
    this.ended = connection.ended.then(() => {
      // A session answers before it closes, so a command without an answer came too late.
      const end = this.#hasClosed ? { error: connectionEnded } : { error: unanswered, isUnanswered: true };
      for (const settle of this.#waiting.values()) settle(end);
    });
    connection.receive(
      (message) => this.#take(message as unknown as LiveHello | LiveUpdate | LiveReply, onHello),
      () => connection.destroy(),
    );
  }

  get hello(): LiveHello {
    return this.#hello!;
  }

  on(listener: (update: LiveUpdate) => void): () => void {
    const stop = this.#updates.on(listener);
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const update of early) this.#updates.emit(update);
    return stop;
  }

  steer(text: string): Promise<void> {
    return this.#send({ type: "steer", text });
  }

  interrupt(): Promise<void> {
    return this.#send({ type: "interrupt" });
  }

  stop(): Promise<void> {
    return this.#send({ type: "stop" });
  }

  close(): void {
    this.#connection.destroy();
  }

  #take(message: LiveHello | LiveUpdate | LiveReply, onHello: (hello: LiveHello) => void): void {
    if (message.type === "hello") {
      this.#hello = message;
      onHello(message);
    } else if (message.type === "reply") {
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    } else this.#hear(message);
  }

  #hear(update: LiveUpdate): void {
    if (update.type === "state") this.#hasClosed = update.state === "closed";
    if (this.#early === undefined) this.#updates.emit(update);
    else if (this.#early.length < maxEarly) this.#early.push(update);
  }

  async #send(
    command: { readonly type: "steer"; readonly text: string } | { readonly type: "interrupt" | "stop" },
  ): Promise<void> {
    this.#count += 1;
    const id = this.#count;
    const { promise, resolve } = Promise.withResolvers<Settled>();
    this.#waiting.set(id, resolve);
    if (this.#connection.hasEnded) resolve({ error: connectionEnded });
    this.#connection.send({ ...command, id } satisfies LiveCommand);
    const { error, isUnanswered } = await promise;
    if (error !== null)
      throw new ToolError("unavailable", error.message, {
        hint: error.hint ?? "Try again.",
        details: isUnanswered ? { kind: "unanswered-command" } : undefined,
      });
  }
}

interface Settled extends Pick<LiveReply, "error"> {
  readonly isUnanswered?: boolean;
}

const maxEarly = 1_000;
const connectionEnded = { message: "The session has ended", hint: "Resume it, then send the message again." };
const unanswered = {
  message: "The session ended before it confirmed the message",
  hint: "If the conversation does not show the message, send it again.",
};
