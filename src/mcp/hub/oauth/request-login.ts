import type { AuthProvider } from "@modelcontextprotocol/client";
import type { ToolError } from "../../../contract/error.ts";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Authorizes the requests of one connection to a server. */
export interface RequestLogin {
  readonly provider: AuthProvider;
  /** The tokens that were used, and what belongs to them. They are never shown. */
  readonly secrets: () => readonly string[];
  /** Returns a `fetch` that remembers the token of each rejected request. */
  remembering(ask: Fetch): Fetch;
  /** Returns the reason when an error of the SDK is about the login, else undefined. */
  explain(error: unknown): Promise<ToolError | undefined>;
}

/** The token that each rejected request had sent. */
export class RejectedTokens {
  readonly #sent = new WeakMap<Response, string>();

  remembering(ask: Fetch): Fetch {
    return async (url, init) => {
      const response = await ask(url, init);
      const [, token] = /^Bearer (.+)$/.exec(new Headers(init?.headers).get("authorization") ?? "") ?? [];
      if (response.status === 401 && token !== undefined) this.#sent.set(response, token);
      return response;
    };
  }

  of(response: Response): string | undefined {
    return this.#sent.get(response);
  }
}
