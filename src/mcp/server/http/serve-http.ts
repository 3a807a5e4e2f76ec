import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { validateHostHeader } from "@modelcontextprotocol/server";
import { ToolError } from "../../../contract/error.ts";
import { type HttpHandlerOptions, newHttpHandler } from "./new-handler.ts";
import { findIssuer, type OAuthOptions, ResourceServer } from "./resource-server.ts";

export interface ServeHttpOptions extends HttpHandlerOptions {
  /** Clients send this token as `Authorization: Bearer …`. At least one of `token` and `oauth` is required. */
  readonly token?: string | undefined;
  /** Accepts the access tokens of an authorization server, with the scopes `toolcrib:read` and `toolcrib:write`. */
  readonly oauth?: OAuthOptions | undefined;
  /** Accepted host names, besides addresses, `localhost` and the host of `oauth.resource`. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of web pages whose requests are accepted, such as `http://localhost:6274`. Default: none. */
  readonly allowedOrigins?: readonly string[] | undefined;
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
  const {
    token,
    oauth,
    host = "127.0.0.1",
    port,
    allowedHosts = [],
    allowedOrigins = [],
    ...handling
  } = options;
  const unusable = allowedOrigins.find(
    (origin) => !URL.canParse(origin) || new URL(origin).origin !== origin,
  );
  if (unusable !== undefined)
    throw new ToolError("invalid-input", `${JSON.stringify(unusable)} is not an origin`, {
      hint: "Write scheme, host and port only: http://localhost:6274",
    });
  // A request without a token would have an empty one.
  if (token === "" || (token === undefined && oauth === undefined))
    throw new ToolError("invalid-input", "serveHttp needs a token or an OAuth issuer", {
      hint: "Pass token or oauth.",
    });
  const ownAddress = `http://${host.includes(":") ? `[${host}]` : host}:${port}${path}`;
  // Refuses an address that clients cannot use before it listens there.
  const keys = oauth && (await findIssuer({ ...oauth, resource: oauth.resource ?? ownAddress }));
  const handler = newHttpHandler(handling);
  const server = createServer();
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
  const url = `http://${named}:${address.port}${path}`;
  const resource = oauth && keys && new ResourceServer({ ...oauth, resource: oauth.resource ?? url }, keys);
  const hosts = [...allowedHosts, ...(resource === undefined ? [] : [resource.resource.hostname])];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refusal = refusalOf(request.headers, hosts, allowedOrigins);
    if (refusal !== undefined) return refuse(response, refusal);
    const [asked = ""] = (request.url ?? "").split("?");
    // Clients look for metadata without a token.
    const metadata = resource?.metadataAt(asked);
    if (metadata !== undefined)
      return void response.setHeader("content-type", "application/json").end(JSON.stringify(metadata));
    if (asked !== path) return refuse(response, { status: 404, message: `MCP is at ${path}` });
    const given = bearerOf(request.headers.authorization);
    if (token !== undefined && isSame(given, token))
      return handler.listener(request, response, resource && { tenant: "token" });
    if (resource === undefined) return refuse(response, noToken);
    const access = await resource.admit(given);
    if (access instanceof Response) return send(response, access);
    await handler.listener(request, response, { ...access, resourceMetadataUrl: resource.metadataUrl });
  };
  server.on("request", (request, response) => void answer(request, response).catch(() => response.destroy()));
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
    url,
    port: address.port,
    endSession: (session) => handler.endSession(session),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const path = "/mcp";

function refuse(response: ServerResponse, { status, message, headers = {} }: HttpRefusal): void {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message }, id: null });
  // The rest of the request is not read.
  response
    .writeHead(status, { "content-type": "application/json", connection: "close", ...headers })
    .end(body);
}

async function send(response: ServerResponse, { status, headers, body }: Response): Promise<void> {
  response.writeHead(status, { ...Object.fromEntries(headers), connection: "close" });
  response.end(body === null ? undefined : await new Response(body).text());
}

interface HttpRefusal {
  readonly status: 400 | 401 | 403 | 404;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const noToken: HttpRefusal = {
  status: 401,
  message: "Send the server's token: Authorization: Bearer TOKEN",
  headers: { "www-authenticate": 'Bearer realm="toolcrib"' },
};

/**
 * Returns why a request is refused whatever token it has; undefined when it is accepted. The host reveals DNS rebinding,
 * the origin reveals requests of web pages.
 */
export function refusalOf(
  headers: IncomingHttpHeaders,
  allowedHosts: readonly string[],
  allowedOrigins: readonly string[],
): HttpRefusal | undefined {
  const names = [...localNames, ...allowedHosts];
  if (/[^\w.:[\]-]/.test(headers.host ?? ""))
    return { status: 400, message: "The Host header is not a host name and a port" };
  const host = validateHostHeader(headers.host, [...names, ...addressIn(headers.host)]);
  if (!host.ok) return { status: 403, message: `Host not allowed: ${host.message}` };
  // Any program of this machine may serve a page at a local port. The server has no pages, so its own origin is foreign, too.
  if (headers.origin === undefined || allowedOrigins.includes(headers.origin)) return undefined;
  return { status: 403, message: "Origin not allowed: only configured web pages may use this server" };
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
