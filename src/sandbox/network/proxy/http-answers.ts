import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { NoWay } from "../../../system/network/way-out.ts";

/** What the proxy itself says to a program. */
export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly text: string;
}

export function answerTo(error: unknown): Answer {
  if (!(error instanceof NoWay))
    return { status: 502, reason: "Bad Gateway", text: "The request cannot be sent" };
  return { ...statuses[error.reason], text: error.message };
}

export function answer(incoming: IncomingMessage, response: ServerResponse, said: Answer): void {
  if (response.destroyed) return;
  response.sendDate = false;
  // What is left of the request would be taken for the next one.
  response.shouldKeepAlive &&= incoming.complete;
  response.writeHead(said.status, said.reason, headersOf(said)).end(`${said.text}\n`);
}

/** The same on a connection that was to become a tunnel. */
export function endWith(client: Duplex, said: Answer): void {
  const headers = Object.entries({ ...headersOf(said), Connection: "close" });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  client.end(`HTTP/1.1 ${said.status} ${said.reason}\r\n${lines.join("")}\r\n${said.text}\n`);
}

function headersOf({ status, text }: Answer): Record<string, string | number> {
  const plain = { "Content-Type": "text/plain", "Content-Length": text.length + 1 };
  return status === 407 ? { ...plain, "Proxy-Authenticate": "Basic" } : plain;
}

const statuses = {
  refused: { status: 403, reason: "Refused by the rules of Toolcrib" },
  unknown: { status: 502, reason: "Host not found" },
  unreachable: { status: 502, reason: "Host not reached" },
  busy: { status: 503, reason: "Too many connections" },
  slow: { status: 504, reason: "Host did not answer" },
} as const;
