import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from "jose";

type Json = Record<string, unknown>;

export interface TokenIssuer extends AsyncDisposable {
  readonly issuer: string;
  /** How often the keys were fetched. */
  readonly fetches: number;
  /** The public keys, as the issuer serves them. */
  readonly keys: Json[];
  /** Changes the metadata that the issuer serves. */
  metadata: (metadata: Json) => Json;
  /** Adds a key, which signs from now on. */
  rotate(kid: string): Promise<void>;
  /** Issues an access token for one user, with these claims. Undefined leaves a claim out. */
  issue(claims: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>;
}

/** An authorization server that only issues tokens, on this machine. */
export async function tokenIssuer(): Promise<TokenIssuer> {
  const keys: Json[] = [];
  let signing: { readonly kid: string; readonly key: CryptoKey };
  let fetches = 0;
  let metadata = (given: Json) => given;
  const server = createServer((request, response) => {
    const isKeys = request.url === "/keys";
    const isMetadata = request.url === "/.well-known/oauth-authorization-server";
    if (isKeys) fetches += 1;
    const body = isKeys
      ? { keys }
      : metadata({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          response_types_supported: ["code"],
          jwks_uri: `${issuer}/keys`,
        });
    response
      .writeHead(isKeys || isMetadata ? 200 : 404, { "content-type": "application/json" })
      .end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rotate = async (kid: string) => {
    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    keys.push({ ...(await exportJWK(publicKey)), kid, use: "sig", alg: "ES256" });
    signing = { kid, key: privateKey };
  };
  await rotate("first");
  return {
    issuer,
    keys,
    rotate,
    get fetches() {
      return fetches;
    },
    get metadata() {
      return metadata;
    },
    set metadata(change) {
      metadata = change;
    },
    issue: (claims, header = {}) => {
      const exp = Math.floor(Date.now() / 1000) + 600;
      return new SignJWT({ iss: issuer, sub: "ann", client_id: "editor", exp, ...claims })
        .setProtectedHeader({ alg: "ES256", kid: signing.kid, typ: "at+jwt", ...header })
        .sign(signing.key);
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
