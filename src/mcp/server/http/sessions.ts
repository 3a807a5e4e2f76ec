import { randomUUID } from "node:crypto";
import {
  type AuthInfo,
  type EventStore,
  type JSONRPCMessage,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { BoundedCache } from "../../../lib/bounded-cache.ts";
import { monotonicMs } from "../../../lib/clock.ts";
import type { Toolcrib } from "../../../toolcrib/index.ts";
import { newServer, type ServerParts, sendListChanged } from "../new-server.ts";
import { ServedToolcrib } from "../served-toolcrib.ts";
import type { Admission } from "./admission.ts";
import type { SessionLimits } from "./new-handler.ts";
import { needsWrite, scopes } from "./resource-server.ts";

interface SessionParts extends Omit<ServerParts, "toolcrib"> {
  readonly admission: Admission;
  /** Opens the instance of one session. */
  readonly open: () => Promise<Toolcrib>;
}

/** The sessions of 2025-era clients, each with its own instance. They outlive connections. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #parts: SessionParts;
  readonly #limits: SessionLimits;
  readonly #sweeping: NodeJS.Timeout;

  constructor(parts: SessionParts, limits: SessionLimits) {
    this.#parts = parts;
    this.#limits = limits;
    this.#sweeping = setInterval(() => this.#endIdle(), Math.min(limits.idleMs, 60_000)).unref();
  }

  get count(): number {
    return this.#sessions.size;
  }

  async fetch(request: Request, authInfo: AuthInfo | undefined): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#open(request, authInfo);
    const session = this.#sessions.get(id);
    if (session === undefined) return refuse(404, "Session not found: it has ended, start a new one");
    return session.handle(request, authInfo);
  }

  /** Ends the session whose instance has this id. Returns false when there is none. */
  async endInstance(session: string): Promise<boolean> {
    const found = [...this.#sessions].find(([, { instance }]) => instance === session);
    if (found === undefined) return false;
    await this.#end(found[0]);
    return true;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)));
  }

  async #open(request: Request, authInfo: AuthInfo | undefined): Promise<Response> {
    if (request.method !== "POST")
      return refuse(400, "Send the id of a session, or start one with `initialize`");
    if (!this.#makeSpace()) return refuse(503, "Too many sessions, and all of them are busy");
    const session = new Session(this.#parts, this.#limits, {
      begun: (id) => this.#sessions.set(id, session),
      ended: (id) => void this.#end(id),
    });
    await session.begin();
    const response = await session.handle(request, authInfo);
    if (![...this.#sessions.values()].includes(session)) await session.close();
    return response;
  }

  #makeSpace(): boolean {
    if (this.#sessions.size < this.#limits.maxSessions) return true;
    const idle = [...this.#sessions].filter(([, session]) => session.idleMs !== undefined);
    const [longest] = idle.sort(([, one], [, other]) => other.idleMs! - one.idleMs!);
    if (longest === undefined) return false;
    void this.#end(longest[0]);
    return true;
  }

  #endIdle(): void {
    for (const [id, { idleMs }] of this.#sessions)
      if (idleMs !== undefined && idleMs > this.#limits.idleMs) void this.#end(id);
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.close().catch(() => {});
  }
}

class Session {
  readonly #served: ServedToolcrib;
  readonly #server: ReturnType<typeof newServer>;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  /** Open connections that wait for messages. */
  #streams = 0;
  #usedMs = monotonicMs();

  constructor(
    { open, admission, ...parts }: SessionParts,
    { maxBodyBytes }: SessionLimits,
    notify: { begun(id: string): void; ended(id: string): void },
  ) {
    const openListed = async () => {
      const crib = await open();
      // Loads the tools in the turn of this session. A failure is reported to the request that needs them.
      await crib.definitions().catch(() => {});
      return crib;
    };
    this.#served = new ServedToolcrib(() => admission.open(openListed), { admission });
    this.#server = newServer({ ...parts, toolcrib: this.#served, era: "legacy" });
    this.#served.onChange((list) => void sendListChanged(this.#server, list).catch(() => {}));
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: notify.begun,
      onsessionclosed: notify.ended,
      eventStore: new RecentEvents(),
      retryInterval: 1_000,
      maxRequestBodySize: maxBodyBytes,
    });
    this.#transport.setScopeChallengeResolver(async ({ request, authInfo }) => {
      const name = request.method === "tools/call" ? request.params?.name : undefined;
      if (authInfo === undefined || typeof name !== "string") return undefined;
      if (!(await this.#served.mayChange(name))) return undefined;
      return { scopes: [scopes.read, scopes.write], errorDescription: needsWrite };
    });
  }

  /** How long the session has been idle; undefined while it is busy or has open streams. */
  get idleMs(): number | undefined {
    return this.#served.isBusy || this.#streams > 0 ? undefined : monotonicMs() - this.#usedMs;
  }

  /** The session of its instance; undefined until it is open. */
  get instance(): string | undefined {
    return this.#served.session;
  }

  begin(): Promise<void> {
    return this.#server.connect(this.#transport);
  }

  async handle(request: Request, authInfo: AuthInfo | undefined): Promise<Response> {
    this.#usedMs = monotonicMs();
    const response = await this.#transport.handleRequest(request, { authInfo });
    if (request.method === "GET" && response.ok) this.#listenUntil(request.signal);
    return response;
  }

  /** Counts a stream until its client disconnects. */
  #listenUntil(disconnected: AbortSignal): void {
    this.#streams += 1;
    const stop = () => {
      this.#streams -= 1;
      this.#usedMs = monotonicMs();
    };
    if (disconnected.aborted) stop();
    else disconnected.addEventListener("abort", stop, { once: true });
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.#served.close();
  }
}

/** Returns a JSON-RPC error. */
export function refuse(status: number, message: string): Response {
  const code = status === 404 ? -32001 : -32000;
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}

interface StoredEvent {
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

/** Stores the latest messages of a session, up to a limit, for clients that reconnect. */
export class RecentEvents implements EventStore {
  readonly #events = new BoundedCache<string, StoredEvent>({
    maxEntries: maxEvents,
    maxWeight: maxBytes,
    weigh: ({ bytes }) => bytes,
  });
  #count = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    this.#count += 1;
    const id = `${this.#count}`;
    this.#events.set(id, { stream, message, bytes: JSON.stringify(message).length });
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#events.get(id)?.stream;
  }

  async replayEventsAfter(
    last: string,
    { send }: { readonly send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const stream = this.#events.get(last)?.stream ?? "";
    for (const [id, event] of this.#events.entries())
      if (Number(id) > Number(last) && event.stream === stream) await send(id, event.message);
    return stream;
  }
}

const maxEvents = 2_000;
const maxBytes = 8 * 1024 * 1024;
