import { createHash } from "node:crypto";
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from "jose";

/** The request that a proof is for. */
interface ProvedRequest {
  readonly method: string;
  /** Without query and fragment. */
  readonly url: string;
  /** The access token that the request sends. */
  readonly token?: string;
}

export interface Proof {
  /** The thumbprint of the key. */
  readonly key: string;
  readonly nonce: unknown;
}

/** Checks proofs as RFC 9449, section 4.3 demands. Each is valid once. */
export class ProofChecker {
  readonly #used = new Set<string>();

  /** Throws when the proof is not valid for this request. */
  async check(proof: string, { method, url, token }: ProvedRequest): Promise<Proof> {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ: "dpop+jwt",
      algorithms: ["ES256"],
      requiredClaims: ["jti", "htm", "htu", "iat"],
      maxTokenAge: 60,
    });
    const { jti, htm, htu, ath, nonce } = payload;
    const hash = token === undefined ? undefined : createHash("sha256").update(token).digest("base64url");
    if (htm !== method || htu !== url || ath !== hash) throw new Error("The proof is for another request");
    if (this.#used.has(jti!)) throw new Error("The proof was used before");
    this.#used.add(jti!);
    return { key: await calculateJwkThumbprint(protectedHeader.jwk!), nonce };
  }
}
