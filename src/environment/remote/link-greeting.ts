import { isRecord } from "../../lib/json/is-record.ts";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import { protocolVersion } from "./frames.ts";

/** The first frame of a client on every connection. */
export interface Hello {
  readonly protocol: number;
  readonly session: string;
  /** Only the client that created the session knows it. */
  readonly secret: string;
  /** The number of the last message that the client received. */
  readonly received: number;
}

/** Why a session cannot be continued, so that another attempt is useless. */
export type Refusal =
  /** The server of the session no longer runs. */
  | "gone"
  /** It is the session of another client. */
  | "session"
  /** The other side speaks another protocol. */
  | "protocol";

/** Parses the greeting of a client; undefined when it is not one. */
export function parseHello(body: Buffer): Hello | undefined {
  const { protocol, session, secret, received } = parseObject(body);
  return typeof protocol === "number" &&
    typeof session === "string" &&
    typeof secret === "string" &&
    isCount(received)
    ? { protocol, session, secret, received }
    : undefined;
}

/** Parses the answer of a server; undefined when it is not a welcome. */
export function parseWelcome(body: Buffer): { readonly received: number } | undefined {
  const { protocol, received } = parseObject(body);
  return protocol === protocolVersion && isCount(received) ? { received } : undefined;
}

export function parseRefusal(body: Buffer): Refusal {
  const { reason } = parseObject(body);
  return reason === "gone" || reason === "session" ? reason : "protocol";
}

function parseObject(body: Buffer): Readonly<Record<string, unknown>> {
  const value = tryParseJson(body.toString());
  return isRecord(value) ? value : {};
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
