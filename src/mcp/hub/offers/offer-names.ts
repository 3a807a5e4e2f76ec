import type { ToolSource } from "../../../contract/tool.ts";
import type { Offers } from "../../types.ts";

/** Returns the resources and prompts of the servers that an instance uses. */
export function offersOf({ sources }: { readonly sources: readonly ToolSource[] }): readonly Offers[] {
  return sources.flatMap((source) => ("offers" in source ? [source.offers as Offers] : []));
}

/** The requests of the protocol that are made as calls, so that rules decide about them and the journal records them. */
export const requestNames = ["resources/read", "prompts/get"] as const;
export type RequestName = (typeof requestNames)[number];

/** The name of such a call. No tool of a server has one with a slash. */
export function requestTool<Request extends RequestName>(
  server: string,
  request: Request,
): `${string}__${Request}` {
  return `${server}__${request}`;
}

/**
 * The address under which MCP clients see a resource of another server: `toolcrib://server/NAME/URI`. The server's own
 * address follows unchanged, so that clients can fill in templates. No server can name a resource of another one, or one
 * of Toolcrib's own, because the prefix names the server.
 */
export function offerUri(server: string, uri: string): string {
  return `${prefix}${encodeURIComponent(server)}/${uri}`;
}

/** Returns the server and its own address; undefined for other addresses. */
export function parseOfferUri(uri: string): { readonly server: string; readonly uri: string } | undefined {
  const [, name = "", own = ""] = pattern.exec(uri) ?? [];
  if (name === "" || own === "") return undefined;
  try {
    return { server: decodeURIComponent(name), uri: own };
  } catch {
    return undefined;
  }
}

/**
 * Returns whether clients send an address back unchanged. One with dots for a parent folder could become an address of
 * another server in a client that resolves them.
 */
export function isOwnUri(uri: unknown): uri is string {
  if (typeof uri !== "string" || uri.length > maxUriChars || !/^[a-z][\w+.-]*:/i.test(uri)) return false;
  return !/(?! )[\s\p{C}\\]/u.test(uri) && !/(?:^|[/?#])(?:\.|%2e){1,2}(?:[/?#]|$)/i.test(uri);
}

/** Returns the address of a link in a result; undefined for one that clients must not get. Clients load web pages themselves. */
export function linkUri(server: string, uri: string): string | undefined {
  if (/^https?:\/\//i.test(uri)) return uri;
  return isOwnUri(uri) ? offerUri(server, uri) : undefined;
}

export const maxUriChars = 2_000;

const prefix = "toolcrib://server/";
const pattern = /^toolcrib:\/\/server\/([^/]+)\/([\s\S]+)$/;
