import type { IncomingHttpHeaders } from "node:http";
import type { Usage } from "../../src/models/model.ts";
import type { Json } from "./json.ts";
import type { NeutralRequest, Oddity } from "./provider-server.ts";

/** How one provider's API is spoken. Made anew for each server, because it remembers what it has said. */
export interface ProviderProtocol {
  /** The provider as ids of models name it: "openai". */
  readonly provider: string;
  /** What it offers if not told otherwise. */
  readonly models: readonly string[];
  readonly contentType: string;
  /** Of the ids of calls: "call_". */
  readonly idPrefix: string;
  /** What a client's base URL ends with: "/v1". */
  readonly basePath: string;
  /** How long to wait is told in the body of an error, not in a header. */
  readonly tellsWaitInBody?: true;
  /** What is asked at an address: for a reply, or for something that is answered as it stands; undefined: nothing is there. */
  route(request: AskedAddress): "reply" | PlainAnswer | undefined;
  /** The key that came with a request; where it is not `apiKey`, the server answers 401. */
  keyOf(headers: IncomingHttpHeaders, address: URL): string | undefined;
  modelOf(body: Json, address: URL): unknown;
  read(body: Json): NeutralRequest;
  /** What must stay as it was from request to request. */
  conversation(body: Json): Conversation;
  /** Every rule that a request breaks, as a sentence. */
  check(body: Json, headers: IncomingHttpHeaders, address: URL): readonly string[];
  /** A reply that this API gives by an error of its own. */
  refusalOf?(reply: WireReply): PlainAnswer | undefined;
  pieces(reply: WireReply, body: Json): readonly Piece[];
  /** An error in the stream. */
  errorPiece(): Piece;
  /** `retryAfter`: how many seconds to wait, only where that is told in the body. */
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
  /** System and tools, wherever the API has them beside the messages; byte-identical in all requests of a conversation. */
  readonly head: string;
  /** Only ever added to. */
  readonly messages: readonly string[];
  /** How many messages stand before anything that a model said. */
  readonly opening: number;
}

/** The bytes of one event. */
export interface Piece {
  readonly data: string;
  /** `terminal`: without it nobody knows that the reply is over. */
  readonly is?: "reasoning" | "text" | "arguments" | "terminal";
}

/** A scripted reply with everything decided that the script left open. */
export interface WireReply {
  readonly number: number;
  readonly model: string;
  readonly reasoning: string | undefined;
  readonly text: string | undefined;
  readonly calls: readonly WireCall[];
  readonly usage: Usage;
  readonly finish: "stop" | "calls" | "length" | "filtered";
  readonly oddity: Oddity | undefined;
  /** Of what does not come to its end, clients may keep what they want. */
  readonly isWhole: boolean;
  /** As it is streamed. */
  split(text: string): readonly string[];
}

export interface WireCall {
  readonly id: string;
  readonly name: string;
  /** What the script said; text only where it stands for arguments as they are on the wire. */
  readonly input: unknown;
  /** Arguments as they stand on the wire, where the script says so, or where they are empty. */
  readonly raw: string | undefined;
}

/** The only key that is right. */
export const apiKey = "loopback-key";
