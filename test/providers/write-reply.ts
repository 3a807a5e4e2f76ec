import type { ServerResponse } from "node:http";
import type { Piece, PlainAnswer, ProviderProtocol } from "./protocol.ts";
import type { Fault, ProviderOptions } from "./provider-server.ts";

interface Writing {
  readonly protocol: ProviderProtocol;
  readonly fault: Fault | undefined;
  readonly chunks: NonNullable<ProviderOptions["chunks"]>;
  pieces(): readonly Piece[];
}

/** Streams a reply with its fault. */
export function writeReply(response: ServerResponse, { protocol, fault, chunks, pieces }: Writing): void {
  if (typeof fault === "object") refuse(response, protocol, fault);
  else if (fault === "drop-before-headers") response.destroy();
  else if (fault !== "hang-before") stream(response, { protocol, fault, chunks, pieces });
}

function stream(response: ServerResponse, { protocol, fault, chunks, pieces }: Writing): void {
  const { shown, ends } = withFault(pieces(), fault, protocol);
  response.writeHead(200, { "content-type": protocol.contentType, "x-request-id": "req_loopback" });
  for (const data of inChunks(shown, chunks)) response.write(data);
  if (ends === "whole") response.end();
  // Written data is sent before the connection closes.
  if (ends === "cut") response.socket?.end();
}

/** Whether the server disconnects before the end of the reply. */
export function breaksOff(fault: Fault | undefined): boolean {
  return fault === "drop-before-headers" || fault === "cut-in-text" || fault === "cut-in-arguments";
}

/** An error of the provider before a reply has begun. */
export function refusal(protocol: ProviderProtocol, status: number, message: string): PlainAnswer {
  return { status, body: protocol.errorBody(status, message) };
}

function refuse(response: ServerResponse, protocol: ProviderProtocol, fault: Fault & object): void {
  const { status, retryAfter, headers } = fault;
  const inBody = protocol.hasWaitInBody ? retryAfter : undefined;
  const inHeader = protocol.hasWaitInBody ? undefined : retryAfter;
  const body = fault.body ?? protocol.errorBody(status, reasonFor(status), inBody);
  response.writeHead(status, {
    "content-type": "application/json",
    ...(inHeader !== undefined && { "retry-after": inHeader }),
    ...headers,
  });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

function reasonFor(status: number): string {
  if (status === 429) return "Rate limit reached, please try again later.";
  return status >= 500 ? "The server had an error while processing your request." : "The request is refused.";
}

interface Faulty {
  readonly shown: readonly string[];
  readonly ends: "whole" | "cut" | "never";
}

function withFault(pieces: readonly Piece[], fault: Fault | undefined, protocol: ProviderProtocol): Faulty {
  const all = pieces.map(({ data }) => data);
  switch (fault) {
    case "cut-in-text":
      return { shown: cutIn(pieces, "text"), ends: "cut" };
    case "cut-in-arguments":
      return { shown: cutIn(pieces, "arguments"), ends: "cut" };
    case "end-in-text":
      return { shown: halfOf(pieces, "text"), ends: "whole" };
    case "end-in-arguments":
      return { shown: halfOf(pieces, "arguments"), ends: "whole" };
    case "no-terminal-event":
      return { shown: pieces.filter(({ is }) => is !== "terminal").map(({ data }) => data), ends: "whole" };
    case "hang-during":
      return { shown: all.slice(0, Math.ceil(all.length / 2)), ends: "never" };
    case "error-event":
      return { shown: [...halfOfEvents(all), protocol.errorPiece().data], ends: "whole" };
    case "crlf":
      return { shown: all.map((data) => data.replaceAll("\n", "\r\n")), ends: "whole" };
    case "comments":
      return { shown: all.map((data) => data.replaceAll("\n\n", "\n\n: keep-alive\n\n")), ends: "whole" };
    default:
      return { shown: all, ends: "whole" };
  }
}

/** Returns the stream up to the middle of one type of content, cut inside an event. */
function cutIn(pieces: readonly Piece[], sort: Piece["is"]): readonly string[] {
  const half = halfOf(pieces, sort);
  const last = half.at(-1)!;
  return [...half.slice(0, -1), last.slice(0, last.length / 2)];
}

/** Returns the stream up to the middle of one type of content, in whole events. */
function halfOf(pieces: readonly Piece[], sort: Piece["is"]): readonly string[] {
  const places = pieces.flatMap(({ is }, place) => (is === sort ? [place] : []));
  const middle = places[Math.floor((places.length - 1) / 2)];
  if (middle === undefined) throw new Error(`A reply without ${sort} cannot be cut in it.`);
  return pieces.slice(0, middle + 1).map(({ data }) => data);
}

/** Returns the first half, without splitting an event that has two pieces. */
function halfOfEvents(all: readonly string[]): readonly string[] {
  const half = Math.ceil(all.length / 2);
  return all.slice(0, all[half - 1]?.endsWith("\n") ? half : half + 1);
}

function inChunks(shown: readonly string[], chunks: Writing["chunks"]): Iterable<string | Uint8Array> {
  if (chunks === "events") return shown;
  const whole = shown.join("");
  return chunks === "whole" ? [whole] : bytesOf(whole);
}

function* bytesOf(text: string): Iterable<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1);
}
