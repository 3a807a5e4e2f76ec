import { request as httpRequest, type IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { connect as connectSecurely, type TLSSocket } from "node:tls";
import { ToolError } from "../../contract/error.ts";
import type { WebAnswer, WebRequest } from "../../contract/web.ts";
import { throwIfAborted } from "../../lib/async/abort.ts";
import { type HostAndPort, kindOfAddress, parseHost } from "../../lib/network-address.ts";
import {
  ConnectionError,
  isLoopback,
  OutboundNetwork,
  type OutboundOptions,
} from "../../system/network-policy.ts";
import { type DeadlineLimits, ExchangeDeadline } from "./exchange-deadline.ts";
import { readBody } from "./read-body.ts";
import { cannotConnect, ended, noTrust, notHttp } from "./web-errors.ts";

/** All but `connectInside` are for tests. */
export interface ExchangeOptions extends Pick<OutboundOptions, "resolve"> {
  /** The certificate authority that replaces those that Node trusts. */
  readonly ca?: string | undefined;
  readonly limits?: Partial<ExchangeLimits> | undefined;
  /** Connects to a server of a command on this port; undefined while none listens on it. */
  readonly connectInside?: ((port: number) => Promise<Socket | undefined>) | undefined;
}

interface ExchangeLimits extends DeadlineLimits {
  readonly headerBytes: number;
}

const defaults: ExchangeLimits = { totalMs: 30_000, idleMs: 15_000, headerBytes: 64 * 1024 };

/** Implements Environment.exchange. Each exchange has its own connection, because its check is for one call only. */
export async function exchange(request: WebRequest, options: ExchangeOptions = {}): Promise<WebAnswer> {
  throwIfAborted(request.signal);
  const origin = originOf(request.url);
  const limits = { ...defaults, ...options.limits };
  const network = new OutboundNetwork({ mayConnect: allowed(request), resolve: options.resolve });
  const watch = new ExchangeDeadline(origin.name, limits, request.signal);
  try {
    const inside = isLoopback(origin.host) ? await options.connectInside?.(origin.port) : undefined;
    const plain = inside ?? (await watch.during(open(network, origin)));
    watch.over(plain);
    const socket = origin.isSecure
      ? await watch.during(secure(plain, origin, { ca: options.ca, isOwn: inside !== undefined }))
      : plain;
    watch.over(socket);
    const response = await watch.during(send(socket, request, origin.name, limits.headerBytes));
    const body = await watch.during(readBody(response, request));
    const answer = { status: response.statusCode ?? 0, headers: headersOf(response), ...body };
    return inside === undefined ? answer : { ...answer, isFromInside: true };
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw watch.reason ?? ended(origin.name, error);
  } finally {
    network.close();
    watch.end();
  }
}

function send(
  socket: Socket | TLSSocket,
  { url, method = "GET", headers = {}, body }: WebRequest,
  name: string,
  maxHeaderSize: number,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(ended(name, error));
    const host = url.host.replace(/\.+(?=:\d+$|$)/, "");
    // Without an agent, no proxy from the environment and no kept-alive connection is used.
    const sent = httpRequest({
      createConnection: () => socket,
      method,
      path: url.pathname + url.search,
      headers: { ...headers, host, "accept-encoding": "gzip, deflate, br, zstd", connection: "close" },
      maxHeaderSize,
    });
    sent.once("response", resolve);
    sent.once("upgrade", () => reject(notHttp(name, "it asks for another protocol")));
    // The listener stays, because errors may follow the response.
    sent.on("error", fail);
    sent.once("close", () => fail(new Error("it was closed")));
    sent.end(body);
  });
}

function headersOf({ headers }: IncomingMessage): WebAnswer["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

/** Returns what the request may connect to, besides servers of commands. */
function allowed({ mayConnect = () => false, isFromInside }: WebRequest): OutboundOptions["mayConnect"] {
  if (!isFromInside) return mayConnect;
  const isPublic = (host: string) => kindOfAddress(host) === "public";
  return (host, port, name) => {
    const isChecked = name === undefined ? isIP(host) === 0 || isPublic(host) : isPublic(host);
    return isChecked && mayConnect(host, port, name);
  };
}

async function open(network: OutboundNetwork, origin: WebOrigin): Promise<Socket> {
  try {
    return await network.open(origin);
  } catch (error) {
    throw error instanceof ConnectionError ? cannotConnect(origin, error) : error;
  }
}

/** The certificate must be for the requested host. Development servers use self-signed ones. */
function secure(
  plain: Socket,
  { host, name }: WebOrigin,
  { ca, isOwn }: { readonly ca: string | undefined; readonly isOwn: boolean },
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectSecurely({
      socket: plain,
      // The connection already exists.
      host,
      servername: isIP(host) === 0 ? host : undefined,
      ca,
      ALPNProtocols: ["http/1.1"],
      rejectUnauthorized: !isOwn,
    });
    socket.once("secureConnect", () => resolve(socket));
    socket.on("error", (error) => reject(noTrust(name, error)));
    socket.once("close", () => reject(noTrust(name, new Error("the connection was closed"))));
  });
}

export interface WebOrigin extends HostAndPort {
  readonly isSecure: boolean;
  /** The host for messages: "example.com", "localhost:3000". */
  readonly name: string;
}

function originOf(url: URL): WebOrigin {
  const { protocol, hostname, port, username, password, host: name } = url;
  if (protocol !== "http:" && protocol !== "https:")
    throw new ToolError("invalid-input", `${protocol}// URLs are not supported`, {
      hint: "Use a URL that begins with http:// or https://.",
    });
  if (username !== "" || password !== "")
    throw new ToolError(
      "invalid-input",
      "The URL contains a user name or password; credentials are never sent",
      {
        hint: "Remove the part before the @.",
      },
    );
  const host = parseHost(hostname.replace(/^\[(.*)\]$/, "$1"));
  if (host === undefined)
    throw new ToolError("invalid-input", `"${hostname}" is not a host`, {
      hint: "Use a name of letters, digits and dots, or an address.",
    });
  const isSecure = protocol === "https:";
  return { host, port: Number(port || (isSecure ? 443 : 80)), isSecure, name };
}
