import { type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream";
import { answer } from "./http-answers.ts";

/** Lets a request go to the server at `socket`, and the server's answer come back. */
export function passOn(
  incoming: IncomingMessage,
  response: ServerResponse,
  to: { readonly socket: Socket; readonly authority: string; readonly path: string },
): void {
  const { socket, authority, path } = to;
  response.once("close", () => socket.destroy());
  incoming.on("error", () => socket.destroy());
  response.sendDate = false;
  const fail = () => {
    if (response.headersSent) response.destroy();
    else
      answer(incoming, response, {
        status: 502,
        reason: "Bad Gateway",
        text: `${authority} gave no answer that can be passed on`,
      });
  };
  const upstream = request({
    createConnection: () => socket,
    method: incoming.method ?? "GET",
    path,
    headers: ["Host", authority, ...passedOn(incoming.rawHeaders, "host")],
    setHost: false,
  });
  upstream.on("response", (answered) => {
    try {
      // How it ends, Node says anew, as the program understands it.
      const headers = passedOn(answered.rawHeaders, "transfer-encoding");
      response.writeHead(answered.statusCode ?? 502, answered.statusMessage, headers);
      pipeline(answered, response, () => {});
    } catch {
      socket.destroy();
      fail();
    }
  });
  upstream.on("error", fail);
  upstream.on("close", () => {
    if (!response.headersSent) fail();
  });
  incoming.pipe(upstream);
}

// Between a program and us, or us and a server; Node says them anew.
const ofOneHop = [
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
];

/** Headers as they were written, without those of one hop, those that `Connection` names, and one more. */
function passedOn(raw: readonly string[], but: string): string[] {
  const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]!] as const] : []));
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.toLowerCase().split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "content-length" && name !== "transfer-encoding");
  const dropped = new Set([...ofOneHop, ...named, but]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}
