import type {
  AuthProvider,
  CrossAppAccessContext,
  DpopSession,
  OAuthClientProvider,
} from "@modelcontextprotocol/client";
import { ToolError } from "../../../contract/error.ts";
import { realLocation } from "../../../system/directories.ts";
import { contentAt } from "../../../system/pinned-path.ts";
import { cleanLine } from "../clean-text.ts";
import type { Assertion, ProgramLoginSettings } from "../settings/read-oauth.ts";
import type { Fetch } from "../transport/bounded-fetch.ts";
import { authorizationFetch, refuseUnsafeAddress } from "./authorization-fetch.ts";
import { reasonOf, refuseOtherIssuer } from "./authorization-server.ts";
import { DpopAnnouncements, isBound, newDpopKey, openDpopKey, refuseUnusableToken } from "./dpop.ts";
import type { LoginServer } from "./login-store.ts";
import { type Access, LoginSecrets, type RequestLogin, RequestTokens } from "./request-login.ts";

type Sdk = typeof import("@modelcontextprotocol/client");

/** How long a request waits for a token. */
const tokenMs = 30_000;

/**
 * Logs in to a server with the credentials of its settings, without a user. The token and its key stay in memory; when
 * the server rejects the token, a new one is requested.
 */
export class ProgramLogin implements RequestLogin {
  readonly #server: LoginServer;
  readonly #settings: ProgramLoginSettings;
  readonly #sdk: Sdk;
  readonly #requests: RequestTokens;
  readonly #secrets = new LoginSecrets();
  #access: Access | undefined;
  #request: Promise<Access> | undefined;
  #dpop: Promise<DpopSession> | undefined;

  constructor(server: LoginServer, settings: ProgramLoginSettings, sdk: Sdk) {
    this.#server = server;
    this.#settings = settings;
    this.#sdk = sdk;
    this.#requests = new RequestTokens(sdk, async () => this.#access);
  }

  readonly secrets = (): readonly string[] => this.#secrets.all;

