import { createHash, generateKeyPairSync } from "node:crypto";
import type { DpopSession, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import * as z from "zod/mini";
import { ToolError } from "../../../contract/error.ts";
import { cleanLine } from "../clean-text.ts";
import type { Fetch } from "../transport/bounded-fetch.ts";

type Sdk = typeof import("@modelcontextprotocol/client");

/** The private key (JWK) of one login. Its access tokens are useless without it (DPoP, RFC 9449). */
export type DpopKey = z.infer<typeof dpopKey>;

const coordinate = z.string().check(z.regex(/^[\w-]{43}$/));

export const dpopKey = z.strictObject({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: coordinate,
  y: coordinate,
  d: coordinate,
});

export function newDpopKey(): DpopKey {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return dpopKey.parse(privateKey.export({ format: "jwk" }));
}

/** Returns what signs a proof for each request with a key, and remembers the last nonce of each origin. */
export async function openDpopKey(sdk: Sdk, { d, ...publicJwk }: DpopKey): Promise<DpopSession> {
  const kind = { name: "ECDSA", namedCurve: publicJwk.crv };
  const { crv, kty, x, y } = publicJwk;
  const session = await sdk.DpopSession.create({
    keyPair: {
      privateKey: await crypto.subtle.importKey("jwk", { ...publicJwk, d }, kind, false, ["sign"]),
      publicKey: await crypto.subtle.importKey("jwk", publicJwk, kind, true, ["verify"]),
      publicJwk,
      // The order of the members is that of RFC 7638.
      thumbprint: createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url"),
      alg: algorithm,
    },
  });
  const remember = session.rememberNonce.bind(session);
  session.rememberNonce = (url, nonce) => {
    if (usableNonce.test(nonce)) remember(url, nonce);
  };
  return session;
}

const algorithm = "ES256";

/** The syntax of RFC 9449, section 8.1. The nonce is sent back with each request, so its length is limited. */
const usableNonce = /^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/;

/** Whether the tokens of a login are bound to a key: `offered` leaves that to the authorization server. */
export type Binding = "none" | "offered" | "required";

type Discovery = Pick<OAuthDiscoveryState, "authorizationServerMetadata" | "resourceMetadata">;

/** The announcements of authorization servers about proofs, which the SDK drops from OpenID metadata. */
export class DpopAnnouncements {
  readonly #algorithms = new Map<string, unknown>();

  /** Returns a `fetch` that reads the metadata in passing. */
  reading(ask: Fetch): Fetch {
    return async (url, init) => {
      const response = await ask(url, init);
      if (response.ok && isServerMetadata.test(new URL(url).pathname)) {
        const metadata: unknown = await response
          .clone()
          .json()
          .catch(() => undefined);
        const { success, data } = announcement.safeParse(metadata);
        if (success) this.#algorithms.set(data.issuer, data.dpop_signing_alg_values_supported);
      }
      return response;
    };
  }

  /** Returns what both servers allow. Throws `unsupported` when they contradict each other. */
  bindingOf({ authorizationServerMetadata: server, resourceMetadata: resource }: Discovery): Binding {
    const isRequired = resource?.dpop_bound_access_tokens_required === true;
    const accepted = resource?.dpop_signing_alg_values_supported;
    const isOffered =
      server !== undefined &&
      includesOurs(this.#algorithms.get(server.issuer)) &&
      (accepted === undefined || includesOurs(accepted));
    if (isOffered) return isRequired ? "required" : "offered";
    if (isRequired)
      throw new ToolError(
        "unsupported",
        `The server demands tokens that are bound to a key (DPoP), but no ${algorithm} key can be used there`,
      );
    return "none";
  }
}

/** The metadata of an MCP server is below `/.well-known/`, too, and says nothing about an authorization server. */
const isServerMetadata = /\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(?:\/|$)/;

const announcement = z.looseObject({
  issuer: z.string(),
  dpop_signing_alg_values_supported: z.optional(z.unknown()),
});

function includesOurs(algorithms: unknown): boolean {
  return Array.isArray(algorithms) && algorithms.includes(algorithm);
}

interface TokenType {
  readonly token_type: string;
}

/** Whether a token is sent with a proof, and never as a bearer token. */
export function isBound({ token_type: type }: TokenType): boolean {
  return type.toLowerCase() === "dpop";
}

/** Throws unless a token is bound as `binding` says, or is a bearer token where that is allowed. */
export function refuseUnusableToken(
  token: TokenType & { readonly access_token: string },
  binding: Binding,
): void {
  // The errors of other characters in a header would show the token.
  if (!/^[\x21-\x7e]+$/.test(token.access_token))
    throw new ToolError(
      "unsupported",
      "The authorization server returned a token that no header can contain",
    );
  const type = token.token_type.toLowerCase();
  if (type === "dpop" ? binding !== "none" : type === "bearer" && binding !== "required") return;
  if (type === "bearer")
    throw new ToolError("denied", "The authorization server returned a token that is not bound to a key");
  throw new ToolError(
    "unsupported",
    `The authorization server returned a token of the type ${cleanLine(token.token_type, 40)}`,
  );
}
