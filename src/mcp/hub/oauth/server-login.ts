import type { AuthProvider, DpopSession } from "@modelcontextprotocol/client";
import { ToolError } from "../../../contract/error.ts";
import { shellWord } from "../../../lib/text/shell-quote.ts";
import { cleanLine } from "../clean-text.ts";
import { authorizationFetch } from "./authorization-fetch.ts";
import { reasonOf } from "./authorization-server.ts";
import { isBound, openDpopKey, refuseUnusableToken } from "./dpop.ts";
import type { Login, LoginServer, LoginStore } from "./login-store.ts";
import { type Access, LoginSecrets, type RequestLogin, RequestTokens } from "./request-login.ts";

type Sdk = typeof import("@modelcontextprotocol/client");

/** How long a request waits for its turn to refresh the tokens, and for the new ones. */
const refreshMs = 60_000;

/**
 * Sends the stored tokens of one server to that server, and refreshes them when it rejects them. Never asks the user: a
 * request that needs a login fails with `login-needed`.
 */
export class ServerLogin implements RequestLogin {
  readonly #server: LoginServer;
  readonly #store: LoginStore;
  readonly #sdk: Sdk;
  readonly #requests: RequestTokens;
  readonly #secrets = new LoginSecrets();
  /** The opened key of the login, which remembers nonces. Another login has another key. */
  #dpop: { readonly key: string; readonly session: Promise<DpopSession> } | undefined;
  /** Why the last login ended, so that all later requests give the same reason. */
  #endReason: string | undefined;

  constructor(server: LoginServer, store: LoginStore, sdk: Sdk) {
    this.#server = server;
    this.#store = store;
    this.#sdk = sdk;
    this.#requests = new RequestTokens(sdk, () => this.#access());
  }

  readonly secrets = (): readonly string[] => this.#secrets.all;

  readonly provider: AuthProvider = {
    token: async () => undefined,
    onUnauthorized: async ({ response }) => this.#refresh(this.#requests.rejectedBy(response)),
  };

  readonly authorizing: RequestLogin["authorizing"] = (ask) => this.#requests.authorizing(ask);

  /** Returns the `login-needed` error behind an error of the SDK; undefined when the reason is another one. */
  async explain(error: unknown): Promise<ToolError | undefined> {
    for (let cause = error; cause instanceof Error; cause = cause.cause) {
      if (cause instanceof ToolError && cause.details?.kind === "login-needed") return cause;
      if (cause instanceof this.#sdk.InsufficientScopeError) {
        await this.#want(cause.requiredScope);
        return loginNeeded(this.#server.name, "needs a login with more rights");
      }
      const isRejected =
        cause instanceof this.#sdk.SdkHttpError &&
        cause.code === this.#sdk.SdkErrorCode.ClientHttpAuthentication;
      if (isRejected) return loginNeeded(this.#server.name, "rejects its login");
    }
    return undefined;
  }

  /** Reads the login, and then forgets why the one before it ended. */
  #read(): Login | undefined {
    const login = this.#store.read(this.#server);
    if (login === undefined) return undefined;
    this.#endReason = undefined;
    for (const secret of secretsOf(login)) this.#secrets.add(secret);
    return login;
  }

  async #access(): Promise<Access | undefined> {
    const login = this.#read();
    if (login === undefined) return undefined;
    const dpop = isBound(login.tokens) ? await this.#dpopOf(login) : undefined;
    return { token: login.tokens.access_token, dpop };
  }

