import { bearerAuthChallengeResponse, OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server";
import type { FetchImplementation, JWTPayload, JWTVerifyGetKey } from "jose";
import { ToolError } from "../../../contract/error.ts";
import { authorizationFetch, refuseUnsafeAddress } from "../../hub/oauth/authorization-fetch.ts";

/** Whose access tokens a server accepts. */
export interface OAuthOptions {
  /** The authorization server that issues the tokens, as its metadata names it. */
  readonly issuer: string;
  /** The address of this server as clients know it. Default: the address that it listens on. */
  readonly resource?: string | undefined;
  /** The audience that tokens must name. Default: the resource. */
  readonly audience?: string | undefined;
}

/** The scopes of access tokens. `write` includes `read`. */
export const scopes = { read: "toolcrib:read", write: "toolcrib:write" } as const;

/** The rights that a valid access token gives. */
export interface TokenAccess {
  /** The user and the client program together: requests of others never reach their sessions. */
  readonly tenant: string;
  readonly readOnly: boolean;
}

/** An OAuth 2.1 resource server: checks JWT access tokens (RFC 9068) and says where clients get them (RFC 9728). */
export class ResourceServer {
  readonly resource: URL;
  /** The address of the metadata, for challenges. */
  readonly metadataUrl: string;
  readonly #issuer: string;
  readonly #audiences: string[];
  readonly #keys: IssuerKeys;

  constructor(
    { issuer, resource, audience }: OAuthOptions & { readonly resource: string },
    keys: IssuerKeys,
  ) {
    this.#issuer = issuer;
    this.#keys = keys;
    this.resource = secureAddress(resource, "resource");
    // Clients ask for tokens for the address in the metadata, which may differ by the final slash.
    this.#audiences = audience === undefined ? [resource, this.resource.href] : [audience];
    const { origin, pathname } = this.resource;
    this.metadataUrl = `${origin}${wellKnown}${pathname === "/" ? "" : pathname}`;
  }

  /** Returns the metadata of this resource, if a request for this path asks for it. It never depends on the request. */
  metadataAt(path: string): object | undefined {
    if (path !== wellKnown && path !== new URL(this.metadataUrl).pathname) return undefined;
    return {
      resource: this.resource.href,
      authorization_servers: [this.#issuer],
      scopes_supported: [scopes.read, scopes.write],
      bearer_methods_supported: ["header"],
      resource_name: "Toolcrib",
    };
  }

  /** Returns what a token allows, or the response that refuses it. Without a token the response says how to get one. */
  async admit(token: string): Promise<TokenAccess | Response> {
    try {
      if (token === "") throw invalidToken("No access token was sent");
      return accessOf(await this.#verify(token));
    } catch (error) {
      if (!(error instanceof OAuthError)) return unavailable(error as Error);
      return challenge(error, token === "" ? [scopes.read, scopes.write] : [scopes.read], this.metadataUrl);
    }
  }

  async #verify(token: string): Promise<JWTPayload> {
    if (token.length > maxTokenChars) throw invalidToken("The token is too long");
    const { jwtVerify, errors } = await import("jose");
    const { issuer, getKey } = this.#keys;
    const { payload, protectedHeader } = await jwtVerify(token, getKey, {
      algorithms,
      issuer,
      audience: this.#audiences,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ["exp"],
    }).catch((error: Error) => {
      if (!(error instanceof errors.JOSEError) || unreachable.includes(error.code)) throw error;
      throw invalidToken(reasonFor(error));
    });
    if (!tokenTypes.includes((protectedHeader.typ ?? "jwt").toLowerCase()))
      throw invalidToken("This is not an access token");
    // The holder of such a token must prove that it has a key, which this server does not check.
    if (payload.cnf !== undefined)
      throw invalidToken("The token is bound to a key; only bearer tokens are accepted");
    return payload;
  }
}

/** An authorization server and its keys. */
interface IssuerKeys {
  /** Exactly as tokens name it. */
  readonly issuer: string;
  /** Finds the key of a token by its `kid`. Ignores all keys and addresses that the token itself contains. */
  readonly getKey: JWTVerifyGetKey;
}

const wellKnown = "/.well-known/oauth-protected-resource";
/** Never `none`, and no symmetric algorithm, for which a public key would be the secret. */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
const tokenTypes = ["jwt", "at+jwt", "application/at+jwt"];
const maxTokenChars = 8_192;
const clockToleranceSeconds = 30;
/** Errors about the fetched keys and not about the token. */
const unreachable = ["ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID", "ERR_JOSE_GENERIC"];

/**
 * Finds the keys by the issuer's metadata (RFC 8414 or OpenID Connect), which must name the same issuer. Throws
 * `unavailable` when there is none, and `invalid-input` for addresses without TLS, except those of this machine.
 */
export async function findIssuer({ issuer, resource }: OAuthOptions): Promise<IssuerKeys> {
  const server = secureAddress(issuer, "issuer");
  if (resource !== undefined) secureAddress(resource, "resource");
  const [{ discoverAuthorizationServerMetadata }, { createRemoteJWKSet, customFetch }] = await Promise.all([
    import("@modelcontextprotocol/client"),
    import("jose"),
  ]);
  try {
    const fetchFn = authorizationFetch(server, new AbortController().signal);
    const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn });
    if (typeof metadata?.jwks_uri !== "string") throw new Error("its metadata names no keys (jwks_uri)");
    const keys = new URL(metadata.jwks_uri);
    refuseUnsafeAddress(keys, server);
    const fetchKeys: FetchImplementation = (url, init) => authorizationFetch(server, init.signal)(url, init);
    // Keys are cached for ten minutes. An unknown `kid` fetches them again, at most every 30 s.
    const getKey = createRemoteJWKSet(keys, { [customFetch]: fetchKeys });
    return { issuer: metadata.issuer, getKey };
  } catch (cause) {
    throw new ToolError(
      "unavailable",
      `The authorization server ${issuer} cannot be used: ${(cause as Error).message}`,
      { hint: "Check the address of the issuer: it must serve its metadata (RFC 8414).", cause },
    );
  }
}

