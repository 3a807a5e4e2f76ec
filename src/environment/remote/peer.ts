import { setImmediate as nextTurn } from "node:timers/promises";
import { ToolError } from "../../contract/error.ts";
import { abortError, throwIfAborted } from "../../lib/async/abort.ts";
import type { Channel } from "./channel.ts";
import { errorOf, failureOf } from "./errors.ts";
import { sizeOf } from "./frames.ts";
import {
  badMessage,
  decodeBody,
  decodeFrame,
  encodeBody,
  type Frame,
  type FrameKind,
  frameHead,
  pieceBytes,
} from "./message.ts";

/** The messages that the other side may send. The values are not checked yet. */
export interface PeerHandlers {
  /** Answers a call. `maxBytes` limits its body while it arrives. */
  call(method: string, value: unknown, call: { readonly id: number; readonly signal: AbortSignal }): unknown;
  note(method: string, value: unknown): void;
  /** The largest body of a call or note of the other side. */
  readonly maxBytes: number;
  /** The size of all such bodies that have arrived in part. Default: no limit, because the other side is trusted. */
  readonly maxArrivingBytes?: number | undefined;
  /** How many calls of the other side may run at once. */
  readonly maxCalls: number;
}

export interface PeerCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The largest body of the answer. Default: 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** "wait": an aborted call waits for its answer, because it may have had its effect. Default: "leave". */
  readonly onAbort?: "leave" | "wait" | undefined;
  /** Receives the id of the call before it is sent. */
  readonly started?: ((id: number) => void) | undefined;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly maxBytes: number;
}

/** One of the two sides of a channel. Both can call the other; many calls are under way at once. */
export class Peer {
  readonly #channel: Channel;
  readonly #handlers: PeerHandlers;
  readonly #waiting = new Map<number, Waiting>();
  /** Calls that were left. Their answers are still to come, and are ignored. */
  readonly #left = new Map<number, number>();
  readonly #running = new Map<number, AbortController>();
  readonly #arriving = new Map<string, { readonly pieces: Uint8Array[]; bytes: number }>();
  /** The bodies among them that are not answers. */
  readonly #unasked = { bodies: 0, bytes: 0 };
  #nextId = 1;
  #lost: ToolError | undefined;

  constructor(channel: Channel, handlers: PeerHandlers) {
    this.#channel = channel;
    this.#handlers = handlers;
  }

  /** Handles all messages. Resolves when the other side has closed, rejects when the channel is lost. */
  async run(): Promise<void> {
    try {
      let received = 0;
      for await (const message of this.#channel.messages) {
        this.#receive(decodeFrame(message));
        received += 1;
        // Answers are sent between turns. Otherwise the first of many would wait until the last is computed.
        if (received % messagesPerTurn === 0) await nextTurn();
      }
      this.#end(connectionClosed());
    } catch (error) {
      this.#end(error instanceof ToolError ? error : connectionLost(error));
      await this.#channel.close().catch(() => {});
      throw this.#lost;
    }
  }

  async call(method: string, value: unknown, options: PeerCallOptions = {}): Promise<unknown> {
    const { signal, maxBytes = defaultAnswerBytes, onAbort = "leave" } = options;
    throwIfAborted(signal);
    if (this.#lost !== undefined) throw this.#lost;
    const id = this.#takeId();
    options.started?.(id);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject, maxBytes });
    const abort = () => {
      void this.#send("cancel", id, []).catch(() => {});
      if (onAbort === "wait") return;
      if (this.#waiting.delete(id)) this.#left.set(id, maxBytes);
      reject(abortError(signal!));
    };
    signal?.addEventListener("abort", abort, { once: true });
    try {
      this.#send("call", id, encodeBody({ method, value })).catch(reject);
      return await promise;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#waiting.delete(id);
    }
  }

  /** Sends a message without an answer. Resolves when there is room for more. */
  async note(method: string, value: unknown): Promise<void> {
    await this.#send("note", 0, encodeBody({ method, value }));
  }

  async close(): Promise<void> {
    await this.#channel.close();
    this.#end(connectionClosed());
  }

  /** Frames of one body stay in order, and those of other bodies may come in between. */
  async #send(kind: FrameKind, id: number, parts: readonly Uint8Array[]): Promise<void> {
    const pieces = piecesOf(parts);
    for (const [index, piece] of pieces.entries()) {
      if (this.#lost !== undefined) throw this.#lost;
      const more = index < pieces.length - 1;
      const sent = this.#channel.send(frameHead({ kind, id, more }), ...piece);
      // Notes have no id, so the pieces of one must not be separated by another.
      if (kind === "note" && more) sent.catch(() => {});
      else await sent;
    }
  }

  #takeId(): number {
    do this.#nextId = this.#nextId >= 0xffff_ffff ? 1 : this.#nextId + 1;
    while (this.#waiting.has(this.#nextId) || this.#left.has(this.#nextId));
    return this.#nextId;
  }

