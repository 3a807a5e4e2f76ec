import { type HostAndPort, parseHost } from "../../../lib/net/parse-host.ts";

/** What has come so far is not all, or is not SOCKS, or is what was waited for and how many bytes it took. */
type Parsed<Value> = "more" | "broken" | { readonly value: Value; readonly bytes: number };

/** The ways to say who one is that a program knows (RFC 1928). */
export function parseGreeting(bytes: Buffer): Parsed<readonly number[]> {
  if (bytes.length < 2) return bytes.length === 1 && bytes[0] !== 5 ? "broken" : "more";
  const end = 2 + bytes[1]!;
  if (bytes[0] !== 5 || bytes[1] === 0) return "broken";
  return bytes.length < end ? "more" : { value: [...bytes.subarray(2, end)], bytes: end };
}

/** Name and password (RFC 1929). */
export function parseLogin(bytes: Buffer): Parsed<{ readonly name: string; readonly password: string }> {
  if (bytes.length > 0 && bytes[0] !== 1) return "broken";
  const name = field(bytes, 1);
  const password = name && field(bytes, 2 + name.length);
  if (!name || !password) return "more";
  return {
    value: { name: name.toString("latin1"), password: password.toString("latin1") },
    bytes: 3 + name.length + password.length,
  };
}

export interface SocksRequest {
  readonly command: number;
  /** Undefined for a host that is none, or a kind of address that nobody knows. */
  readonly target: HostAndPort | undefined;
}

export function parseRequest(bytes: Buffer): Parsed<SocksRequest> {
  if (bytes.length > 0 && bytes[0] !== 5) return "broken";
  if (bytes.length < 5) return "more";
  const [, command = 0, reserved, kind] = bytes;
  if (reserved !== 0) return "broken";
  const size = kind === 1 ? 4 : kind === 4 ? 16 : kind === 3 ? 1 + bytes[4]! : undefined;
  if (size === undefined) return "broken";
  if (bytes.length < 6 + size) return "more";
  const host = parseHost(hostOf(bytes.subarray(4, 4 + size), kind!));
  const port = bytes.readUInt16BE(4 + size);
  return {
    value: { command, target: host === undefined || port === 0 ? undefined : { host, port } },
    bytes: 6 + size,
  };
}

function hostOf(bytes: Buffer, kind: number): string {
  if (kind === 3) return bytes.subarray(1).toString("latin1");
  if (kind === 1) return bytes.join(".");
  return Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16)).join(":");
}

/** A length in one byte, and so many bytes. */
function field(bytes: Buffer, at: number): Buffer | undefined {
  const length = bytes[at];
  if (length === undefined || bytes.length < at + 1 + length) return undefined;
  return bytes.subarray(at + 1, at + 1 + length);
}
