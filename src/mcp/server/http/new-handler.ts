import type { IncomingMessage, ServerResponse } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  readRequestBody,
} from "@modelcontextprotocol/server";
import { monotonicMs } from "../../../lib/clock.ts";
import { isRecord } from "../../../lib/json/is-record.ts";
import { tryParseJson } from "../../../lib/json/try-parse-json.ts";
import type { Toolcrib } from "../../../toolcrib/index.ts";
import type { ServerIdentity, TaskOptions } from "../../types.ts";
import { ApprovalQuestions } from "../approvals.ts";
import { newServer } from "../new-server.ts";
import { ServedToolcrib } from "../served-toolcrib.ts";
import { listenBody, taskSubscriptionIn, withTaskEvents } from "../task-subscriptions.ts";
import { Admission } from "./admission.ts";
import { needsWriteScope, scopes } from "./resource-server.ts";
import { refuse, Sessions } from "./sessions.ts";

export interface HttpHandlerOptions extends ServerIdentity, TaskOptions, Partial<SessionLimits> {
  /**
   * Opens an instance of a tenant: one per session for clients of the 2025 era, and one for all later clients of the
   * tenant, whose protocol has no sessions. The handler closes them.
   */
  readonly open: (request: OpenRequest) => Promise<Toolcrib>;
  /** A further tenant replaces the one that has been idle longest. Default: 1,000. */
  readonly maxTenants?: number | undefined;
}

/** Whom an instance is opened for. */
export interface OpenRequest {
  /** The tenant that `fetch` or `listener` was called with. Requests with another tenant never reach this instance. */
  readonly tenant: string | undefined;
}

/** Facts about a request that only your server knows. */
export interface RequestFacts {
  /**
   * The tenant of the authenticated client, such as a customer's id. Tenants share no instance, session, approval or
   * event. Undefined or empty: the request is refused with 401. Left out: all requests belong to one tenant.
   */
  readonly tenant?: string | undefined;
  /**
   * Whether the client may only read, as its access token says: other tools are not listed, and calls of them are refused
   * with 403 (`insufficient_scope`).
   */
  readonly readOnly?: boolean | undefined;
  /** The address of your metadata (RFC 9728), for that refusal. */
  readonly resourceMetadataUrl?: string | undefined;
  /** The body, when a body parser has consumed the request: a value, or the text or bytes of one. */
  readonly body?: unknown;
}

export interface HttpHandler extends AsyncDisposable {
  /** Answers a web-standard request. */
  fetch(request: Request, facts?: RequestFacts): Promise<Response>;
  /**
   * Answers a request of `node:http`, Express, Fastify and other Node servers. Uses `request.body` when a body parser
   * has consumed the request, and ignores a function as the third argument (`next`).
   */
  listener(
    request: IncomingMessage,
    response: ServerResponse,
    facts?: RequestFacts | ((...ignored: never[]) => unknown),
  ): Promise<void>;
  /**
   * Ends the session whose instance has this id, as in the log. Returns false when no session of its own has it: later
   * clients of a tenant share one instance.
   */
  endSession(session: string): Promise<boolean>;
  /** Ends all sessions and instances. May be called twice. */
  close(): Promise<void>;
}

export interface SessionLimits {
  /** A further client of a tenant replaces the tenant's session that has been idle longest. Default: 100. */
  readonly maxSessions: number;
  /** A session or tenant that is idle this long ends. Default: two hours. */
  readonly idleMs: number;
  /** Default: 32 MiB. */
  readonly maxBodyBytes: number;
}

/** Handles MCP over Streamable HTTP in both eras. Does not authenticate: the caller checks host, origin and token. */
export function newHttpHandler(options: HttpHandlerOptions): HttpHandler {
  const tenants = new Tenants(options);
  const { maxBodyBytes: maxRequestBodySize } = tenants.limits;
  return {
    fetch: (request, facts) => tenants.fetch(request, facts),
    listener: (request, response, facts) => {
      const { body = bodyOf(request), ...rest } = typeof facts === "object" ? facts : {};
      const handler = { fetch: (converted: Request) => tenants.fetch(converted, { ...rest, body }) };
      return toNodeHandler(handler, { maxRequestBodySize })(request as NodeRequest, response, body);
    },
    endSession: (session) => tenants.endSession(session),
    close: () => tenants.close(),
    [Symbol.asyncDispose]: () => tenants.close(),
  };
}

/** The SDK's types require `method` and `url`. */
type NodeRequest = IncomingMessage & { readonly method: string; readonly url: string };