  readonly provider: AuthProvider = {
    token: async () => undefined,
    onUnauthorized: async ({ response }) => {
      // Another request has got a new token meanwhile.
      if (this.#access?.token !== this.#requests.rejectedBy(response)) return;
      this.#request ??= this.#requestToken(response).finally(() => {
        this.#request = undefined;
      });
      this.#access = await this.#request;
    },
  };

  readonly authorizing: RequestLogin["authorizing"] = (ask) => this.#requests.authorizing(ask);

  async explain(error: unknown): Promise<ToolError | undefined> {
    const { origin } = this.#server.url;
    for (let cause = error; cause instanceof Error; cause = cause.cause) {
      if (cause instanceof ToolError && cause.details?.kind === "credentials-refused") return cause;
      if (cause instanceof this.#sdk.InsufficientScopeError) {
        const scope = JSON.stringify(cleanLine(cause.requiredScope ?? "", 200));
        return this.#refused(`${origin} demands an access token with the scope ${scope}`, "`scope`");
      }
      const isRejected =
        cause instanceof this.#sdk.SdkHttpError &&
        cause.code === this.#sdk.SdkErrorCode.ClientHttpAuthentication;
      if (isRejected) return this.#refused(`${origin} rejects the access token of ${this.#settings.issuer}`);
    }
    return undefined;
  }

  /** Uses the parts of the SDK, because `auth` repeats a refused request and prints a warning. */
  async #requestToken(rejection: Response): Promise<Access> {
    const { name, url } = this.#server;
    const { issuer } = this.#settings;
    const sdk = this.#sdk;
    try {
      refuseUnsafeAddress(url, url);
      const announcements = new DpopAnnouncements();
      const fetchFn = announcements.reading(authorizationFetch(url, AbortSignal.timeout(tokenMs)));
      const challenge = sdk.extractWWWAuthenticateParams(rejection);
      const { resourceMetadataUrl } = challenge;
      const found = await sdk.discoverOAuthServerInfo(url, { resourceMetadataUrl, fetchFn });
      const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = found;
      const named = metadata?.issuer ?? authorizationServerUrl;
      refuseOtherIssuer(named, issuer);
      const binding = announcements.bindingOf(found);
      if (binding !== "none") this.#dpop ??= this.#openKey();
      const dpop = binding === "none" ? undefined : await this.#dpop;
      const provider = Object.assign(this.#client(), { dpop: () => dpop });
      await provider.saveAuthorizationServerUrl?.(named);
      await provider.saveResourceUrl?.(resourceMetadata?.resource ?? url.href);
      await sdk.selectResourceURL(url, provider, resourceMetadata);
      const tokens = await sdk.fetchToken(provider, authorizationServerUrl, {
        metadata,
        resource: resourceMetadata?.resource,
        // The server must not get more rights than its settings name.
        scope: this.#settings.scope ?? challenge.scope ?? resourceMetadata?.scopes_supported?.join(" "),
        fetchFn,
      });
      this.#secrets.add(tokens.access_token);
      // A program whose token was bound to a key accepts no other one.
      refuseUnusableToken(tokens, this.#access?.dpop === undefined ? binding : "required");
      return { token: tokens.access_token, dpop: isBound(tokens) ? dpop : undefined };
    } catch (error) {
      const problem = `${issuer} gives no access token for ${name}: ${reasonOf(sdk, error)}`;
      const mayPass =
        error instanceof sdk.OAuthError ? passingCodes.has(error.code) : !(error instanceof ToolError);
      throw mayPass ? new ToolError("unavailable", problem) : this.#refused(problem);
    }
  }

  /** One key for all tokens of this connection, because it remembers nonces. */
  #openKey(): Promise<DpopSession> {
    const key = newDpopKey();
    this.#secrets.add(key.d);
    return openDpopKey(this.#sdk, key);
  }

  #client(): OAuthClientProvider {
    const { clientId, credential, issuer } = this.#settings;
    const client = { clientId, expectedIssuer: issuer };
    switch (credential.kind) {
      case "secret":
        return new this.#sdk.ClientCredentialsProvider({ ...client, ...credential });
      case "key":
        return new this.#sdk.PrivateKeyJwtProvider({ ...client, ...credential });
      case "assertion":
        return new this.#sdk.CrossAppAccessProvider({
          ...client,
          // The type demands a secret, but clients without one work.
          clientSecret: credential.clientSecret as string,
          assertion: (context) => this.#assertion(credential, context),
        });
    }
  }

  async #assertion({ from, identityProvider }: Assertion, context: CrossAppAccessContext): Promise<string> {
    const assertion = "text" in from ? from.text.trim() : readAssertion(from.file);
    // Another file, such as a key, must not reach the authorization server.
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(assertion))
      throw new ToolError(
        "invalid-input",
        `${"file" in from ? from.file : "`oauth.assertion`"} is not a signed JWT`,
      );
    this.#secrets.add(assertion);
    if (identityProvider === undefined) return assertion;
    const exchanged = await this.#exchange(assertion, identityProvider, context);
    this.#secrets.add(exchanged);
    return exchanged;
  }

  /** Exchanges the ID token of a user for a JWT that only this authorization server accepts, for this MCP server. */
  async #exchange(
    idToken: string,
    { tokenEndpoint, ...client }: NonNullable<Assertion["identityProvider"]>,
    { authorizationServerUrl: audience, resourceUrl: resource, scope }: CrossAppAccessContext,
  ): Promise<string> {
    const endpoint = new URL(tokenEndpoint);
    const ask = authorizationFetch(endpoint, AbortSignal.timeout(tokenMs));
    let isRefused = false;
    const fetchFn: Fetch = async (...given) => {
      const response = await ask(...given);
      isRefused = response.status < 500 && response.status !== 429;
      return response;
    };
    const request = { tokenEndpoint, ...client, idToken, audience, resource, scope, fetchFn };
    try {
      return (await this.#sdk.requestJwtAuthorizationGrant(request)).jwtAuthGrant;
    } catch (error) {
      const problem = `${endpoint.origin} does not exchange the ID token: ${reasonOf(this.#sdk, error)}`;
      if (isRefused || error instanceof ToolError) throw new ToolError("denied", problem);
      // The identity provider may work again later.
      throw new Error(problem);
    }
  }

  #refused(message: string, keys?: string): ToolError {
    const server = cleanLine(this.#server.name, 100);
    const key = credentialKeys[this.#settings.credential.kind];
    const what = `${keys ?? `\`clientId\`, \`issuer\` and ${key}`} in \`oauth\` of ${server} in mcp.json, and the variables there`;
    return new ToolError("unavailable", message, {
      hint: `Ask the user to check ${what}.`,
      forUser: { hint: `Check ${what}.` },
      details: { kind: "credentials-refused" },
    });
  }
}

function readAssertion(file: string): string {
  const content = contentAt(realLocation(file), 64 * 1024);
  if (content === undefined)
    throw new ToolError("not-found", `${file} is not a readable file of at most 64 KB`);
  return Buffer.from(content).toString("utf8").trim();
}

/** The settings that each kind of credential comes from. */
const credentialKeys = {
  secret: "`clientSecret`",
  key: "`privateKey`",
  assertion: "`assertion` or `assertionFile`",
} as const;

/** Errors after which the same request may succeed. */
const passingCodes: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable", "slow_down"]);
