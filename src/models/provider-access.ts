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
  /** Whether a required key is missing. */
  readonly lacksKey: boolean;
}

interface Secret {
  readonly kind: "key" | "token";
  readonly value: string;
  /** The variable or file that it comes from. */
  readonly from: string;
}

export const settingsFile = "models.json";

/** Finds out how to reach a provider. Throws `invalid-input` for unknown names. */
export function providerAccess(
  given: string,
  settings: ModelSettings,
  variables: NodeJS.ProcessEnv,
): ProviderAccess {
  const name = providerNamed(given, settings);
  const own = ownOf(settings.providers, name) ?? {};
  const type = own.type ?? (isKnownProvider(name) ? name : undefined);
  if (type === undefined)
    throw new ToolError("invalid-input", `The provider "${name}" has no \`type\` in ${settingsFile}`, {
      hint: `Set providers.${name}.type to one of ${providerNames.join(", ")}. Most servers are openai-chat.`,
    });
  const api = providers[type];
  const { baseUrl, from } = addressOf(name, api, own, variables);
  // Local Ollama takes no key; the usual variable is for remote servers.
  const isLocal = type === "ollama" && from === undefined;
  const secret = secretOf(isLocal ? undefined : name, own, variables);
  const headers = own.headers ?? {};
  const isOpen = from !== undefined || Object.keys(headers).length > 0;
  const lacksKey = api.keysAt !== undefined && secret === undefined && !isOpen;
  return { name, type, api, baseUrl, addressFrom: from, secret, headers, lacksKey };
}

/** Returns every name that a model id can start with: known providers, then the user's own. */
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
  throw new ToolError("invalid-input", `Unknown provider "${given}"; known: ${known.join(", ")}`, {
    hint: near
      ? `Did you mean ${ownOf(aliases, near) ?? near}?`
      : `To use your own server, add it to ${settingsFile}.`,
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
    throw new ToolError("invalid-input", `The address of ${name} in ${from} is not a valid http address`, {
      hint: `Use the form ${api.baseUrl}, without a user name or password.`,
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

/** Reads "host", "host:port", ":port" and URLs, as Ollama does. 0.0.0.0 is an address to listen on, not to connect to. */
function ollamaAddress(host: string): string {
  const [, scheme, rest = host] = /^(https?:)\/\/(.*)$/i.exec(host) ?? [];
  const address = rest.replace(/^(?=:)|^(?:0\.0\.0\.0|\[::\])(?=[:/]|$)/, "127.0.0.1");
  const [authority = ""] = address.split("/");
  const port = scheme !== undefined || /:\d+$/.test(authority) ? "" : ":11434";
  return `${scheme ?? "http:"}//${authority}${port}${address.slice(authority.length)}`;
}

/** Returns the key from the settings, else from the usual variables of the provider `name`. */
function secretOf(
  name: string | undefined,
  own: ProviderConfiguration,
  variables: NodeJS.ProcessEnv,
): Secret | undefined {
  if (own.apiKey) return checked({ kind: "key", value: own.apiKey, from: settingsFile });
  if (own.apiKeyFrom !== undefined) return fromVariable("key", own.apiKeyFrom, variables);
  if (name === undefined || !isKnownProvider(name)) return undefined;
  const { keys, token = "" } = providers[name];
  const key = keys.find((variable) => variables[variable]?.trim()) ?? "";
  return fromVariable("token", token, variables) ?? fromVariable("key", key, variables);
}

function fromVariable(
  kind: Secret["kind"],
  variable: string,
  variables: NodeJS.ProcessEnv,
): Secret | undefined {
  const value = variables[variable]?.trim();
  return value ? checked({ kind, value, from: variable }) : undefined;
}

/** Refuses keys that are invalid in a header, because the error of `fetch` would quote them. */
function checked(secret: Secret): Secret {
  if (/^[\x21-\x7e]+$/.test(secret.value)) return secret;
  throw new ToolError("invalid-input", `The key in ${secret.from} contains an invalid character`, {
    hint: "Copy the key again, without spaces or quotation marks.",
  });
}