/** Returns the body that a body parser has left on the request; undefined when the body was not read. */
function bodyOf(request: IncomingMessage & { readonly body?: unknown }): unknown {
  return request.readableDidRead ? (request.body ?? consumed) : undefined;
}

/** Stands for a body that was read and thrown away. */
const consumed = Symbol("consumed");

/** The tenants of a handler. Nothing is shared between them, except the order in which calls start. */
class Tenants {
  readonly limits: Readonly<SessionLimits>;
  readonly #options: HttpHandlerOptions;
  readonly #admission = new Admission();
  readonly #tenants = new Map<string | undefined, Tenant>();
  readonly #sweeping: NodeJS.Timeout;
  #closed: Promise<void> | undefined;

  constructor(options: HttpHandlerOptions) {
    const { maxSessions = 100, idleMs = 2 * 60 * 60_000, maxBodyBytes = 32 * 1024 * 1024 } = options;
    this.limits = { maxSessions, idleMs, maxBodyBytes };
    this.#options = options;
    this.#sweeping = setInterval(() => this.#endIdle(), Math.min(idleMs, 60_000)).unref();
  }

  async fetch(request: Request, facts: RequestFacts = {}): Promise<Response> {
    const { tenant: name, body } = facts;
    // A forgotten or failed authentication must not lead to an instance that clients share.
    if ("tenant" in facts && (typeof name !== "string" || name === ""))
      return refuse(401, "This request belongs to no tenant: authenticate first");
    if (this.#closed !== undefined) return refuse(503, "The server has ended");
    if (body === consumed || (body === undefined && request.bodyUsed))
      return refuse(500, "The body of this request was already read. Pass it on: { body: request.body }");
    const tenant = this.#tenants.get(name) ?? this.#add(name);
    if (tenant === undefined) return refuse(503, "Too many tenants, and all of them are busy");
    return tenant.fetch(body === undefined ? request : withBody(request, body), authInfoOf(facts));
  }

  async endSession(session: string): Promise<boolean> {
    const ended = await Promise.all([...this.#tenants.values()].map((tenant) => tenant.endSession(session)));
    return ended.includes(true);
  }

  close(): Promise<void> {
    clearInterval(this.#sweeping);
    this.#closed ??= Promise.all([...this.#tenants.values()].map((tenant) => tenant.close())).then(() => {});
    return this.#closed;
  }

  #add(name: string | undefined): Tenant | undefined {
    const { maxTenants = 1_000, serverInfo, instructions, prompts, taskAfterMs } = this.#options;
    if (this.#tenants.size >= maxTenants) {
      const idle = [...this.#tenants].filter(([, { idleMs }]) => idleMs !== undefined);
      const [longest] = idle.sort(([, one], [, other]) => other.idleMs! - one.idleMs!);
      if (longest === undefined) return undefined;
      this.#end(longest[0]);
    }
    const open = () => this.#options.open({ tenant: name });
    const identity = { serverInfo, instructions, prompts };
    const tenant = new Tenant({ open, admission: this.#admission, taskAfterMs, ...identity }, this.limits);
    this.#tenants.set(name, tenant);
    return tenant;
  }

  #endIdle(): void {
    for (const [name, { idleMs }] of this.#tenants)
      if (idleMs !== undefined && idleMs > this.limits.idleMs) this.#end(name);
  }

  #end(name: string | undefined): void {
    const tenant = this.#tenants.get(name);
    this.#tenants.delete(name);
    void tenant?.close().catch(() => {});
  }
}

interface TenantParts extends ServerIdentity, TaskOptions {
  readonly open: () => Promise<Toolcrib>;
  readonly admission: Admission;
}

/** The sessions of one tenant, and the instance of its clients without sessions. */
class Tenant {
  readonly #served: ServedToolcrib;
  readonly #sessions: Sessions;
  readonly #modern: ReturnType<typeof createMcpHandler>;
  readonly #maxBodyBytes: number;
  #requests = 0;
  #usedMs = monotonicMs();

  constructor({ open, admission, taskAfterMs, ...identity }: TenantParts, limits: SessionLimits) {
    const questions = new ApprovalQuestions();
    const parts = { ...identity, questions, transport: "http" } as const;
    this.#maxBodyBytes = limits.maxBodyBytes;
    this.#served = new ServedToolcrib(open, { admission, taskAfterMs });
    this.#sessions = new Sessions({ open, admission, ...parts }, limits);
    this.#modern = createMcpHandler(() => newServer({ toolcrib: this.#served, ...parts }), {
      legacy: "reject",
      maxRequestBodySize: limits.maxBodyBytes,
    });
    this.#served.onChange((list) => this.#modern.notify[`${list}Changed`]());
  }

  /** How long the tenant has been idle; undefined while it has sessions or open requests. */
  get idleMs(): number | undefined {
    const isUsed = this.#requests > 0 || this.#served.isBusy || this.#sessions.count > 0;
    return isUsed ? undefined : monotonicMs() - this.#usedMs;
  }

  async fetch(request: Request, authInfo: AuthInfo | undefined): Promise<Response> {
    this.#requests += 1;
    const ended = () => {
      this.#requests -= 1;
      this.#usedMs = monotonicMs();
    };
    try {
      const isLegacy = await isLegacyRequest(request, undefined, { maxRequestBodySize: this.#maxBodyBytes });
      const response = await (isLegacy
        ? this.#sessions.fetch(request, authInfo)
        : this.#fetchModern(request, authInfo));
      return untilDisconnected(response, request.signal, ended);
    } catch (error) {
      ended();
      throw error;
    }
  }

  /** The SDK refuses requests whose headers name another call than the body. */
  async #fetchModern(request: Request, authInfo: AuthInfo | undefined): Promise<Response> {
    const [method, name] = ["mcp-method", "mcp-name"].map((header) => request.headers.get(header));
    const isCall = method === "tools/call" && typeof name === "string";
    if (authInfo !== undefined && isCall && (await this.#served.mayChange(name)))
      return needsWriteScope(authInfo.resourceMetadataUrl);
    if (method === "subscriptions/listen") return this.#listen(request, authInfo);
    return this.#modern.fetch(request, { authInfo });
  }

  /** Opens a stream of notifications, also about tasks. */
  async #listen(request: Request, authInfo: AuthInfo | undefined): Promise<Response> {
    const body = await readRequestBody(request.clone(), this.#maxBodyBytes);
    const message = body.tooLarge ? undefined : tryParseJson(body.text);
    const subscription = taskSubscriptionIn(message);
    if (subscription === undefined || !isRecord(message)) return this.#modern.fetch(request, { authInfo });
    const response = await this.#modern.fetch(withBody(request, listenBody(message)), { authInfo });
    return withTaskEvents(response, message, subscription, this.#served.tasks, authInfo !== undefined);
  }

  endSession(session: string): Promise<boolean> {
    return this.#sessions.endInstance(session);
  }

  async close(): Promise<void> {
    await this.#modern.close();
    await Promise.all([this.#sessions.close(), this.#served.close()]);
  }
}

/** Returns the restrictions of a request in the form that the SDK passes on to its handlers. */
function authInfoOf({ readOnly = false, resourceMetadataUrl }: RequestFacts): AuthInfo | undefined {
  if (!readOnly) return undefined;
  return {
    token: "",
    clientId: "",
    scopes: [scopes.read],
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
  };
}

function withBody(request: Request, body: unknown): Request {
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const headers = new Headers(request.headers);
  // They describe the body as it was sent.
  for (const name of ["content-length", "content-encoding", "transfer-encoding"]) headers.delete(name);
  const { url, method, signal } = request;
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers, signal });
  const text = isRaw ? Buffer.from(body as Uint8Array).toString() : JSON.stringify(body);
  return new Request(url, { method, headers, signal, body: text });
}

/**
 * Starts an event stream at once, and ends it when its client disconnects. The transport would notice that only at the
 * next event, and refuse the client a new stream until then. Calls `ended` once, when the response is complete.
 */
function untilDisconnected(response: Response, disconnected: AbortSignal, ended: () => void): Response {
  const { body, status, headers } = response;
  if (body === null || headers.get("content-type") !== "text/event-stream") {
    ended();
    return response;
  }
  const reader = body.getReader();
  let hasEnded = false;
  const end = () => {
    if (!hasEnded) ended();
    hasEnded = true;
    return reader.cancel().catch(() => {});
  };
  if (disconnected.aborted) void end();
  else disconnected.addEventListener("abort", end, { once: true });
  const events = new ReadableStream<Uint8Array>({
    // A comment in the stream makes the server send the headers.
    start: (controller) => controller.enqueue(Buffer.from(":\n\n")),
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      controller.close();
      await end();
    },
    cancel: end,
  });
  return new Response(events, { status, headers });
}
