import type { Duplex } from "node:stream";
import { type HostAndPort, parseHost } from "../../../lib/network-address.ts";
import { ConnectionError, type OutboundNetwork } from "../../../system/network-policy.ts";
import { joinStreams } from "./join-streams.ts";

/** The longest message is a login of twice 255 bytes. */
const mostBytes = 1024;

/** Serves a client by SOCKS 5. Closes the connection when the client does not speak it. */
export async function serveSocks(
  client: Duplex,
  network: OutboundNetwork,
  secret: string | undefined,
): Promise<void> {
  const methods = await next(client, parseGreeting);
  const method = secret === undefined ? 0 : 2;
  if (!methods?.includes(method)) return void client.end(Buffer.from([5, 0xff]));
  client.write(Buffer.from([5, method]));
  if (secret !== undefined) {
    const login = await next(client, parseLogin);
    if (login?.name !== "toolcrib" || login.password !== secret) return void client.end(Buffer.from([1, 1]));
    client.write(Buffer.from([1, 0]));
  }
  const request = await next(client, parseRequest);
  if (request === undefined) return void client.destroy();
  if (request.command !== 1) return void client.end(reply(7));
  if (request.target === undefined) return void client.end(reply(2));
  try {
    const upstream = await network.open(request.target);
    client.write(reply(0));
    joinStreams(client, upstream);
  } catch (error) {
    client.end(reply(error instanceof ConnectionError ? replies[error.reason] : 1));
  }
}

const replies = { refused: 2, unknown: 4, unreachable: 5, slow: 6, busy: 1 } as const;

function reply(code: number): Buffer {
  return Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
}

/** Reads the next message and leaves the data after it in the stream; undefined when none arrives. */
function next<Value>(client: Duplex, parse: (bytes: Buffer) => Parsed<Value>): Promise<Value | undefined> {
  return new Promise((resolve) => {
    let held: Buffer = Buffer.alloc(0);
    const done = (value: Value | undefined) => {
      client.off("readable", read);
      client.off("end", giveUp);
      client.off("close", giveUp);
      resolve(value);
    };
    const giveUp = () => done(undefined);
    const read = () => {
      const piece: Buffer | null = client.read();
      if (piece === null) return;
      held = Buffer.concat([held, piece]);
      const parsed = parse(held);
      if (parsed === "more" && held.length <= mostBytes) return;
      if (typeof parsed === "string") return giveUp();
      const rest = held.subarray(parsed.bytes);
      done(parsed.value);
      if (rest.length > 0) client.unshift(rest);
    };
    client.on("readable", read);
    client.on("end", giveUp);
    client.on("close", giveUp);
    read();
  });
}

/** "more": the message is incomplete. "broken": it is not SOCKS. `bytes`: the length of the message. */
type Parsed<Value> = "more" | "broken" | { readonly value: Value; readonly bytes: number };

/** Parses the authentication methods that a client offers (RFC 1928). */
export function parseGreeting(bytes: Buffer): Parsed<readonly number[]> {
  if (bytes.length < 2) return bytes.length === 1 && bytes[0] !== 5 ? "broken" : "more";
  const end = 2 + bytes[1]!;
  if (bytes[0] !== 5 || bytes[1] === 0) return "broken";
  return bytes.length < end ? "more" : { value: [...bytes.subarray(2, end)], bytes: end };
}

/** Parses name and password (RFC 1929). */
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

interface SocksRequest {
  readonly command: number;
  /** Undefined for an invalid host or port. */
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

/** Returns a field: a length in one byte, and as many bytes. */
function field(bytes: Buffer, at: number): Buffer | undefined {
  const length = bytes[at];
  if (length === undefined || bytes.length < at + 1 + length) return undefined;
  return bytes.subarray(at + 1, at + 1 + length);
}
