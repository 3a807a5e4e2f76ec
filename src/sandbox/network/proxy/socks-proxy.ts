import type { Duplex } from "node:stream";
import { NoWay, type WayOut } from "../../../system/network/way-out.ts";
import { joinStreams } from "./join-streams.ts";
import { parseGreeting, parseLogin, parseRequest } from "./socks.ts";

/** The longest message is a login of twice 255 bytes. */
const mostBytes = 1024;

/** Speaks SOCKS 5 with a program; gives up in silence on what is not SOCKS. */
export async function serveSocks(client: Duplex, wayOut: WayOut, secret: string | undefined): Promise<void> {
  const ways = await next(client, parseGreeting);
  const way = secret === undefined ? 0 : 2;
  if (!ways?.includes(way)) return void client.end(Buffer.from([5, 0xff]));
  client.write(Buffer.from([5, way]));
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
    const upstream = await wayOut.open(request.target);
    client.write(reply(0));
    joinStreams(client, upstream);
  } catch (error) {
    client.end(reply(error instanceof NoWay ? replies[error.reason] : 1));
  }
}

const replies = { refused: 2, unknown: 4, unreachable: 5, slow: 6, busy: 1 } as const;

function reply(code: number): Buffer {
  return Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
}

type Parse<Value> = (bytes: Buffer) => "more" | "broken" | { readonly value: Value; readonly bytes: number };

/** The next message; what follows it stays in the stream. Undefined when none comes. */
function next<Value>(client: Duplex, parse: Parse<Value>): Promise<Value | undefined> {
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
