import { createPrivateKey, type KeyObject } from "node:crypto";
import { isAbsolute } from "node:path";
import type { signingAlgorithms } from "../../../config/servers.ts";
import { ToolError } from "../../../contract/error.ts";

/** `oauth` of a server in `mcp.json`. Everything is optional: servers register clients by themselves. */
export interface OAuthSettings {
  /** Set when Toolcrib logs in itself, with the credentials below. Default: a user logs in. */
  readonly grant?: "client_credentials" | "jwt_bearer" | undefined;
  /** The registered client, or the https address of its metadata document. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** The key in PEM format that signs the requests of a client without a secret. Needs `grant`. */
  readonly privateKey?: string | undefined;
  /** How the key signs. Default: ES256. */
  readonly algorithm?: Algorithm | undefined;
  /** The JWT with which `jwt_bearer` logs in, of an identity provider that the authorization server trusts. */
  readonly assertion?: string | undefined;
  /** The file with this JWT, which is read for each login. An absolute path. */
  readonly assertionFile?: string | undefined;
  /**
   * Where the JWT, the ID token of a user, is exchanged for one that the authorization server accepts
   * (enterprise-managed authorization).
   */
  readonly identityProvider?: IdentityProvider | undefined;
  /** The only authorization server that gets the client's secret, its JWT or a request that its key has signed. */
  readonly issuer?: string | undefined;
  /** The scope to ask for. A server can name another one for a user's login. */
  readonly scope?: string | undefined;
}

/** The identity provider of an organization, and Toolcrib as its client. */
interface IdentityProvider {
  readonly tokenEndpoint: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
}

/** How a user logs in. */
export interface UserLoginSettings {
  readonly credential?: undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly issuer?: string | undefined;
  readonly scope?: string | undefined;
}

/** How Toolcrib logs in itself. */
export interface ProgramLoginSettings {
  readonly clientId: string;
  readonly credential: Secret | Key | Assertion;
  readonly issuer: string;
  readonly scope: string | undefined;
}

interface Secret {
  readonly kind: "secret";
  readonly clientSecret: string;
}

interface Key {
  readonly kind: "key";
  readonly privateKey: string;
  readonly algorithm: Algorithm;
}

export interface Assertion {
  readonly kind: "assertion";
  /** The JWT, or the absolute path of the file that contains it. */
  readonly from: { readonly text: string } | { readonly file: string };
  readonly identityProvider: IdentityProvider | undefined;
  readonly clientSecret: string | undefined;
}

type Algorithm = (typeof signingAlgorithms)[number];

/** Reads `oauth`, and adds its secrets to `secrets`. Returns undefined when `headers` authorizes the requests. */
export function readOAuth(
  given: OAuthSettings = {},
  headers: Readonly<Record<string, string>> = {},
  expand: (text: string) => string,
  secrets: string[],
): UserLoginSettings | ProgramLoginSettings | undefined {
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) {
    if (given.grant === undefined) return undefined;
    throw unusable("its `oauth.grant` cannot be used with an `Authorization` header");
  }
  const expandAll = <Texts extends object>(texts: Texts): Texts =>
    Object.fromEntries(
      Object.entries(texts).map(([key, value]) => [key, value === undefined ? undefined : expand(value)]),
    ) as Texts;
  const { grant, algorithm, identityProvider: provider, ...texts } = given;
  const expanded = expandAll(texts);
  const identityProvider = provider && expandAll(provider);
  const { clientId, clientSecret, privateKey, assertion, assertionFile, issuer, scope } = expanded;
  const hidden = [clientSecret, privateKey, assertion, identityProvider?.clientSecret];
  secrets.push(...hidden.filter((secret) => secret !== undefined));
  if (grant === undefined) {
    if (
      [privateKey, algorithm, assertion, assertionFile, identityProvider].some((value) => value !== undefined)
    )
      throw unusable(
        "only `clientId`, `clientSecret`, `issuer` and `scope` of its `oauth` work without `grant`",
      );
    // The server names its authorization server, and could name one that collects secrets.
    if (clientSecret !== undefined && (clientId === undefined || issuer === undefined))
      throw unusable("its `oauth.clientSecret` needs `oauth.clientId` and `oauth.issuer`");
    return expanded;
  }
  if (!clientId || !issuer) throw unusable("its `oauth.grant` needs `oauth.clientId` and `oauth.issuer`");
  if (!URL.canParse(issuer)) throw unusable("its `oauth.issuer` is not an address");
  const all = { ...expanded, algorithm, identityProvider };
  const credential = grant === "jwt_bearer" ? readAssertion(all) : readSecret(all);
  if (credential.kind === "key") secrets.push(credential.privateKey);
  return { clientId, credential, issuer, scope };
}

function readSecret(given: OAuthSettings): Secret | Key {
  const { clientSecret, privateKey, algorithm, assertion, assertionFile, identityProvider } = given;
  if (assertion !== undefined || assertionFile !== undefined || identityProvider !== undefined)
    throw unusable(
      "its `oauth.assertion`, `oauth.assertionFile` and `oauth.identityProvider` need the `oauth.grant` jwt_bearer",
    );
  if (!clientSecret === !privateKey)
    throw unusable("its `oauth.grant` needs either `oauth.clientSecret` or `oauth.privateKey`");
  if (!clientSecret) {
    const used = algorithm ?? "ES256";
    return { kind: "key", privateKey: readKey(privateKey!, used), algorithm: used };
  }
  if (algorithm !== undefined) throw unusable("its `oauth.algorithm` needs `oauth.privateKey`");
  return { kind: "secret", clientSecret };
}

function readAssertion(given: OAuthSettings): Assertion {
  const { clientSecret, privateKey, algorithm, assertion, assertionFile, identityProvider } = given;
  if (privateKey !== undefined || algorithm !== undefined)
    throw unusable("its `oauth.privateKey` and `oauth.algorithm` need the `oauth.grant` client_credentials");
  if (!assertion === !assertionFile)
    throw unusable("its `oauth.grant` needs either `oauth.assertion` or `oauth.assertionFile`");
  if (identityProvider !== undefined && !URL.canParse(identityProvider.tokenEndpoint))
    throw unusable("its `oauth.identityProvider.tokenEndpoint` is not an address");
  const common = { kind: "assertion", identityProvider, clientSecret } as const;
  if (assertion) return { ...common, from: { text: assertion } };
  if (!isAbsolute(assertionFile!)) throw unusable("its `oauth.assertionFile` is not an absolute path");
  return { ...common, from: { file: assertionFile! } };
}

/** Returns the key as PKCS #8. Environment variables often have `\n` instead of line ends. */
function readKey(given: string, algorithm: Algorithm): string {
  let key: KeyObject;
  try {
    key = createPrivateKey(given.replaceAll("\\n", "\n"));
  } catch {
    throw unusable("its `oauth.privateKey` is not a private key in PEM format without a passphrase");
  }
  const curve = curves[algorithm];
  const fits =
    curve === undefined ? key.asymmetricKeyType === "rsa" : key.asymmetricKeyDetails?.namedCurve === curve;
  if (!fits) throw unusable(`its \`oauth.privateKey\` does not fit the \`oauth.algorithm\` ${algorithm}`);
  return key.export({ type: "pkcs8", format: "pem" }) as string;
}

/** The other algorithms use RSA keys. */
const curves: { readonly [name in Algorithm]?: string } = {
  ES256: "prime256v1",
  ES384: "secp384r1",
  ES512: "secp521r1",
};

/** The error of settings that cannot be used, with a reason to put after the server's name. */
export function unusable(why: string): ToolError {
  return new ToolError("invalid-input", why);
}
