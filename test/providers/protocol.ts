import type { IncomingHttpHeaders } from "node:http";
import type { TokenUsage } from "../../src/models/model.ts";
import type { Json } from "./json.ts";
import type { CacheBlock, CacheRules } from "./prefix-cache.ts";
import type { NeutralRequest, Oddity } from "./provider-server.ts";

/** The API of one provider. Each server has its own instance, because it remembers what it has sent. */
export interface ProviderProtocol {
  /** The provider's name in model ids: "openai". */
  readonly provider: string;
  /** The models that it offers by default. */
  readonly models: readonly string[];
  readonly contentType: string;
  /** The prefix of call ids: "call_". */
  readonly idPrefix: string;
  /** The end of a client's base URL: "/v1". */
  readonly basePath: string;
  /** Whether the time to wait is in the body of an error, not in a header. */
  readonly hasWaitInBody?: true;
  /** Decides about an address: a reply, a fixed answer, or undefined for an unknown address. */
  route(request: AskedAddress): "reply" | PlainAnswer | undefined;
  /** The key of a request. The server answers 401 unless it is `apiKey`. */
  keyOf(headers: IncomingHttpHeaders, address: URL): string | undefined;
  modelOf(body: Json, address: URL): unknown;
  read(body: Json): NeutralRequest;
  /** The parts that must not change from request to request. */
  conversation(body: Json): Conversation;
  /** How it caches requests. `blocks` default to those of `conversation`. */
  readonly cache?: CacheRules & { blocks?(body: Json): readonly CacheBlock[] };
  /** Returns a sentence for every rule that a request breaks. */
  check(body: Json, headers: IncomingHttpHeaders, address: URL): readonly string[];
  /** A reply that this API replaces with an error. */
  refusalOf?(reply: WireReply): PlainAnswer | undefined;
  pieces(reply: WireReply, body: Json): readonly Piece[];
  /** An error in the stream. */
  errorPiece(): Piece;
  /** `retryAfter`: the seconds to wait, only where the body reports them. */
  errorBody(status: number, message: string, retryAfter?: string): unknown;
}

export interface AskedAddress {
  readonly method: string;
  readonly address: URL;
  readonly models: readonly string[];
  /** Of a POST. */
  readonly body: Json;
}

export interface PlainAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface Conversation {
  /** System prompt and tools, if separate from the messages; byte-identical in all requests of a conversation. */
  readonly head: string;
  /** Append-only. */
  readonly messages: readonly string[];
  /** The number of messages before the first one of a model. */
  readonly opening: number;
}

/** The bytes of one event. */
export interface Piece {
  readonly data: string;
  /** `terminal`: without it, clients cannot know that the reply has ended. */
  readonly is?: "reasoning" | "text" | "arguments" | "terminal";
}

/** A scripted reply with everything filled in that the script leaves open. */
export interface WireReply {
  readonly number: number;
  readonly model: string;
  readonly reasoning: string | undefined;
  readonly text: string | undefined;
  readonly calls: readonly WireCall[];
  readonly usage: TokenUsage;
  readonly finish: "stop" | "calls" | "length" | "filtered";
  readonly oddity: Oddity | undefined;
  /** False for a reply that is cut off: clients may keep any part of it. */
  readonly isWhole: boolean;
  /** Splits text as it is streamed. */
  split(text: string): readonly string[];
}

export interface WireCall {
  readonly id: string;
  readonly name: string;
  /** The input of the script; text only where it means arguments as on the wire. */
  readonly input: unknown;
  /** Arguments as on the wire, if the script sets them or they are empty. */
  readonly raw: string | undefined;
}

/** The only valid key. */
export const apiKey = "loopback-key";