  #receive(frame: Frame): void {
    if (frame.kind === "cancel") {
      this.#running.get(frame.id)?.abort();
      return;
    }
    const body = this.#assemble(frame);
    if (body === undefined) return;
    if (frame.kind === "answer" || frame.kind === "failure") this.#settle(frame, body);
    else {
      const { method, value } = (decodeBody(body) ?? {}) as { method?: unknown; value?: unknown };
      if (typeof method !== "string") throw badMessage("a call has no method");
      if (frame.kind === "note") this.#handlers.note(method, value);
      else void this.#answer(frame.id, method, value);
    }
  }

  /** Returns the whole body, when its last piece has arrived. Its size is limited by the call that it belongs to. */
  #assemble({ kind, id, more, piece }: Frame): Uint8Array | undefined {
    const isAnswer = kind === "answer" || kind === "failure";
    const maxBytes = isAnswer
      ? (this.#waiting.get(id)?.maxBytes ?? this.#left.get(id))
      : this.#handlers.maxBytes;
    if (maxBytes === undefined) throw badMessage("an answer belongs to no call");
    const key = `${kind} ${id}`;
    const arriving = (this.#arriving.size > 0 && this.#arriving.get(key)) || { pieces: [], bytes: 0 };
    arriving.bytes += piece.length;
    if (arriving.bytes > maxBytes + bodyOverhead) throw badMessage("a body is longer than was asked for");
    if (!more && arriving.pieces.length === 0) return piece;
    arriving.pieces.push(piece);
    if (arriving.pieces.length > mostPieces(arriving.bytes)) throw badMessage("a body has too many pieces");
    if (!isAnswer) this.#countUnasked(arriving, { isFirst: arriving.pieces.length === 1, more, piece });
    if (!more) {
      this.#arriving.delete(key);
      return Buffer.concat(arriving.pieces, arriving.bytes);
    }
    this.#arriving.set(key, arriving);
    return undefined;
  }

  /** The parts of bodies that are not answers count together, because only answers were asked for. */
  #countUnasked(
    { bytes }: { readonly bytes: number },
    {
      isFirst,
      more,
      piece,
    }: { readonly isFirst: boolean; readonly more: boolean; readonly piece: Uint8Array },
  ): void {
    const { maxCalls, maxArrivingBytes = Number.POSITIVE_INFINITY } = this.#handlers;
    this.#unasked.bodies += (isFirst ? 1 : 0) - (more ? 0 : 1);
    this.#unasked.bytes += piece.length - (more ? 0 : bytes);
    if (this.#unasked.bodies > maxCalls || this.#unasked.bytes > maxArrivingBytes)
      throw badMessage("too many calls at once");
  }

  #settle({ kind, id }: Frame, body: Uint8Array): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      this.#left.delete(id);
      return;
    }
    const value = decodeBody(body);
    this.#waiting.delete(id);
    if (kind === "answer") waiting.resolve(value);
    else waiting.reject(errorOf(value));
  }

  async #answer(id: number, method: string, value: unknown): Promise<void> {
    if (this.#running.has(id) || this.#running.size >= this.#handlers.maxCalls) {
      this.#fail(badMessage("too many calls at once"));
      return;
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const result = await this.#handlers.call(method, value, { id, signal: controller.signal });
      await this.#send("answer", id, encodeBody(result));
    } catch (error) {
      await this.#send("failure", id, encodeBody(failureOf(error))).catch(() => {});
    } finally {
      // Only now: answers that the other side does not read take memory, too.
      this.#running.delete(id);
    }
  }

  #fail(error: ToolError): void {
    this.#end(error);
    void this.#channel.close().catch(() => {});
  }

  #end(error: ToolError): void {
    this.#lost ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#lost);
    this.#waiting.clear();
    for (const controller of this.#running.values()) controller.abort(this.#lost);
    this.#arriving.clear();
  }
}

const messagesPerTurn = 8;
const defaultAnswerBytes = 1024 * 1024;

/** Room for the JSON text around the bytes that were asked for. */
const bodyOverhead = 64 * 1024;

/** How many pieces a body of this size may have: two that follow each other are together longer than the largest piece. */
function mostPieces(bytes: number): number {
  return 2 + (2 * bytes) / pieceBytes;
}

/** So many parts are joined, because each has a cost. */
const manyParts = 256;

/** Splits a body into pieces for frames, each in parts. */
function piecesOf(parts: readonly Uint8Array[]): readonly (readonly Uint8Array[])[] {
  if (parts.length > manyParts) return piecesOf([Buffer.concat(parts)]);
  if (sizeOf(parts) <= pieceBytes) return [parts];
  const pieces: Uint8Array[][] = [];
  let room = 0;
  for (const part of parts)
    for (let at = 0; at < part.length; ) {
      if (room === 0) {
        pieces.push([]);
        room = pieceBytes;
      }
      const taken = part.subarray(at, at + room);
      pieces.at(-1)!.push(taken);
      at += taken.length;
      room -= taken.length;
    }
  return pieces;
}

function connectionClosed(): ToolError {
  return new ToolError("unavailable", "The connection to the target was closed", { hint: lostHint });
}

function connectionLost(cause: unknown): ToolError {
  const reason = cause instanceof Error && cause.message !== "" ? `: ${cause.message}` : "";
  return new ToolError("unavailable", `The connection to the target was lost${reason}`, {
    hint: lostHint,
    cause,
  });
}

const lostHint = "Nothing more can run there. Tell the user, who can connect again.";
