import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * Decides about every request before anything else sees it: files, routes and event streams alike.
 *
 * The attackers: a web page in another tab, also by a name that DNS rebinds to 127.0.0.1; another user of this machine;
 * a server on another port of 127.0.0.1, which a hostile workspace may have started and the user may visit.
 * - The user gets a code in the fragment of the address, which no server and no log sees. It can be used once.
 * - A cookie replaces it. Scripts cannot read it, and no request that another site causes carries it.
 * - Browsers send cookies to every port of a host. So the cookie is bound to a path with a random key, which only this
 *   origin stores; no other server is ever asked for that path.
 * - The Host header names exactly this server, so a rebound name is refused. Origin and Sec-Fetch-Site, which pages
 *   cannot set, show where a request comes from; the API requires this page itself.
 */
export class Gate {
  readonly origin: string;
  readonly #now: () => number;
  readonly #key = newSecret();
  readonly #cookie = { name: `toolcrib_${randomBytes(6).toString("hex")}`, value: newSecret() };
  #code: { readonly text: string; readonly expiresAt: number } | undefined;
  #lastUsed: string | undefined;

  /** The origin is "http://127.0.0.1:PORT", or any other with TLS. */
  constructor({ origin, now = Date.now }: GateOptions) {
    this.origin = origin;
    this.#now = now;
  }

  /** Returns a code for one login. It replaces the code before. */
  newCode(): string {
    const text = newSecret();
    this.#code = { text, expiresAt: this.#now() + codeLifetimeMs };
    return text;
  }

  /** Exchanges the code for the path and the cookie of the API. */
  login(code: string): Login | Refusal {
    const expected = this.#code;
    if (expected === undefined || !isSame(code, expected.text))
      return this.#lastUsed !== undefined && isSame(code, this.#lastUsed) ? usedCode : badCode;
    this.#code = undefined;
    if (this.#now() > expected.expiresAt) return badCode;
    this.#lastUsed = code;
    const { name, value } = this.#cookie;
    const api = `/api/${this.#key}`;
    const secure = this.#isSecure ? "; Secure" : "";
    return { api, cookie: `${name}=${value}; Path=${api}; HttpOnly; SameSite=Strict${secure}` };
  }

  get #isSecure(): boolean {
    return this.origin.startsWith("https:");
  }

  /** Returns why a request is refused whatever it wants: where it goes, its form, and where it comes from. */
  checkSource(request: IncomingMessage): Refusal | undefined {
    const { method = "", url = "", headers } = request;
    const authority = this.origin.slice(this.origin.indexOf("//") + 2);
    if (headersNamed(request, "host") !== 1 || headers.host !== authority) return wrongHost;
    if (method !== "GET" && method !== "POST") return wrongMethod;
    if (!plainUrl.test(url)) return wrongPath;
    if (headers.origin === undefined ? method === "POST" : headers.origin !== this.origin) return foreign;
    const isStrict = method === "POST" || url.startsWith("/api/");
    return (isStrict ? isSameOrigin(headers) : mayLoad(headers, url)) ? undefined : foreign;
  }

  /** Returns the address that routes know, `/api/calls?…`, or why the request is refused. */
  admit(request: IncomingMessage): string | Refusal {
    const refused = this.checkSource(request);
    if (refused !== undefined) return refused;
    const { method, url = "", headers } = request;
    const isApi = url.startsWith("/api/");
    if (method === "GET") return this.#admitRead(request, isApi);
    if (!isApi) return wrongMethod;
    if (!/^application\/json(?:; *charset=utf-8)?$/i.test(headers["content-type"] ?? "")) return notJson;
    return url === "/api/login" ? url : this.#admitApi(request);
  }

  #admitRead(request: IncomingMessage, isApi: boolean): string | Refusal {
    const { headers, url = "" } = request;
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    if (hasBody) return unexpectedBody;
    return isApi ? this.#admitApi(request) : url;
  }

  #admitApi({ url = "", headers }: IncomingMessage): string | Refusal {
    const [, key = "", rest = ""] = /^\/api\/([\w-]{43})(\/.*)$/.exec(url) ?? [];
    // Both are compared always, so that the time does not show which one is wrong.
    const isKey = isSame(key, this.#key);
    const isCookie = isSame(cookieIn(headers.cookie, this.#cookie.name), this.#cookie.value);
    return isKey && isCookie ? `/api${rest}` : signedOut;
  }
}

interface GateOptions {
  readonly origin: string;
  /** The clock of the code. Default: Date.now. */
  readonly now?: (() => number) | undefined;
}

export interface Login {
  readonly api: string;
  readonly cookie: string;
}

/** The answer to a refused request. Its texts are constants: nothing of a request is ever sent back. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 405 | 415;
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
}

/** The headers of every answer, also of refusals. There are no CORS headers, so no other origin can read an answer. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cache-control": "no-store",
};

const codeLifetimeMs = 10 * 60 * 1000;

/** Only what browsers send for addresses of this server: no control characters, backslashes, or second slash. */
const plainUrl = /^\/(?![/\\])[!-[\]-~]{0,4000}$/;

/** 256 bits as 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function isSameOrigin(headers: IncomingMessage["headers"]): boolean {
  return headers["sec-fetch-site"] === "same-origin";
}

/** Files hold no data. Another site may open the page in a tab of its own, as a link does, and only that. */
function mayLoad(headers: IncomingMessage["headers"], url: string): boolean {
  const site = headers["sec-fetch-site"];
  if (site === "same-origin" || site === "none") return true;
  const isTab = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  return url === "/" && isTab && (site === "cross-site" || site === "same-site");
}

/** Returns "" also when the cookie is there twice, because another server of this host may have set the second. */
export function cookieIn(header: string | undefined, name: string): string {
  const values = (header ?? "").split(/; */).filter((pair) => pair.startsWith(`${name}=`));
  return values.length === 1 ? values[0]!.slice(name.length + 1) : "";
}

function headersNamed({ rawHeaders }: IncomingMessage, name: string): number {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === name).length;
}

/** Compares in constant time. */
export function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}

const restart = "Press Enter in the terminal of `toolcrib console` for a new address, or start it again.";
const openHere = "Open the address that `toolcrib console` printed, in a current browser.";

function refusal(status: Refusal["status"], code: string, message: string, hint: string | null): Refusal {
  return { status, code, message, hint };
}

const wrongHost = refusal(403, "wrong-host", "The console answers only at its own address.", openHere);
const foreign = refusal(403, "foreign", "The console answers only to its own page.", openHere);
const wrongMethod = refusal(405, "wrong-method", "The console answers only GET and POST.", null);
const wrongPath = refusal(400, "wrong-path", "This address cannot exist here.", null);
const unexpectedBody = refusal(400, "unexpected-body", "A GET request has no body.", null);
const notJson = refusal(415, "not-json", "Send the content type application/json.", null);
const signedOut = refusal(401, "signed-out", "This browser is not signed in to the console.", restart);
const badCode = refusal(401, "bad-code", "The code of this address is wrong or has expired.", restart);
const usedCode = refusal(
  401,
  "bad-code",
  "The code of this address was already used.",
  "If that was not you, end the console with Ctrl-C. Otherwise press Enter in its terminal for a new address.",
);
