import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { type Duplex, pipeline } from "node:stream";
import { type HostAndPort, parseHostAndPort } from "../../../../text/net/parse-host.ts";
import { joinStreams } from "./join-streams.ts";
import { NoWay, type WayOut } from "./way-out.ts";

/** Speaks with programs that use an HTTP proxy: `CONNECT host:port`, or `GET http://host/path`. */
export class HttpProxy {
  readonly #wayOut: WayOut;
  readonly #authorization: string | undefined;
  readonly #server: Server;

  /** `secret`: what a program must say to be served. */
  constructor(wayOut: WayOut, secret: string | undefined) {
    this.#wayOut = wayOut;
    this.#authorization = secret && `Basic ${Buffer.from(`toolcrib:${secret}`).toString("base64")}`;
    this.#server = createServer({ maxHeaderSize: 65_536, requestTimeout: 0, keepAliveTimeout: 60_000 });
    // A program may end its side once it has asked.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    this.#server.on("request", (incoming, response) => void this.#forward(incoming, response));
    this.#server.on("connect", (incoming, client, head) => void this.#tunnel(incoming, client, head));
  }

  serve(client: Duplex): void {
    this.#server.emit("connection", client);
  }

  async #tunnel(incoming: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on("error", () => {});
    // Nothing is read, and so nothing lost, before there is somebody to pass it on to.
    client.pause();
    if (head.length > 0) client.unshift(head);
    const target = parseHostAndPort(incoming.url ?? "");
    const answer = (status: string, text: string, headers = "") =>
      client.end(
        `HTTP/1.1 ${status}\r\n${headers}Content-Type: text/plain\r\nContent-Length: ${text.length + 1}\r\nConnection: close\r\n\r\n${text}\n`,
      );
    if (!this.#isKnown(incoming))
      return void answer("407 Proxy Authentication Required", "Who are you?", askForName);
    if (target === undefined) return void answer("400 Bad Request", badTarget);
    try {
      const upstream = await this.#wayOut.open(target);
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      joinStreams(client, upstream);
    } catch (error) {
      const { status, reason, text } = answerTo(error);
      answer(`${status} ${reason}`, text);
    }
  }

  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.sendDate = false;
    const answer = (status: number, reason: string, text: string, headers = {}) => {
      // What is left of the request would be taken for the next one.
      response.shouldKeepAlive &&= incoming.complete;
      const plain = { "Content-Type": "text/plain", "Content-Length": text.length + 1, ...headers };
      response.writeHead(status, reason, plain).end(`${text}\n`);
    };
    if (!this.#isKnown(incoming))
      return answer(407, "Proxy Authentication Required", "Who are you?", { "Proxy-Authenticate": "Basic" });
    const wanted = wantedBy(incoming);
    if (wanted === undefined) return answer(400, "Bad Request", badTarget);
    try {
      const socket = await this.#wayOut.open(wanted.target);
      const upstream = request({
        createConnection: () => socket,
        method: incoming.method ?? "GET",
        path: wanted.path,
        headers: ["Host", wanted.authority, ...passedOn(incoming.rawHeaders, isOfRequest)],
        setHost: false,
      });
      upstream.on("response", (answered) => {
        response.writeHead(
          answered.statusCode ?? 502,
          answered.statusMessage,
          passedOn(answered.rawHeaders, () => true),
        );
        pipeline(answered, response, () => {});
      });
      upstream.on("error", () => {
        if (response.headersSent) response.destroy();
        else answer(502, "Bad Gateway", `${wanted.authority} has closed the connection`);
      });
      response.on("close", () => socket.destroy());
      incoming.on("error", () => socket.destroy());
      incoming.pipe(upstream);
    } catch (error) {
      const { status, reason, text } = answerTo(error);
      answer(status, reason, text);
    }
  }

  #isKnown(incoming: IncomingMessage): boolean {
    return (
      this.#authorization === undefined || incoming.headers["proxy-authorization"] === this.#authorization
    );
  }
}

const askForName = "Proxy-Authenticate: Basic\r\n";
const badTarget = "This is a proxy: ask it for http://host/path, or to CONNECT host:port.";

interface Wanted {
  readonly target: HostAndPort;
  readonly authority: string;
  readonly path: string;
}

/** The one thing that says where a request goes is its first line. */
function wantedBy({ url = "", headers }: IncomingMessage): Wanted | undefined {
  const [, authority = "", path = ""] = /^http:\/\/([^/?#]*)([^#]*)$/i.exec(url) ?? [];
  const target = parseHostAndPort(authority, 80);
  const coding = headers["transfer-encoding"];
  if (target === undefined || (coding !== undefined && coding.toLowerCase() !== "chunked")) return undefined;
  return { target, authority, path: path.startsWith("/") ? path : `/${path}` };
}

// Between a program and us, or us and a server; Node says them anew.
const ofOneHop = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
]);

/** Headers as they were written, without those of one hop and those that `Connection` names. */
function passedOn(raw: readonly string[], isPassed: (name: string) => boolean): string[] {
  const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]!] as const] : []));
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.toLowerCase().split(","))
    .map((name) => name.trim());
  const dropped = new Set([...ofOneHop, ...named.filter((name) => !isFraming(name))]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase()) && isPassed(name.toLowerCase())).flat();
}

function isFraming(name: string): boolean {
  return name === "content-length" || name === "transfer-encoding";
}

function isOfRequest(name: string): boolean {
  return name !== "host";
}

function answerTo(error: unknown): { status: number; reason: string; text: string } {
  if (!(error instanceof NoWay))
    return { status: 502, reason: "Bad Gateway", text: "The request cannot be sent" };
  return { ...statuses[error.reason], text: error.message };
}

const statuses = {
  refused: { status: 403, reason: "Refused by the rules of Toolcrib" },
  unknown: { status: 502, reason: "Host not found" },
  unreachable: { status: 502, reason: "Host not reached" },
  slow: { status: 504, reason: "Host did not answer" },
} as const;