function accessOf({ sub, client_id: client, azp, scope, scp }: JWTPayload): TokenAccess {
  if (typeof sub !== "string" || sub === "") throw invalidToken("The token names no user (sub)");
  const granted = [scope, scp].flat().flatMap((value) => (typeof value === "string" ? value.split(" ") : []));
  const readOnly = !granted.includes(scopes.write);
  if (readOnly && !granted.includes(scopes.read))
    throw new OAuthError(OAuthErrorCode.InsufficientScope, `The token needs the scope ${scopes.read}`);
  return { tenant: JSON.stringify(["oauth", sub, client ?? azp ?? null]), readOnly };
}

/** Returns the response to a call that needs the write scope. */
export function needsWriteScope(resourceMetadataUrl: string | undefined): Response {
  const error = new OAuthError(OAuthErrorCode.InsufficientScope, needsWrite);
  return challenge(error, [scopes.read, scopes.write], resourceMetadataUrl);
}

export const needsWrite = `This tool may change something, which needs the scope ${scopes.write}`;

function challenge(
  error: OAuthError,
  wanted: readonly string[],
  resourceMetadataUrl: string | undefined,
): Response {
  return bearerAuthChallengeResponse(error, {
    requiredScopes: [...wanted],
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
  });
}

function unavailable({ message }: Error): Response {
  return Response.json({ error: "temporarily_unavailable", error_description: message }, { status: 503 });
}

function invalidToken(description: string): OAuthError {
  return new OAuthError(OAuthErrorCode.InvalidToken, description);
}

function reasonFor(error: { readonly code: string; readonly claim?: unknown }): string {
  if (error.code === "ERR_JWT_EXPIRED") return "The token has expired";
  if (error.code === "ERR_JWT_CLAIM_VALIDATION_FAILED" && error.claim === "aud")
    return "The token was issued for another server";
  if (error.code === "ERR_JWT_CLAIM_VALIDATION_FAILED" && error.claim === "iss")
    return "The token was issued by another authorization server";
  if (error.code === "ERR_JWT_CLAIM_VALIDATION_FAILED" && error.claim === "nbf")
    return "The token is not valid yet";
  return "The token is not valid";
}

function secureAddress(text: string, name: "issuer" | "resource"): URL {
  const hint = `For example: https://${name === "issuer" ? "login.example.com" : "tools.example.com/mcp"}`;
  const address = URL.parse(text);
  if (address === null || address.search !== "" || address.hash !== "")
    throw new ToolError("invalid-input", `The OAuth ${name} is not an address: ${text}`, { hint });
  try {
    refuseUnsafeAddress(address, address);
  } catch {
    throw new ToolError("invalid-input", `The OAuth ${name} is not an https address: ${text}`, { hint });
  }
  return address;
}
