import { type ErrorCode, ToolError } from "../../contract/error.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { type StdioMessage, StdioTransport } from "../../mcp/server/stdio-transport.ts";
import { ModelError } from "../../models/model-error.ts";

/** A request that is being answered. Its signal aborts when the client cancels it and when the connection ends. */
export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
  readonly signal: AbortSignal;
}

export type RpcId = string | number;

export interface RpcPeerOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Answers a request. An error that it throws is the answer, too. */
  readonly answer: (request: RpcRequest) => Promise<unknown>;
  readonly remark: (text: string) => void;
}

/**
 * One end of a JSON-RPC 2.0 connection over lines of JSON. Both ends send requests, and both can cancel theirs with the
 * notification `cancel`. Every request gets exactly one response.
 */
export class RpcPeer {
  /** Resolves when the other end has disconnected. */
  readonly ended: Promise<void>;
  readonly #options: RpcPeerOptions;
  readonly #transport: StdioTransport;
  readonly #running = new Map<RpcId, AbortController>();
  readonly #asked = new Map<string, (response: Response) => void>();
  #count = 0;
  #dropped = 0;

  constructor(options: RpcPeerOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    const { input, output, remark } = options;
    this.#transport = new StdioTransport({ input, output, remark });
    this.#transport.oninvalid = ({ code, message }) =>
      this.#send({ id: null, error: rpcError(code, "invalid-input", message) });
    this.#transport.onmessage = (message) => this.#take(message as unknown as Record<string, unknown>);
    this.#transport.onclose = () => {
      const reason = new ToolError("cancelled", "The client has disconnected");
      for (const controller of this.#running.values()) controller.abort(reason);
      for (const settle of this.#asked.values()) settle({ error: disconnected });
      resolve();
    };
    void this.#transport.start();
  }

  /** Sends a notification. Drops it while the other end does not read; the next one says how many were dropped. */
  notify(method: string, params: Readonly<Record<string, unknown>>): void {
    if (this.#transport.isBehind) this.#dropped += 1;
    else {
      const dropped = this.#dropped > 0 && { dropped: this.#dropped };
      this.#dropped = 0;
      this.#send({ method, params: { ...params, ...dropped } });
    }
  }

  /** Asks the other end. Rejects with its error, when it disconnects, and when `signal` aborts. */
  async ask(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    this.#count += 1;
    const id = `server_${this.#count}`;
    const { promise, resolve } = Promise.withResolvers<Response>();
    const cancel = () => {
      this.#send({ method: "cancel", params: { id } });
      resolve({ error: { message: "The question was withdrawn" } });
    };
    this.#asked.set(id, resolve);
    signal.addEventListener("abort", cancel, { once: true });
    this.#send({ id, method, params });
    try {
      const { result, error } = await promise;
      signal.throwIfAborted();
      if (error !== undefined) throw new Error(error.message);
      return result;
    } finally {
      this.#asked.delete(id);
      signal.removeEventListener("abort", cancel);
    }
  }

  #take(message: Readonly<Record<string, unknown>>): void {
    const { id, method, params } = message;
    if (typeof method !== "string") this.#settle(message);
    else if (id === undefined) this.#hear(method, params);
    else if (typeof id !== "string" && typeof id !== "number")
      this.#send({ id: null, error: invalidRequest("The id of a request is a string or a number") });
    else if (this.#running.has(id))
      this.#send({ id, error: invalidRequest(`A request with the id ${id} is running`) });
    else if (this.#running.size >= maxRunning)
      this.#send({ id, error: invalidRequest(`More than ${maxRunning} requests are running`) });
    else void this.#answer(id, method, params);
  }

  async #answer(id: RpcId, method: string, params: unknown): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    const { signal } = controller;
    try {
      const result = await this.#options.answer({ id, method, params, signal });
      this.#send({ id, result: result ?? null });
    } catch (error) {
      this.#send({ id, error: toRpcError(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  #hear(method: string, params: unknown): void {
    const { id } = isRecord(params) ? params : {};
    const cancelled = new ToolError("cancelled", "The client cancelled the request");
    if (method === "cancel") this.#running.get(id as RpcId)?.abort(cancelled);
    else this.#options.remark(`Skipped the unknown notification ${printableLine(method.slice(0, 60))}`);
  }

  #settle({ id, result, error }: Readonly<Record<string, unknown>>): void {
    const settle = typeof id === "string" ? this.#asked.get(id) : undefined;
    const failure = isRecord(error) ? { message: String(error.message) } : undefined;
    if (settle !== undefined) settle(failure ? { error: failure } : { result });
    else this.#options.remark("Skipped a response to no request");
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    void this.#transport.send({ jsonrpc: "2.0", ...message } as StdioMessage).catch(() => {});
  }
}

interface Response {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

const disconnected = { message: "The client has disconnected" };
const maxRunning = 1_000;

/** Thrown for a method that does not exist. */
export class UnknownMethod extends Error {}

/** Returns an error of JSON-RPC. Its `data` has the shape of every Toolcrib error: code, message, hint. */
function rpcError(number: number, code: ErrorCode, message: string, hint: string | null = null): object {
  return { code: number, message, data: { code, message, hint } };
}

function invalidRequest(message: string): object {
  return rpcError(-32600, "invalid-input", message);
}

function toRpcError(error: unknown): object {
  const { message } = error instanceof Error ? error : { message: String(error) };
  if (error instanceof UnknownMethod) return rpcError(-32601, "unsupported", message);
  if (error instanceof ModelError) return rpcError(-32000, "unavailable", message, error.hint);
  if (!(error instanceof ToolError)) return rpcError(-32603, "internal", message);
  return rpcError(error.code === "invalid-input" ? -32602 : -32000, error.code, message, error.hint);
}
