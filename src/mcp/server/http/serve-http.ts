import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import { type HttpHandlerOptions, newHttpHandler } from "./new-handler.ts";

export interface ServeHttpOptions extends HttpHandlerOptions, Partial<Pick<Admission, "allowedHosts">> {
  readonly token: string;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** 0 picks a free port. */
  readonly port: number;
}

export interface ServedHttp extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** See HttpHandler. */
  endSession(session: string): Promise<boolean>;
  /** Ends all connections, sessions and instances. May be called twice. */
  close(): Promise<void>;
}

/** Serves any number of clients over HTTP. */
export async function serveHttp(options: ServeHttpOptions): Promise<ServedHttp> {
  const { token, host = "127.0.0.1", port, allowedHosts = [], ...handling } = options;
  const handler = newHttpHandler(handling);
  const server = createServer((request, response) => {
    const isMcp = request.url?.split("?")[0] === path;
    const refusal = refusalOf(request.headers, { token, allowedHosts });
    // Clients look for OAuth metadata without a token: a 401 there would mean that the metadata exists.
    if (!isMcp && (refusal === undefined || refusal.status === 401))
      refuse(response, 404, `MCP is at ${path}`);
    else if (refusal !== undefined) refuse(response, refusal.status, refusal.message, refusal.headers);
    else void handler.listener(request, response).catch(() => response.destroy());
  });
  // A busy server must not close a connection that its client is about to use again.
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("The server does not listen on a port");
  const named = address.family === "IPv6" ? `[${address.address}]` : address.address;
  let closed: Promise<void> | undefined;
  const end = async () => {
    server.close();
    await handler.close();
    server.closeAllConnections();
  };
  const close = () => {
    closed ??= end();
    return closed;
  };
  return {
    url: `http://${named}:${address.port}${path}`,
    port: address.port,
    endSession: (session) => handler.endSession(session),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const path = "/mcp";

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message }, id: null });
  // The rest of the request is not read.
  response
    .writeHead(status, { "content-type": "application/json", connection: "close", ...headers })
    .end(body);
}

interface Admission {
  /** Clients send the token as `Authorization: Bearer …`. */
  readonly token: string;
  /** Accepted host names, besides addresses and `localhost`. */
  readonly allowedHosts: readonly string[];
}

interface HttpRefusal {
  readonly status: 400 | 401 | 403;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns why a request is refused; undefined when it is accepted. The host reveals DNS rebinding, the origin reveals
 * requests of web pages, and neither kind has the token.
 */
export function refusalOf(
  headers: IncomingHttpHeaders,
  { token, allowedHosts }: Admission,
): HttpRefusal | undefined {
  const names = [...localNames, ...allowedHosts];
  if (/[^\w.:[\]-]/.test(headers.host ?? ""))
    return { status: 400, message: "The Host header is not a host name and a port" };
  const host = validateHostHeader(headers.host, [...names, ...addressIn(headers.host)]);
  if (!host.ok) return { status: 403, message: `Host not allowed: ${host.message}` };
  const origin = validateOriginHeader(headers.origin, names);
  if (!origin.ok) return { status: 403, message: `Origin not allowed: ${origin.message}` };
  if (isSame(bearerOf(headers.authorization), token)) return undefined;
  return {
    status: 401,
    message: "Send the server's token: Authorization: Bearer TOKEN",
    headers: { "www-authenticate": 'Bearer realm="toolcrib"' },
  };
}

const localNames = ["localhost", "127.0.0.1", "[::1]"];

/** Returns the host if it is an IP address, which DNS cannot rebind. */
function addressIn(host = ""): readonly string[] {
  const name = host.replace(/:\d+$/, "");
  return /^(?:\d+\.\d+\.\d+\.\d+|\[[\da-f:.]+\])$/i.test(name) ? [name] : [];
}

function bearerOf(authorization = ""): string {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
}

/** Compares in constant time. */
function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}
