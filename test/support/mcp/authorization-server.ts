import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Json = Record<string, unknown>;

/** How a server differs from an honest one. */
export interface ProtectedServerOptions {
  /** Changes the metadata of the protected resource (RFC 9728). */
  readonly resourceMetadata?: (metadata: Json) => Json;
  /** Changes the metadata of the authorization server (RFC 8414). */
  readonly serverMetadata?: (metadata: Json) => Json;
  /** Changes the parameters of the redirect to the client. */
  readonly redirect?: (parameters: URLSearchParams) => void;
  /** Answers a request instead of the server when it returns true. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse, body: string) => boolean;
  /** Whether a program gets a token for its own request. Default: no. */
  readonly admits?: (form: URLSearchParams, authorization: string | undefined) => boolean | Promise<boolean>;
  /** The scope that `tools/call` needs. */
  readonly callScope?: string;
}

export interface ProtectedServer extends AsyncDisposable {
  readonly origin: string;
  readonly url: string;
  /** All requests: method and path, and the body of token requests. */
  readonly requests: {
    readonly line: string;
    readonly body: string;
    readonly authorization: string | undefined;
  }[];
  /** Makes all access tokens invalid; refresh tokens stay valid. */
  expireTokens(): void;
  /** Makes all tokens invalid. */
  revokeAll(): void;
  /** How many tokens were issued by refreshing. */
  readonly refreshed: number;
}

/** An MCP server with one tool, and its authorization server, in one process. Refresh tokens are valid once. */
export async function protectedServer(options: ProtectedServerOptions = {}): Promise<ProtectedServer> {
  const requests: ProtectedServer["requests"] = [];
  const codes = new Map<
    string,
    { readonly challenge: string; readonly redirect: string; readonly scope: string }
  >();
  const access = new Map<string, string>();
  const refresh = new Map<string, string>();
  let refreshed = 0;
  let origin = "";
  const issue = (scope: string) => {
    const tokens = { access_token: `access-${randomUUID()}`, refresh_token: `refresh-${randomUUID()}` };
    access.set(tokens.access_token, scope);
    refresh.set(tokens.refresh_token, scope);
    return { ...tokens, token_type: "Bearer", expires_in: 3600, scope };
  };
  const authorize = (query: URLSearchParams): string => {
    const code = randomUUID();
    const redirect = query.get("redirect_uri")!;
    codes.set(code, { challenge: query.get("code_challenge")!, redirect, scope: query.get("scope") ?? "" });
    const target = new URL(redirect);
    target.searchParams.set("code", code);
    target.searchParams.set("state", query.get("state") ?? "");
    target.searchParams.set("iss", origin);
    options.redirect?.(target.searchParams);
    return target.href;
  };
  const token = async (form: URLSearchParams, authorization: string | undefined): Promise<Json> => {
    if (programGrants.has(form.get("grant_type") ?? "")) {
      const isAdmitted = await options.admits?.(form, authorization);
      const { refresh_token: _, ...tokens } = issue(form.get("scope") ?? "");
      return isAdmitted === true ? tokens : { error: "invalid_client", error_description: authorization };
    }
    if (form.get("grant_type") === "refresh_token") {
      const scope = refresh.get(form.get("refresh_token") ?? "");
      if (scope === undefined)
        return { error: "invalid_grant", error_description: form.get("refresh_token") };
      refresh.delete(form.get("refresh_token")!);
      refreshed += 1;
      return issue(scope);
    }
    const granted = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (granted?.challenge !== challenge || granted.redirect !== form.get("redirect_uri"))
      return { error: "invalid_grant" };
    return issue(granted.scope);
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { authorization } = request.headers;
    const { pathname, searchParams } = new URL(request.url ?? "", origin);
    requests.push({ line: `${request.method} ${pathname}`, body, authorization });
    const send = (status: number, value: unknown, headers: Record<string, string> = {}) =>
      void response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(value === undefined ? undefined : JSON.stringify(value));
    if (options.answer?.(request, response, body)) return;
    switch (pathname) {
      case "/.well-known/oauth-protected-resource/mcp": {
        const metadata = { resource: `${origin}/mcp`, authorization_servers: [origin] };
        return send(200, options.resourceMetadata?.(metadata) ?? metadata);
      }
      case "/.well-known/oauth-authorization-server": {
        const metadata = {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
          authorization_response_iss_parameter_supported: true,
        };
        return send(200, options.serverMetadata?.(metadata) ?? metadata);
      }
      case "/register":
        return send(201, { ...JSON.parse(body), client_id: `client-${randomUUID()}` });
      case "/authorize":
        return void response.writeHead(302, { location: authorize(searchParams) }).end();
      case "/token": {
        const answer = await token(new URLSearchParams(body), authorization);
        return send("error" in answer ? 400 : 200, answer);
      }
      case "/mcp": {
        const challenge = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="read"`;
        const scope = access.get(authorization?.replace("Bearer ", "") ?? "");
        if (scope === undefined)
          return send(401, { error: "invalid_token" }, { "www-authenticate": `Bearer ${challenge}` });
        if (request.method !== "POST") return send(405, undefined);
        const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params?: Json };
        if (id === undefined) return send(202, undefined);
        if (
          method === "tools/call" &&
          options.callScope !== undefined &&
          !scope.includes(options.callScope)
        ) {
          const demand = `Bearer error="insufficient_scope", scope="${options.callScope}"`;
          return send(403, { error: "insufficient_scope" }, { "www-authenticate": demand });
        }
        return send(200, { jsonrpc: "2.0", id, result: resultOf(method, params, authorization) });
      }
      default:
        return send(404, { error: "not_found" });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: `${origin}/mcp`,
    requests,
    expireTokens: () => access.clear(),
    revokeAll: () => {
      access.clear();
      refresh.clear();
    },
    get refreshed() {
      return refreshed;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The grants of programs that log in without a user. */
const programGrants: ReadonlySet<string> = new Set([
  "client_credentials",
  "urn:ietf:params:oauth:grant-type:jwt-bearer",
]);

/** The answers of the MCP server. Its tool repeats the token that it was sent. */
function resultOf(method: string, params: Json | undefined, authorization: string | undefined): Json {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "protected", version: "1" },
      };
    case "tools/list":
      return {
        tools: [{ name: "whoami", description: `Sent: ${authorization}`, inputSchema: { type: "object" } }],
      };
    default:
      return { content: [{ type: "text", text: `Hello, ${authorization}` }] };
  }
}

/** Does what a browser does whose user consents: follows the redirect to the client. */
export async function consent(address: URL): Promise<number> {
  const { headers } = await fetch(address, { redirect: "manual" });
  const response = await fetch(headers.get("location")!, { redirect: "manual" });
  await response.text();
  return response.status;
}
