import { ToolError } from "../contract/error.ts";
import { nearest } from "../lib/text/nearest.ts";
import {
  aliases,
  isKnownProvider,
  type Provider,
  type ProviderName,
  providerNames,
  providers,
} from "./providers.ts";
import type { ModelSettings, ProviderConfiguration } from "./settings.ts";

/** How to reach a provider: from its defaults, environment variables and the user's settings. */
export interface ProviderAccess {
  /** The first part of its model ids. */
  readonly name: string;
  readonly type: ProviderName;
  readonly api: Provider;
  readonly baseUrl: string;
  /** The variable or file that sets the address; undefined for the default address. */
  readonly addressFrom: string | undefined;
  readonly secret: Secret | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** A required key is missing. */
  readonly lacksKey: boolean;
}

interface Secret {
  readonly kind: "key" | "token";
  readonly value: string;
  /** The variable or file that it comes from. */
  readonly from: string;
}

export const settingsFile = "models.json";

/** Throws `invalid-input` for unknown names. */
export function providerAccess(
  given: string,
  settings: ModelSettings,
  variables: NodeJS.ProcessEnv,
): ProviderAccess {
  const name = providerNamed(given, settings);
  const own = ownOf(settings.providers, name) ?? {};
  const type = own.type ?? (isKnownProvider(name) ? name : undefined);
  if (type === undefined) throw noType(name);
  const api = providers[type];
  const { baseUrl, from } = addressOf(name, api, own, variables);
  const secret = secretOf(name, type, own, variables, from !== undefined);
  const headers = own.headers ?? {};
  const isOpen = from !== undefined || Object.keys(headers).length > 0;
  return {
    name,
    type,
    api,
    baseUrl,
    addressFrom: from,
    secret,
    headers,
    lacksKey: api.keysAt !== undefined && secret === undefined && !isOpen,
  };
}

/** Every name that a model id can start with: known providers, then the user's own. */
export function knownProviders(settings: ModelSettings): readonly string[] {
  return [...new Set([...providerNames, ...Object.keys(settings.providers ?? {})])];
}

export function ownOf<Value>(
  values: Readonly<Record<string, Value>> | undefined,
  key: string,
): Value | undefined {
  return values !== undefined && Object.hasOwn(values, key) ? values[key] : undefined;
}

function providerNamed(given: string, settings: ModelSettings): string {
  if (ownOf(settings.providers, given) !== undefined) return given;
  const name = given.toLowerCase();
  const resolved = ownOf(aliases, name) ?? name;
  if (isKnownProvider(resolved)) return resolved;
  const known = knownProviders(settings);
  const near = nearest(given, [...known, ...Object.keys(aliases)]);
  throw new ToolError("invalid-input", `There is no provider "${given}"; known are ${known.join(", ")}`, {
    hint: near
      ? `Did you mean ${ownOf(aliases, near) ?? near}?`
      : `A server of your own gets a name in ${settingsFile}: see \`toolcrib models\`.`,
  });
}

function noType(name: string): ToolError {
  return new ToolError("invalid-input", `${settingsFile} does not say what the provider "${name}" speaks`, {
    hint: `Set providers.${name}.type to one of ${providerNames.join(", ")}; compatible servers speak openai-chat.`,
  });
}

function addressOf(
  name: string,
  api: Provider,
  own: ProviderConfiguration,
  variables: NodeJS.ProcessEnv,
): { readonly baseUrl: string; readonly from: string | undefined } {
  // The usual variables belong to the provider itself, not to compatible servers.
  const configured = isKnownProvider(name) ? variables[api.address] : undefined;
  const [given, from] = own.baseUrl ? [own.baseUrl, settingsFile] : [configured || undefined, api.address];
  if (given === undefined) return { baseUrl: api.baseUrl, from: undefined };
  const url = readAddress(given, api);
  if (url === undefined)
    throw new ToolError("invalid-input", `The address of ${name} in ${from} is no http address`, {
      hint: `Write it as ${api.baseUrl}, without a name or password.`,
    });
  return { baseUrl: url, from };
}

/** Removes trailing slashes and appends the version. Ollama accepts a host, a port, or both. */
function readAddress(given: string, api: Provider): string | undefined {
  const text = api === providers.ollama ? ollamaAddress(given.trim()) : given.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  const address = `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  return api.version === undefined || /\/v\d\w*$/.test(address) ? address : `${address}/${api.version}`;
}

/** "host", "host:port", ":port" and URLs, as Ollama accepts them. 0.0.0.0 is an address to listen on, not to connect to. */
function ollamaAddress(host: string): string {
  const [, scheme = "http:", rest = ""] = /^(https?:)\/\/(.*)$/i.exec(host) ?? [undefined, undefined, host];
  const isAddress = rest !== host;
  const named = rest.startsWith(":") ? `127.0.0.1${rest}` : rest;
  const reached = named.replace(/^(?:0\.0\.0\.0|\[::\])(?=[:/]|$)/, "127.0.0.1");
  const [authority = ""] = reached.split("/");
  const hasPort = /:\d+$/.test(authority);
  const port = hasPort || isAddress ? "" : ":11434";
  return `${scheme}//${authority}${port}${reached.slice(authority.length)}`;
}

function secretOf(
  name: string,
  type: ProviderName,
  own: ProviderConfiguration,
  variables: NodeJS.ProcessEnv,
  hasAddress: boolean,
): Secret | undefined {
  if (own.apiKey) return checked({ kind: "key", value: own.apiKey, from: settingsFile });
  if (own.apiKeyFrom !== undefined) return fromVariable("key", own.apiKeyFrom, variables);
  if (!isKnownProvider(name)) return undefined;
  // Local Ollama takes no key; the usual variable is for remote servers.
  if (type === "ollama" && !hasAddress) return undefined;
  const { keys, token } = providers[name];
  const asToken = token === undefined ? undefined : fromVariable("token", token, variables);
  if (asToken !== undefined) return asToken;
  const key = keys.find((variable) => variables[variable]?.trim());
  return key === undefined ? undefined : fromVariable("key", key, variables);
}

function fromVariable(
  kind: Secret["kind"],
  variable: string,
  variables: NodeJS.ProcessEnv,
): Secret | undefined {
  const value = variables[variable]?.trim();
  return value ? checked({ kind, value, from: variable }) : undefined;
}

/** Keys that are invalid in a header are refused here, because the error of `fetch` would quote them. */
function checked(secret: Secret): Secret {
  if (/^[\x21-\x7e]+$/.test(secret.value)) return secret;
  throw new ToolError("invalid-input", `The key in ${secret.from} holds a character that no key has`, {
    hint: "Copy it again, as a whole and nothing else.",
  });
}
