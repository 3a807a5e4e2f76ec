import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { ProofChecker } from "./dpop-proofs.ts";

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
  /** Binds tokens to the key of the client (RFC 9449). With `nonce`, proofs need the last one that it returned. */
  readonly dpop?: { readonly nonce?: () => string };
}

export interface ProtectedServer extends AsyncDisposable {
  readonly origin: string;
  readonly url: string;
  /** All requests: method and path, and the body of token requests. */
  readonly requests: {
    readonly line: string;
    readonly body: string;
    readonly authorization: string | undefined;
    readonly proof: string | undefined;
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
  const access = new Map<string, Grant>();
  const refresh = new Map<string, Grant>();
  const proofs = new ProofChecker();
  let nonce: string | undefined;
  let refreshed = 0;
  let origin = "";
  const issue = (grant: Grant) => {
    const tokens = { access_token: `access-${randomUUID()}`, refresh_token: `refresh-${randomUUID()}` };
    access.set(tokens.access_token, grant);
    refresh.set(tokens.refresh_token, grant);
    const type = grant.key === undefined ? "Bearer" : "DPoP";
    return { ...tokens, token_type: type, expires_in: 3600, scope: grant.scope };
  };
  /** Returns the key of a request with a valid proof, or the error to answer. */
  const keyOf = async (
    request: IncomingMessage,
    token?: string,
  ): Promise<{ readonly key?: string; readonly error?: string }> => {
    const proof = request.headers.dpop as string | undefined;
    if (options.dpop === undefined || proof === undefined) return {};
    const { pathname } = new URL(request.url ?? "", origin);
    try {
      const url = `${origin}${pathname}`;
      const checked = await proofs.check(proof, { method: request.method!, url, ...(token && { token }) });
      if (options.dpop.nonce === undefined || (nonce !== undefined && checked.nonce === nonce))
        return checked;
      nonce = options.dpop.nonce();
      return { error: "use_dpop_nonce" };
    } catch {
      return { error: "invalid_dpop_proof" };
    }
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
  const token = async (
    form: URLSearchParams,
    authorization: string | undefined,
    key: string | undefined,
  ): Promise<Json> => {
    if (programGrants.has(form.get("grant_type") ?? "")) {
      const isAdmitted = await options.admits?.(form, authorization);
      const { refresh_token: _, ...tokens } = issue({ scope: form.get("scope") ?? "", key });
      return isAdmitted === true ? tokens : { error: "invalid_client", error_description: authorization };
    }
    if (form.get("grant_type") === "refresh_token") {
      const grant = refresh.get(form.get("refresh_token") ?? "");
      if (grant === undefined || grant.key !== key)
        return { error: "invalid_grant", error_description: form.get("refresh_token") };
      refresh.delete(form.get("refresh_token")!);
      refreshed += 1;
      return issue(grant);
    }
    const granted = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (granted?.challenge !== challenge || granted.redirect !== form.get("redirect_uri"))
      return { error: "invalid_grant" };
    return issue({ scope: granted.scope, key });
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { authorization } = request.headers;
    const proof = request.headers.dpop as string | undefined;
    const { pathname, searchParams } = new URL(request.url ?? "", origin);
    requests.push({ line: `${request.method} ${pathname}`, body, authorization, proof });
    const send = (status: number, value: unknown, headers: OutgoingHttpHeaders = {}) =>
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
          ...(options.dpop !== undefined && { dpop_signing_alg_values_supported: ["ES256"] }),
        };
        return send(200, options.serverMetadata?.(metadata) ?? metadata);
      }
      case "/register":
        return send(201, { ...JSON.parse(body), client_id: `client-${randomUUID()}` });
      case "/authorize":
        return void response.writeHead(302, { location: authorize(searchParams) }).end();
      case "/token": {
        const { key, error } = await keyOf(request);
        if (error !== undefined)
          return send(400, { error }, nonce === undefined ? {} : { "dpop-nonce": nonce });
        const answer = await token(new URLSearchParams(body), authorization, key);
        return send("error" in answer ? 400 : 200, answer);
      }
      case "/mcp": {
        const challenge = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="read"`;
        const [scheme = "", sent = ""] = authorization?.split(" ") ?? [];
        const { key, error = "invalid_token" } = await keyOf(request, sent);
        const { scope, key: bound } = access.get(sent) ?? {};
        const isAllowed = bound === key && scheme === (bound === undefined ? "Bearer" : "DPoP");
        if (scope === undefined || !isAllowed) {
          const demand = options.dpop === undefined ? "Bearer" : `DPoP error="${error}",`;
          return send(
            401,
            { error },
            {
              "www-authenticate": `${demand} ${challenge}`,
              ...(error === "use_dpop_nonce" && { "dpop-nonce": nonce }),
            },
          );
        }
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

/** What a token is for, and the key that it is bound to. */
interface Grant {
  readonly scope: string;
  readonly key: string | undefined;
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