  #dpopOf({ dpopKey }: Login): Promise<DpopSession> | undefined {
    if (dpopKey === undefined) return undefined;
    if (this.#dpop?.key !== dpopKey.d) {
      const session = openDpopKey(this.#sdk, dpopKey).catch(() => {
        throw loginNeeded(this.#server.name, "needs a login, because the key of the last one is damaged");
      });
      this.#dpop = { key: dpopKey.d, session };
    }
    return this.#dpop.session;
  }

  async #refresh(rejected: string | undefined): Promise<void> {
    const { name, url } = this.#server;
    if (this.#read() === undefined) throw this.#noLogin();
    const signal = AbortSignal.timeout(refreshMs);
    await this.#store.alone(this.#server, signal, async () => {
      const login = this.#read();
      if (login === undefined) throw this.#noLogin();
      // Another request or process has refreshed the tokens, or the user has logged in again.
      if (login.tokens.access_token !== rejected) return;
      const { refresh_token: refreshToken } = login.tokens;
      if (refreshToken === undefined)
        throw loginNeeded(name, "needs a login, because the last one has expired");
      const { discovery, client, issuer } = login;
      try {
        const tokens = await this.#sdk.refreshAuthorization(discovery.authorizationServerUrl, {
          metadata: discovery.authorizationServerMetadata,
          clientInformation: client,
          refreshToken,
          resource: discovery.resourceMetadata?.resource,
          dpop: await this.#dpopOf(login),
          fetchFn: authorizationFetch(url, signal),
        });
        // The user has logged out meanwhile.
        if (this.#read() === undefined) throw this.#noLogin();
        if (isBound(login.tokens) && !isBound(tokens))
          throw this.#end("needs a login, because the new token is not bound to its key");
        refuseUnusableToken(tokens, login.dpopKey === undefined ? "none" : "offered");
        this.#store.write({ ...login, tokens: { scope: login.tokens.scope, ...tokens, issuer } });
      } catch (error) {
        if (error instanceof ToolError && error.details?.kind === "login-needed") throw error;
        const isFinal = error instanceof this.#sdk.OAuthError && finalCodes.has(error.code);
        if (!isFinal)
          throw new ToolError(
            "unavailable",
            `The login to ${name} cannot be refreshed at ${cleanLine(issuer, 200)}: ${reasonOf(this.#sdk, error)}`,
          );
        throw this.#end("needs a login, because the last one has expired");
      }
    });
  }

  /** Deletes a login that is of no use any more. Call it in `alone`. */
  #end(what: string): ToolError {
    this.#store.remove(this.#server);
    this.#endReason = what;
    return this.#noLogin();
  }

  #noLogin(): ToolError {
    return loginNeeded(this.#server.name, this.#endReason ?? "needs a login");
  }

  /** Records the scope that the server demands, for the next login. */
  async #want(scope: string | undefined): Promise<void> {
    if (scope === undefined) return;
    await this.#store.alone(this.#server, AbortSignal.timeout(refreshMs), async () => {
      const login = this.#read();
      if (login === undefined) return;
      const wantedScope = this.#sdk.computeScopeUnion(login.wantedScope, scope.slice(0, 1_000));
      if (wantedScope !== undefined && wantedScope.length < maxScope && wantedScope !== login.wantedScope)
        this.#store.write({ ...login, wantedScope });
    });
  }
}

const maxScope = 5_000;

/** Errors after which the stored tokens are of no use. */
const finalCodes: ReadonlySet<string> = new Set(["invalid_grant", "invalid_client", "unauthorized_client"]);

function secretsOf({ tokens, client, dpopKey }: Login): readonly string[] {
  const { access_token: access, refresh_token: refresh, id_token: id } = tokens;
  const secrets = [access, refresh, id, client.client_secret, dpopKey?.d];
  return secrets.filter((secret) => typeof secret === "string");
}

/** The error of a request to a server that the user has to log in to. */
function loginNeeded(server: string, what: string): ToolError {
  const command = `toolcrib mcp login ${shellWord(cleanLine(server, 100))}`;
  return new ToolError("unavailable", `The MCP server ${server} ${what}`, {
    hint: `Ask the user to run: ${command}`,
    forUser: { hint: `Run: ${command}` },
    details: { kind: "login-needed", command },
  });
}
