import { timingSafeEqual } from "node:crypto";
import { createServer, type Server } from "node:http";

export interface Redirect {
  /** The address to which the authorization server sends the browser. */
  readonly url: string;
  /** The parameters of the first redirect with the right state. */
  readonly answer: Promise<URLSearchParams>;
  close(): void;
}

/** Listens on a free port of this machine. Requests without `state` are refused and do not end the login. */
export async function receiveRedirect(state: string): Promise<Redirect> {
  const { promise: answer, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const port = portOf(server);
    const target = `http://127.0.0.1:${port}`;
    const url = URL.canParse(request.url ?? "", target) ? new URL(request.url ?? "", target) : undefined;
    const isOurs =
      request.method === "GET" &&
      // A page of another name that resolves to this machine is not the redirect.
      request.headers.host === `127.0.0.1:${port}` &&
      url?.pathname === path &&
      url.searchParams.getAll("state").length === 1 &&
      isSame(url.searchParams.get("state") ?? "", state);
    response.writeHead(isOurs ? 200 : 400, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      connection: "close",
    });
    response.end(
      isOurs ? page("Toolcrib has received the answer. You can close this page.") : page("Not found."),
    );
    if (isOurs) response.once("close", () => resolve(url.searchParams));
  });
  server.headersTimeout = 10_000;
  server.maxConnections = 20;
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject);
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  return {
    url: `http://127.0.0.1:${portOf(server)}${path}`,
    answer,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const path = "/callback";

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function page(text: string): string {
  return `<!doctype html><title>Toolcrib</title><p>${text}</p>\n`;
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
