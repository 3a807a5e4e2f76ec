import { request as httpRequest, type IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { connect as connectSecurely, type TLSSocket } from "node:tls";
import { ToolError } from "../../contract/error.ts";
import type { WebAnswer, WebRequest } from "../../contract/web.ts";
import { throwIfAborted } from "../../lib/async/abort.ts";
import { type HostAndPort, parseHost } from "../../lib/network-address.ts";
import { ConnectionError, OutboundNetwork, type OutboundOptions } from "../../system/network-policy.ts";
import { type DeadlineLimits, ExchangeDeadline } from "./exchange-deadline.ts";
import { readBody } from "./read-body.ts";
import { cannotConnect, ended, noTrust, notHttp } from "./web-errors.ts";

/** Only tests set these. */
export interface ExchangeOptions extends Trust {
  readonly limits?: Partial<ExchangeLimits> | undefined;
}

interface ExchangeLimits extends DeadlineLimits {
  readonly headerBytes: number;
}

const usual: ExchangeLimits = { totalMs: 30_000, idleMs: 15_000, headerBytes: 64 * 1024 };

/** See Environment.exchange. A connection for each: what was judged for one call is used for no other. */
export async function exchange(request: WebRequest, options: ExchangeOptions = {}): Promise<WebAnswer> {
  throwIfAborted(request.signal);
  const origin = originOf(request.url);
  const limits = { ...usual, ...options.limits };
  const watch = new ExchangeDeadline(origin.name, limits, request.signal);
  try {
    const connection = await connectTo(origin, request, options, watch);
    try {
      const { socket } = connection;
      watch.over(socket);
      const response = await watch.during(ask(socket, request, origin.name, limits.headerBytes));
      const body = await watch.during(readBody(response, request));
      return { status: response.statusCode ?? 0, headers: headersOf(response), ...body };
    } finally {
      await connection[Symbol.asyncDispose]();
    }
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw watch.reason ?? ended(origin.name, error);
  } finally {
    watch.end();
  }
}

function ask(
  socket: Socket | TLSSocket,
  { url, method = "GET", headers = {}, body }: WebRequest,
  name: string,
  maxHeaderSize: number,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(ended(name, error));
    // Without an agent: no proxy of the surroundings, no connection that is kept.
    const asked = httpRequest({
      createConnection: () => socket,
      method,
      path: url.pathname + url.search,
      headers: { ...headers, host: hostHeader(url), "accept-encoding": codings, connection: "close" },
      maxHeaderSize,
    });
    asked.once("response", resolve);
    asked.once("upgrade", () => reject(notHttp(name, "it wants to speak another protocol")));
    // Also for errors after the answer, which is no longer awaited.
    asked.on("error", fail);
    asked.once("close", () => fail(new Error("it was closed")));
    asked.end(body);
  });
}

const codings = "gzip, deflate, br, zstd";

function hostHeader({ host }: URL): string {
  return host.replace(/\.+(?=:\d+$|$)/, "");
}

function headersOf({ headers }: IncomingMessage): WebAnswer["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

/** Name resolution and certificates. */
interface Trust {
  /** All addresses of a name; default: the system's answer. */
  readonly resolve?: OutboundOptions["resolve"];
  /** The certificate authority, instead of those that Node trusts. */
  readonly ca?: string | undefined;
}

interface Connection extends AsyncDisposable {
  readonly socket: Socket | TLSSocket;
}

/** Connects to an address that was judged; a certificate must be for the host that was asked for. */
async function connectTo(
  origin: WebOrigin,
  { at, mayConnect = () => false }: Pick<WebRequest, "at" | "mayConnect">,
  { resolve, ca }: Trust,
  watch: ExchangeDeadline,
): Promise<Connection> {
  const network = new OutboundNetwork({ mayConnect, resolve });
  try {
    if (at !== undefined && !mayConnect(origin.host, origin.port))
      throw cannotConnect(origin, new ConnectionError("refused", "Not named"));
    const plain = await watch.during(open(network, { ...origin, ...at }));
    const socket = origin.isSecure ? await watch.during(secure(plain, origin, ca)) : plain;
    return { socket, [Symbol.asyncDispose]: async () => network.close() };
  } catch (error) {
    network.close();
    throw error;
  }
}

async function open(network: OutboundNetwork, origin: WebOrigin): Promise<Socket> {
  try {
    return await network.open(origin);
  } catch (error) {
    throw error instanceof ConnectionError ? cannotConnect(origin, error) : error;
  }
}

function secure(plain: Socket, { host, name }: WebOrigin, ca: string | undefined): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectSecurely({
      socket: plain,
      // By which its certificate is judged; the connection is there already.
      host,
      servername: isIP(host) === 0 ? host : undefined,
      ca,
      ALPNProtocols: ["http/1.1"],
      rejectUnauthorized: true,
    });
    socket.once("secureConnect", () => resolve(socket));
    socket.on("error", (error) => reject(noTrust(name, error)));
    socket.once("close", () => reject(noTrust(name, new Error("the connection was closed"))));
  });
}

/** The server of an exchange. */
export interface WebOrigin extends HostAndPort {
  readonly isSecure: boolean;
  /** For messages: "example.com", "localhost:3000". */
  readonly name: string;
}

function originOf(url: URL): WebOrigin {
  const { protocol, hostname, port, username, password, host: name } = url;
  if (protocol !== "http:" && protocol !== "https:")
    throw new ToolError("invalid-input", `${protocol}// is not spoken here`, {
      hint: "Give a URL that begins with http:// or https://.",
    });
  if (username !== "" || password !== "")
    throw new ToolError("invalid-input", "The URL has a user or password in it", {
      hint: "Leave out what stands before the @: no credentials are sent.",
    });
  const host = parseHost(hostname.replace(/^\[(.*)\]$/, "$1"));
  if (host === undefined)
    throw new ToolError("invalid-input", `"${hostname}" is no host`, {
      hint: "Give a name of letters, digits and dots, or an address.",
    });
  const isSecure = protocol === "https:";
  const usual = isSecure ? 443 : 80;
  return { host, port: port === "" ? usual : Number(port), isSecure, name };
}
