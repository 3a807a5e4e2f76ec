import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { type HostAndPort, parseHostAndPort } from "../../../lib/network-address.ts";
import { ConnectionError, type OpenConnection } from "../../../system/network-policy.ts";
import { joinStreams } from "./join-streams.ts";

const mostWaiting = 32;

/** An HTTP proxy: `CONNECT host:port`, or `GET http://host/path`. */
export class HttpProxy {
  readonly #grantOf: (authorization: string) => OpenConnection | undefined;
  readonly #server: Server;
  readonly #waiting = new WeakMap<Duplex, number>();

  /** `grantOf` returns how the program that sends this `Proxy-Authorization` connects; undefined when it may not. */
  constructor(grantOf: (authorization: string) => OpenConnection | undefined) {
    this.#grantOf = grantOf;
    this.#server = createServer({ maxHeaderSize: 65_536, requestTimeout: 0, keepAliveTimeout: 60_000 });
    // A program may close its side of the connection after the request.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    this.#server.on("request", (incoming, response) => void this.#forward(incoming, response));
    this.#server.on("connect", (incoming, client, head) => void this.#tunnel(incoming, client, head));
  }

  serve(client: Duplex): void {
    this.#server.emit("connection", client);
  }

  async #tunnel(incoming: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on("error", () => {});
    // The client is paused until the other side is connected, so that no data is lost.
    client.pause();
    if (head.length > 0) client.unshift(head);
    const open = this.#grantFor(incoming);
    if (open === undefined) return endWith(client, unauthorized);
    const target = parseHostAndPort(incoming.url ?? "");
    if (target === undefined) return endWith(client, badTarget);
    try {
      const upstream = await open(target);
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      joinStreams(client, upstream);
    } catch (error) {
      endWith(client, answerTo(error));
    }
  }

  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#acceptsOneMore(incoming.socket, response)) return;
    const open = this.#grantFor(incoming);
    if (open === undefined) return answer(incoming, response, unauthorized);
    const wanted = wantedBy(incoming);
    if (wanted === undefined) return answer(incoming, response, badTarget);
    try {
      passOn(incoming, response, { ...wanted, socket: await open(wanted.target) });
    } catch (error) {
      answer(incoming, response, answerTo(error));
    }
  }

  /** Limits the requests that wait for responses to earlier ones, because they could fill the memory. */
  #acceptsOneMore(client: Duplex, response: ServerResponse): boolean {
    const waiting = (this.#waiting.get(client) ?? 0) + 1;
    this.#waiting.set(client, waiting);
    response.once("close", () => this.#waiting.set(client, this.#waiting.get(client)! - 1));
    if (waiting > mostWaiting) client.destroy();
    return waiting <= mostWaiting;
  }

  #grantFor({ headers }: IncomingMessage): OpenConnection | undefined {
    return this.#grantOf(headers["proxy-authorization"] ?? "");
  }
}

const unauthorized = {
  status: 407,
  reason: "Proxy Authentication Required",
  text: "The password is missing or wrong.",
};
const badTarget = {
  status: 400,
  reason: "Bad Request",
  text: "This is a proxy: request http://host/path, or CONNECT host:port.",
};

interface Wanted {
  readonly target: HostAndPort;
  readonly authority: string;
  readonly path: string;
}

/** Returns the target of a request by its first line alone; undefined for an invalid request. */
function wantedBy({ url = "", headers }: IncomingMessage): Wanted | undefined {
  const [, authority = "", path = ""] = /^http:\/\/([^/?#]*)([^#]*)$/i.exec(url) ?? [];
  const target = parseHostAndPort(authority, 80);
  const coding = headers["transfer-encoding"];
  if (target === undefined || (coding !== undefined && coding.toLowerCase() !== "chunked")) return undefined;
  return { target, authority, path: path.startsWith("/") ? path : `/${path}` };
}

/** Forwards a request to the server at `socket`, and its response back. */
function passOn(
  incoming: IncomingMessage,
  response: ServerResponse,
  to: { readonly socket: Socket; readonly authority: string; readonly path: string },
): void {
  const { socket, authority, path } = to;
  response.once("close", () => socket.destroy());
  incoming.on("error", () => socket.destroy());
  response.sendDate = false;
  const fail = () => {
    if (response.headersSent) response.destroy();
    else
      answer(incoming, response, {
        status: 502,
        reason: "Bad Gateway",
        text: `${authority} sent no valid response`,
      });
  };
  const upstream = request({
    createConnection: () => socket,
    method: incoming.method ?? "GET",
    path,
    headers: ["Host", authority, ...passedOn(incoming.rawHeaders, "host")],
    setHost: false,
  });
  upstream.on("response", (answered) => {
    try {
      // Node sets the transfer encoding again, as the program understands it.
      const headers = passedOn(answered.rawHeaders, "transfer-encoding");
      response.writeHead(answered.statusCode ?? 502, answered.statusMessage, headers);
      pipeline(answered, response, () => {});
    } catch {
      socket.destroy();
      fail();
    }
  });
  upstream.on("error", fail);
  upstream.on("close", () => {
    if (!response.headersSent) fail();
  });
  incoming.pipe(upstream);
}

// These hop-by-hop headers are not forwarded. Node sets them again.
const ofOneHop =
  /^(?:connection|expect|keep-alive|proxy-(?:authenticate|authorization|connection)|te|trailer|upgrade)$/i;

/** Returns the headers to forward: all but hop-by-hop headers, those that `Connection` names, and `dropped`. */
function passedOn(raw: readonly string[], dropped: string): string[] {
  const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]!] as const] : []));
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.toLowerCase().split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "content-length" && name !== "transfer-encoding");
  const isDropped = (name: string) => ofOneHop.test(name) || [...named, dropped].includes(name.toLowerCase());
  return pairs.filter(([name]) => !isDropped(name)).flat();
}

/** A response of the proxy itself. */
interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly text: string;
}

function answerTo(error: unknown): Answer {
  if (!(error instanceof ConnectionError))
    return { status: 502, reason: "Bad Gateway", text: "The request could not be sent" };
  return { ...statuses[error.reason], text: error.message };
}

function answer(incoming: IncomingMessage, response: ServerResponse, own: Answer): void {
  if (response.destroyed) return;
  response.sendDate = false;
  // The rest of the request would be parsed as the next one.
  response.shouldKeepAlive &&= incoming.complete;
  response.writeHead(own.status, own.reason, headersOf(own)).end(`${own.text}\n`);
}

/** Responds on a connection that would have become a tunnel. */
function endWith(client: Duplex, own: Answer): void {
  const headers = Object.entries({ ...headersOf(own), Connection: "close" });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  client.end(`HTTP/1.1 ${own.status} ${own.reason}\r\n${lines.join("")}\r\n${own.text}\n`);
}

function headersOf({ status, text }: Answer): Record<string, string | number> {
  const plain = { "Content-Type": "text/plain", "Content-Length": text.length + 1 };
  return status === 407 ? { ...plain, "Proxy-Authenticate": "Basic" } : plain;
}

const statuses = {
  refused: { status: 403, reason: "Denied by Toolcrib" },
  unknown: { status: 502, reason: "Host not found" },
  unreachable: { status: 502, reason: "Host not reached" },
  busy: { status: 503, reason: "Too many connections" },
  slow: { status: 504, reason: "Host did not answer" },
} as const;
