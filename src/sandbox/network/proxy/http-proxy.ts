import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type HostAndPort, parseHostAndPort } from "../../../lib/net/parse-host.ts";
import type { WayOut } from "../../../system/network/way-out.ts";
import { answer, answerTo, endWith } from "./http-answers.ts";
import { joinStreams } from "./join-streams.ts";
import { passOn } from "./pass-on.ts";

const mostWaiting = 32;

/** Speaks with programs that use an HTTP proxy: `CONNECT host:port`, or `GET http://host/path`. */
export class HttpProxy {
  readonly #wayOut: WayOut;
  readonly #authorization: string | undefined;
  readonly #server: Server;
  readonly #waiting = new WeakMap<Duplex, number>();

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
    if (!this.#isKnown(incoming)) return endWith(client, unknownProgram);
    const target = parseHostAndPort(incoming.url ?? "");
    if (target === undefined) return endWith(client, badTarget);
    try {
      const upstream = await this.#wayOut.open(target);
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      joinStreams(client, upstream);
    } catch (error) {
      endWith(client, answerTo(error));
    }
  }

  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#takesOneMore(incoming.socket, response)) return;
    if (!this.#isKnown(incoming)) return answer(incoming, response, unknownProgram);
    const wanted = wantedBy(incoming);
    if (wanted === undefined) return answer(incoming, response, badTarget);
    try {
      passOn(incoming, response, { ...wanted, socket: await this.#wayOut.open(wanted.target) });
    } catch (error) {
      answer(incoming, response, answerTo(error));
    }
  }

  /** Requests wait for the answers to those before them: who sends more and more would fill our memory. */
  #takesOneMore(client: Duplex, response: ServerResponse): boolean {
    const waiting = (this.#waiting.get(client) ?? 0) + 1;
    this.#waiting.set(client, waiting);
    response.once("close", () => this.#waiting.set(client, this.#waiting.get(client)! - 1));
    if (waiting > mostWaiting) client.destroy();
    return waiting <= mostWaiting;
  }

  #isKnown(incoming: IncomingMessage): boolean {
    return (
      this.#authorization === undefined || incoming.headers["proxy-authorization"] === this.#authorization
    );
  }
}

const unknownProgram = { status: 407, reason: "Proxy Authentication Required", text: "Who are you?" };
const badTarget = {
  status: 400,
  reason: "Bad Request",
  text: "This is a proxy: ask it for http://host/path, or to CONNECT host:port.",
};

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
