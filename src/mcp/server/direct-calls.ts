import type {
  JSONRPCMessage,
  ProgressToken,
  RequestId,
  Server,
  Transport,
} from "@modelcontextprotocol/server";
import { isRecord } from "../../lib/json/is-record.ts";
import { abilitiesOf, isScript, listenersOf, makeCall, toCallResult, type WantedCall } from "./call-tool.ts";
import type { ClientLog } from "./client-log.ts";
import { ProgressNotes } from "./progress-notes.ts";
import type { ServedToolcrib } from "./served-toolcrib.ts";

interface DirectCall extends WantedCall {
  readonly id: RequestId;
  readonly token: ProgressToken | undefined;
}

/**
 * Answers plain tool calls of 2025-era clients without the SDK, which takes longer than most calls. The SDK gets all
 * other messages, and calls that need approval.
 */
export class DirectCalls {
  readonly #transport: Transport;
  readonly #toolcrib: ServedToolcrib;
  /** Not keyed by id, because a client may reuse the id of a running call. */
  readonly #running = new Set<{ readonly id: RequestId; readonly controller: AbortController }>();
  readonly #log: ClientLog;
  #server: Server | undefined;

  constructor(transport: Transport, toolcrib: ServedToolcrib, log: ClientLog) {
    this.#transport = transport;
    this.#toolcrib = toolcrib;
    this.#log = log;
  }

  /** Receives the messages of the transport before its current listener. */
  begin(): void {
    const handOn = this.#transport.onmessage;
    this.#transport.onmessage = (message, extra) => {
      const call = this.#isReady ? plainCall(message) : undefined;
      if (call !== undefined) void this.#answer(call, () => handOn?.(message, extra));
      else if (!this.#cancel(message)) handOn?.(message, extra);
    };
  }

  /** Sets the server of the current client; undefined for a client of a later era. */
  serve(server: Server | undefined): void {
    this.#server = server;
  }

  /** The handshake declares what the client can do. */
  get #isReady(): boolean {
    return this.#server?.getClientCapabilities() !== undefined;
  }

  async #answer(call: DirectCall, handOn: () => void): Promise<void> {
    const { id, token } = call;
    const client = abilitiesOf(this.#server!);
    if (client.hasApps || (client.asks && isScript(call))) return handOn();
    const controller = new AbortController();
    const running = { id, controller };
    this.#running.add(running);
    const notify = (notification: { readonly method: string; readonly params: Record<string, unknown> }) =>
      this.#transport.send({ jsonrpc: "2.0", ...notification });
    const progress = token === undefined ? undefined : new ProgressNotes(notify, token);
    const log = this.#log.ofCall(notify);
    const reply = (body: { result: object } | { error: { code: number; message: string } }) => {
      progress?.end();
      this.#transport.send({ jsonrpc: "2.0", id, ...body } as JSONRPCMessage).catch(() => {});
    };
    try {
      const made = await this.#toolcrib.busy(() =>
        makeCall(call, this.#toolcrib, {
          signal: controller.signal,
          answer: { kind: client.asks ? "trial" : "unanswered" },
          onEvent: listenersOf(progress, undefined, log),
          log,
        }),
      );
      // A cancelled call gets neither an answer nor a question.
      if (controller.signal.aborted) return;
      if (made.kind === "question" || made.kind === "unanswered") handOn();
      else if (made.kind === "unknown") reply({ error: { code: invalidParams, message: made.message } });
      else reply({ result: toCallResult(made.result, { ...client, isStructured: made.isStructured }) });
    } catch (error) {
      if (!controller.signal.aborted)
        reply({ error: { code: internalError, message: (error as Error).message } });
    } finally {
      progress?.end();
      this.#running.delete(running);
    }
  }

  #cancel(message: JSONRPCMessage): boolean {
    if (!("method" in message) || message.method !== "notifications/cancelled") return false;
    const cancelled = [...this.#running].filter(({ id }) => id === message.params?.requestId);
    for (const { controller } of cancelled) controller.abort();
    return cancelled.length > 0;
  }
}

const invalidParams = -32602;
const internalError = -32603;

/** Returns undefined for messages with further content, and for invalid ones, which the SDK refuses. */
function plainCall(message: JSONRPCMessage): DirectCall | undefined {
  const { jsonrpc, id, method, params, ...extra }: Record<string, unknown> = message;
  if (method !== "tools/call" || !isIdentifier(id) || !isRecord(params) || !isEmpty(extra)) return undefined;
  const { name, arguments: input = {}, _meta: meta = {}, ...others } = params;
  if (typeof name !== "string" || !isRecord(input) || !isRecord(meta) || !isEmpty(others)) return undefined;
  const { progressToken: token, ...more } = meta;
  if (token !== undefined && !isIdentifier(token)) return undefined;
  if (Object.keys(more).some((key) => key.startsWith("io.modelcontextprotocol/"))) return undefined;
  return { id, name, input, token };
}

function isIdentifier(value: unknown): value is RequestId & ProgressToken {
  return typeof value === "string" || Number.isSafeInteger(value);
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
