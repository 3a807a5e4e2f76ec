import { ToolError } from "../../../contract/error.ts";
import { kindOfAddress } from "../../../lib/network-address.ts";
import { cleanLine } from "../clean-text.ts";
import type { Fetch } from "../transport/bounded-fetch.ts";

/** Metadata and tokens are short. */
const maxBytes = 256 * 1024;
const answerMs = 20_000;

/**
 * Returns a `fetch` for the authorization server of an MCP server, which is named by that server and not trusted. It
 * follows no redirects, limits responses, and keeps only the code of an error, because the rest may repeat a token. The
 * only header that it keeps is the nonce for proofs (RFC 9449).
 */
export function authorizationFetch(server: URL, signal: AbortSignal): Fetch {
  return async (url, init) => {
    const address = new URL(url);
    refuseUnsafeAddress(address, server);
    const response = await fetch(address, {
      ...init,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
    });
    const { status } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw new ToolError("denied", `${address.origin} redirects to another address, which is not allowed`);
    }
    const text = await readText(response, address);
    const nonce = response.headers.get("dpop-nonce");
    const headers = { "content-type": "application/json", ...(nonce !== null && { "dpop-nonce": nonce }) };
    if (!response.ok) return new Response(onlyErrorCode(text), { status, headers });
    // The SDK would show the beginning of the text, which may be a token.
    if (text !== "" && jsonIn(text) === undefined)
      throw new Error(`${address.origin} returned something other than JSON`);
    return text === "" ? new Response(null, { status, headers }) : new Response(text, { status, headers });
  };
}

/** Throws `denied` unless the address uses https, or is on this machine as the MCP server itself is. */
export function refuseUnsafeAddress(address: URL, server: URL): void {
  const shown = cleanLine(`${address.protocol}//${address.host}`, 200);
  if (address.username !== "" || address.password !== "")
    throw new ToolError("denied", `The address ${shown} contains a name or password`);
  const [kind, kindOfServer] = [kindOfHost(address), kindOfHost(server)];
  if (kind !== "public" && kind !== kindOfServer)
    throw new ToolError("denied", `The server names the ${kind} address ${shown} for its login`);
  const isSecure = address.protocol === "https:" || (address.protocol === "http:" && kind === "loopback");
  if (!isSecure) throw new ToolError("denied", `The login would use ${shown}, which is not an https address`);
}

function kindOfHost({ hostname }: URL): string {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  return kindOfAddress(host) ?? "public";
}

async function readText(response: Response, { origin }: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new ToolError("too-large", `The response of ${origin} exceeds 256 KB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function onlyErrorCode(text: string): string {
  const error = (jsonIn(text) as { error?: unknown } | null | undefined)?.error;
  return JSON.stringify({
    error: typeof error === "string" && /^[a-z_]{1,40}$/.test(error) ? error : "server_error",
  });
}

/** Returns undefined when the text is not JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
