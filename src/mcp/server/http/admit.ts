import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";

/** Who may talk to a server. */
export interface Admission {
  /** What clients show as `Authorization: Bearer …`. */
  readonly token: string;
  /** Names by which the server may be called, besides addresses and `localhost`. */
  readonly hosts: readonly string[];
}

export interface HttpRefusal {
  readonly status: 401 | 403;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Why a request is not let in, if it is not. A web page that has its own name lead to this machine is known by that name, one
 * that only sends requests here by its origin, and neither knows the token.
 */
export function refusalOf(
  headers: IncomingHttpHeaders,
  { token, hosts }: Admission,
): HttpRefusal | undefined {
  const names = [...localNames, ...hosts];
  const host = validateHostHeader(headers.host, [...names, ...addressIn(headers.host)]);
  if (!host.ok) return { status: 403, message: `This server is not called that: ${host.message}` };
  const origin = validateOriginHeader(headers.origin, names);
  if (!origin.ok) return { status: 403, message: `No requests from other places: ${origin.message}` };
  if (isSame(bearerOf(headers.authorization), token)) return undefined;
  return {
    status: 401,
    message: "Send the server's token: Authorization: Bearer TOKEN",
    headers: { "www-authenticate": 'Bearer realm="toolcrib"' },
  };
}

const localNames = ["localhost", "127.0.0.1", "[::1]"];

/** Nobody can have an address lead somewhere else. */
function addressIn(host = ""): readonly string[] {
  const name = host.replace(/:\d+$/, "");
  return /^(?:\d+\.\d+\.\d+\.\d+|\[[\da-f:.]+\])$/i.test(name) ? [name] : [];
}

function bearerOf(authorization = ""): string {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
}

/** Takes as long for a token that is nearly right as for any other. */
function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}
