import { randomBytes } from "node:crypto";
import type {
  DpopSession,
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { ToolError } from "../../../contract/error.ts";
import { untilAborted } from "../../../lib/async/abort.ts";
import { clientInfo, negotiationOf } from "../connect-server.ts";
import type { UserLoginSettings } from "../settings/read-oauth.ts";
import type { HttpServer, ServerSettings } from "../settings/read-settings.ts";
import { boundedFetch, type Fetch } from "../transport/bounded-fetch.ts";
import { authorizationFetch, refuseUnsafeAddress } from "./authorization-fetch.ts";
import { reasonOf, refuseOtherIssuer } from "./authorization-server.ts";
import { type Binding, DpopAnnouncements, newDpopKey, openDpopKey, refuseUnusableToken } from "./dpop.ts";
import type { Login, LoginStore } from "./login-store.ts";
import { receiveRedirect } from "./receive-redirect.ts";

type Sdk = typeof import("@modelcontextprotocol/client");

export interface LogInOptions {
  readonly store: LoginStore;
  /** Shows the user the address at which to log in. */
  readonly onAddress: (address: URL, issuer: string) => void | Promise<void>;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** Logs the user in to an MCP server by OAuth, and stores the tokens. Throws when the user or a server refuses. */
export async function logIn(settings: ServerSettings, options: LogInOptions): Promise<Login> {
  const { name, transport } = settings;
  if (transport.kind !== "http")
    throw new ToolError("invalid-input", `The MCP server ${name} runs on this machine and needs no login`);
  if (transport.oauth === undefined)
    throw new ToolError(
      "invalid-input",
      `The MCP server ${name} has an Authorization header in its settings`,
      {
        hint: "Remove the header from mcp.json to use a login instead.",
      },
    );
  if (transport.oauth.credential !== undefined)
    throw new ToolError(
      "invalid-input",
      `The MCP server ${name} needs no login: Toolcrib logs in with the \`oauth.grant\` of its settings`,
    );
  const { url } = transport;
  const { store, signal } = options;
  refuseUnsafeAddress(url, url);
  const sdk = await import("@modelcontextprotocol/client");
  const server = { name, url };
  const announcements = new DpopAnnouncements();
  const fetchFn = announcements.reading(authorizationFetch(url, signal));
  const state = randomBytes(32).toString("base64url");
  const redirect = await receiveRedirect(state);
  const attempt = new LoginAttempt(sdk, transport.oauth, announcements, redirect.url, state);
  try {
    const challenge = await challengeOf(sdk, settings, transport, signal);
    const previous = store.read(server);
    const scope = sdk.computeScopeUnion(
      challenge.scope ?? transport.oauth.scope,
      previous?.wantedScope && previous.tokens.scope,
      previous?.wantedScope,
    );
    const { resourceMetadataUrl } = challenge;
    await sdk.auth(attempt, { serverUrl: url, fetchFn, scope, resourceMetadataUrl });
    const { address, issuer } = attempt;
    refuseUnsafeAddress(address, url);
    await options.onAddress(address, issuer);
    const answer = await untilAborted(redirect.answer, signal, ({ reason }) => reason);
    await attempt.exchange(answer, fetchFn);
    const login = attempt.login(server, scope);
    await store.alone(server, signal, async () => store.write(login));
    return login;
  } catch (error) {
    throw loginFailure(sdk, error, name, signal);
  } finally {
    redirect.close();
  }
}

/** Returns the server's demands, by asking it without a token. A server may also list its tools without a login. */
async function challengeOf(
  sdk: Sdk,
  settings: ServerSettings,
  { url, headers }: HttpServer,
  signal: AbortSignal,
): Promise<{ readonly scope?: string; readonly resourceMetadataUrl?: URL }> {
  let challenge: ReturnType<Sdk["extractWWWAuthenticateParams"]> = {};
  const transport = new sdk.StreamableHTTPClientTransport(url, {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch(url.origin),
    authProvider: {
      token: async () => undefined,
      onUnauthorized: async ({ response }) => {
        challenge = sdk.extractWWWAuthenticateParams(response);
        throw new ToolError("denied", "The server demands a login");
      },
    },
  });
  const client = new sdk.Client(clientInfo, { versionNegotiation: negotiationOf(settings) });
  client.onerror = () => {};
  const late = AbortSignal.any([signal, AbortSignal.timeout(settings.startTimeoutMs)]);
  try {
    const connecting = client
      .connect(transport, { timeout: settings.startTimeoutMs, signal: late })
      .then(() => client.listTools(undefined, { signal: late }));
    await untilAborted(connecting, late, ({ reason }) => reason);
  } catch (error) {
    const { scope, resourceMetadataUrl } = challenge;
    if (scope === undefined && resourceMetadataUrl === undefined && error instanceof TypeError) throw error;
  } finally {
    await transport.close();
  }
  return challenge;
}

/** One attempt to log in, in memory: the SDK reads from it, and writes the results to it. */
class LoginAttempt implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  readonly #sdk: Sdk;
  readonly #configured: UserLoginSettings;
  readonly #state: string;
  readonly #announcements: DpopAnnouncements;
  readonly #dpopKey = newDpopKey();
  #dpop: Promise<DpopSession> | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = "";
  #address: URL | undefined;
  #issuer = "";

  constructor(
    sdk: Sdk,
    configured: UserLoginSettings,
    announcements: DpopAnnouncements,
    redirectUrl: string,
    state: string,
  ) {
    this.#sdk = sdk;
    this.#configured = configured;
    this.#announcements = announcements;
    this.#state = state;
    this.redirectUrl = redirectUrl;
    this.clientMetadata = {
      client_name: "Toolcrib",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    };
  }

  get address(): URL {
    if (this.#address === undefined) throw new Error("The authorization server returned no address");
    return this.#address;
  }

  get issuer(): string {
    return this.#issuer;
  }

  /** Exchanges the code of the redirect. `finishAuth` of the SDK would send a refused code twice, and print a warning. */
  async exchange(answer: URLSearchParams, fetchFn: Fetch): Promise<void> {
    if (this.#discovery === undefined) throw new Error("The authorization server is not known");
    const {
      authorizationServerUrl,
      authorizationServerMetadata: metadata,
      resourceMetadata,
    } = this.#discovery;
    const iss = answer.get("iss") ?? undefined;
    this.#sdk.validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata?.issuer,
      issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
    });
    const code = answer.get("code");
    if (!code) throw new this.#sdk.OAuthError(answer.get("error") ?? "no_code", "The login was refused");
    const tokens = await this.#sdk.fetchToken(this, authorizationServerUrl, {
      metadata,
      resource: resourceMetadata?.resource,
      authorizationCode: code,
      iss,
      fetchFn,
    });
    this.#tokens = { ...tokens, issuer: this.#issuer };
  }

  login({ name, url }: { readonly name: string; readonly url: URL }, scope: string | undefined): Login {
    const [discovery, client, tokens] = [this.#discovery, this.#client, this.#tokens];
    if (discovery === undefined || client === undefined || tokens === undefined)
      throw new Error("The authorization server returned no token");
    refuseUnusableToken(tokens, this.#binding);
    return {
      server: name,
      url: url.href,
      issuer: this.#issuer,
      discovery,
      client,
      // Without a scope in the response, the requested one was granted.
      tokens: { ...tokens, scope: tokens.scope ?? scope },
      ...(this.#dpop !== undefined && { dpopKey: this.#dpopKey }),
    };
  }

  state(): string {
    return this.#state;
  }

  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { clientId, clientSecret, issuer } = this.#configured;
    this.#issuer = context?.issuer ?? this.#issuer;
    if (clientId === undefined) return this.#client;
    if (issuer !== undefined) refuseOtherIssuer(this.#issuer, issuer);
    this.#client = {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      issuer: this.#issuer,
    };
    return this.#client;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  async redirectToAuthorization(address: URL): Promise<void> {
    const dpop = await this.dpop();
    // The code is useless without the key, too.
    if (dpop !== undefined) address.searchParams.set("dpop_jkt", dpop.thumbprint);
    this.#address = address;
  }

  async dpop(): Promise<DpopSession | undefined> {
    if (this.#binding === "none") return undefined;
    this.#dpop ??= openDpopKey(this.#sdk, this.#dpopKey);
    return this.#dpop;
  }

  get #binding(): Binding {
    return this.#discovery === undefined ? "none" : this.#announcements.bindingOf(this.#discovery);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }
}

function loginFailure(sdk: Sdk, error: unknown, name: string, signal: AbortSignal): Error {
  if (signal.aborted)
    return new ToolError("timeout", `The login to ${name} was not finished in time`, {
      hint: "Run the command again.",
    });
  const code = error instanceof ToolError ? error.code : "unavailable";
  return new ToolError(code, `The login to ${name} failed: ${reasonOf(sdk, error)}`);
}
