import { request as httpRequest, type IncomingMessage } from "node:http";
import { ToolError } from "../../contract/error.ts";
import type { WebAnswer, WebRequest } from "../../contract/web.ts";
import { throwIfAborted } from "../../lib/abort.ts";
import { connectTo, type Trust } from "./connect-to.ts";
import { ended, notHttp } from "./failures.ts";
import { readBody } from "./read-body.ts";
import { Watch, type WatchLimits } from "./watch.ts";
import { placeOf } from "./web-place.ts";

/** What tests set, and nobody else needs. */
export interface ExchangeOptions extends Trust {
  readonly limits?: Partial<ExchangeLimits> | undefined;
}

interface ExchangeLimits extends WatchLimits {
  readonly headerBytes: number;
}

const usual: ExchangeLimits = { totalMs: 30_000, idleMs: 15_000, headerBytes: 64 * 1024 };

/** See Environment.exchange. A connection for each: what was judged for one call is used for no other. */
export async function exchange(request: WebRequest, options: ExchangeOptions = {}): Promise<WebAnswer> {
  throwIfAborted(request.signal);
  const place = placeOf(request.url);
  const limits = { ...usual, ...options.limits };
  const watch = new Watch(place.name, limits, request.signal);
  try {
    const connection = await connectTo(place, request, options, watch);
    try {
      const { socket } = connection;
      watch.over(socket);
      const response = await watch.during(ask(socket, request, place.name, limits.headerBytes));
      const body = await watch.during(readBody(response, request));
      return { status: response.statusCode ?? 0, headers: headersOf(response), ...body };
    } finally {
      await connection[Symbol.asyncDispose]();
    }
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw watch.reason ?? ended(place.name, error);
  } finally {
    watch.end();
  }
}

type Socket = Awaited<ReturnType<typeof connectTo>>["socket"];

function ask(
  socket: Socket,
  { url, method = "GET", headers = {}, body }: WebRequest,
  name: string,
  maxHeaderSize: number,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(ended(name, error));
    // Without an agent: no proxy of the surroundings, no connection that is kept.
    const asked = httpRequest({
      createConnection: () => socket,
      method,
      path: url.pathname + url.search,
      headers: { ...headers, host: hostHeader(url), "accept-encoding": codings, connection: "close" },
      maxHeaderSize,
    });
    asked.once("response", resolve);
    asked.once("upgrade", () => reject(notHttp(name, "it wants to speak another protocol")));
    // Also of what comes after the answer, which nobody waits for.
    asked.on("error", fail);
    asked.once("close", () => fail(new Error("it was closed")));
    asked.end(body);
  });
}

const codings = "gzip, deflate, br, zstd";

function hostHeader({ host }: URL): string {
  return host.replace(/\.+(?=:\d+$|$)/, "");
}

function headersOf({ headers }: IncomingMessage): WebAnswer["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}
