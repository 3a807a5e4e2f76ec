import type { AuthProvider, DpopSession } from "@modelcontextprotocol/client";
import { ToolError } from "../../../contract/error.ts";
import type { Fetch } from "../transport/bounded-fetch.ts";

type Sdk = typeof import("@modelcontextprotocol/client");

/** Authorizes the requests of one connection to a server. */
export interface RequestLogin {
  /** Reacts to rejected requests. It names no token: `authorizing` adds it. */
  readonly provider: AuthProvider;
  /** The last tokens that were used, and what belongs to them. They are never shown. */
  readonly secrets: () => readonly string[];
  /** Returns a `fetch` that adds the current token, with a proof if the token is bound to a key. */
  authorizing(ask: Fetch): Fetch;
  /** Returns the reason when an error of the SDK is about the login, else undefined. */
  explain(error: unknown): Promise<ToolError | undefined>;
}

/** An access token, and the key that it is bound to. */
export interface Access {
  readonly token: string;
  readonly dpop: DpopSession | undefined;
}

/** The secrets of a login. The oldest are forgotten: a server can reject tokens endlessly, and each message is searched. */
export class LoginSecrets {
  readonly #latest = new Set<string>();

  /** Ignores a short text, because removing it from messages would damage them. */
  add(secret: string): void {
    if (secret.length < shortestSecret) return;
    this.#latest.delete(secret);
    this.#latest.add(secret);
    for (const oldest of this.#latest) if (this.#latest.size > mostSecrets) this.#latest.delete(oldest);
  }

  get all(): readonly string[] {
    return [...this.#latest];
  }
}

const shortestSecret = 6;
const mostSecrets = 50;

/** Adds the token to each request, and remembers the token of each rejected request. */
export class RequestTokens {
  readonly #sdk: Sdk;
  readonly #current: () => Promise<Access | undefined>;
  readonly #rejected = new WeakMap<Response, string>();

  constructor(sdk: Sdk, current: () => Promise<Access | undefined>) {
    this.#sdk = sdk;
    this.#current = current;
  }

  authorizing(ask: Fetch): Fetch {
    return async (url, init) => {
      const access = await this.#current();
      if (access === undefined) return ask(url, init);
      const { token, dpop } = access;
      const response = await (dpop === undefined
        ? ask(url, { ...init, headers: withBearer(init?.headers, token) })
        : this.#sdk.withDpop(dpop, () => token)(ask)(url, init));
      // The SDK has repeated the request with the nonce. A new token would not help.
      if (dpop !== undefined && this.#sdk.isDpopNonceChallenge(response)) {
        await response.body?.cancel();
        throw new ToolError(
          "unavailable",
          `${new URL(url).origin} rejects the DPoP nonce that it asked for, or sent none`,
        );
      }
      if (response.status === 401) this.#rejected.set(response, token);
      return response;
    };
  }

  /** Returns the token that a rejected request had sent. */
  rejectedBy(response: Response): string | undefined {
    return this.#rejected.get(response);
  }
}

function withBearer(given: RequestInit["headers"], token: string): Headers {
  const headers = new Headers(given);
  headers.set("authorization", `Bearer ${token}`);
  return headers;
}
