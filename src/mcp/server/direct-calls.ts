import type {
  JSONRPCMessage,
  ProgressToken,
  RequestId,
  Server,
  Transport,
} from "@modelcontextprotocol/server";
import { isRecord } from "../../lib/json/is-record.ts";
import type { ApprovalQuestions } from "./approvals.ts";
import { abilitiesOf, makeCall, toCallResult, type WantedCall } from "./call-tool.ts";
import { ProgressNotes } from "./progress-notes.ts";
import type { ServedToolcrib } from "./served-toolcrib.ts";

interface DirectCall extends WantedCall {
  readonly id: RequestId;
  readonly token: ProgressToken | undefined;
}

interface RunningCall {
  readonly id: RequestId;
  readonly controller: AbortController;
}

/**
 * Answers plain calls of tools on a connection of the 2025 era itself: the layers of the SDK take longer than most calls.
 * Whatever is more than a plain call, and whatever has to be asked, is handed on to the SDK.
 */
export class DirectCalls {
  readonly #transport: Transport;
  readonly #room: ServedToolcrib;
  readonly #questions: ApprovalQuestions;
  /** Not by their ids: a client may use one again before its first call has ended. */
  readonly #running = new Set<RunningCall>();
  #server: Server | undefined;

  constructor(transport: Transport, room: ServedToolcrib, questions: ApprovalQuestions) {
    this.#transport = transport;
    this.#room = room;
    this.#questions = questions;
  }

  /** Takes part in what the transport hears, before whoever listens now. */
  begin(): void {
    const handOn = this.#transport.onmessage;
    this.#transport.onmessage = (message, extra) => {
      const call = this.#isReady ? plainCall(message) : undefined;
      if (call !== undefined) void this.#answer(call, () => handOn?.(message, extra));
      else if (!this.#cancel(message)) handOn?.(message, extra);
    };
  }

  /** Whose client is served from now on; undefined for one of a later era. */
  serve(server: Server | undefined): void {
    this.#server = server;
  }

  /** After the handshake, which tells what the client can do. */
  get #isReady(): boolean {
    return this.#server?.getClientCapabilities() !== undefined;
  }

  async #answer(call: DirectCall, handOn: () => void): Promise<void> {
    const { id, token } = call;
    const client = abilitiesOf(this.#server!);
    const controller = new AbortController();
    const running = { id, controller };
    this.#running.add(running);
    const notify = (notification: { readonly method: string; readonly params: Record<string, unknown> }) =>
      this.#transport.send({ jsonrpc: "2.0", ...notification });
    const progress = token === undefined ? undefined : new ProgressNotes(notify, token);
    const reply = (body: { result: object } | { error: { code: number; message: string } }) => {
      progress?.end();
      this.#transport.send({ jsonrpc: "2.0", id, ...body } as JSONRPCMessage).catch(() => {});
    };
    try {
      const made = await this.#room.busy(() =>
        makeCall(call, this.#room, {
          signal: controller.signal,
          answer: { kind: client.asks ? "none" : "unanswered" },
          onEvent: progress?.hear,
        }),
      );
      // Who has taken a call back waits for no answer, and nobody is to be asked about it.
      if (controller.signal.aborted) return;
      if (made.kind === "question") {
        this.#questions.noteFound(id, made.request);
        handOn();
      } else if (made.kind === "unknown") reply({ error: { code: invalidParams, message: made.message } });
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
    const meant = [...this.#running].filter(({ id }) => id === message.params?.requestId);
    for (const { controller } of meant) controller.abort();
    return meant.length > 0;
  }
}

const invalidParams = -32602;
const internalError = -32603;

/** Undefined for what the SDK would see more in, or would refuse: it is for the SDK to say so. */
function plainCall(message: JSONRPCMessage): DirectCall | undefined {
  const { jsonrpc, id, method, params, ...beside }: Record<string, unknown> = message;
  if (method !== "tools/call" || !isIdentifier(id) || !isRecord(params) || !isEmpty(beside)) return undefined;
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
