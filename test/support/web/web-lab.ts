import { once } from "node:events";
import { createServer as createSecureServer } from "node:tls";
import { ToolError } from "../../../src/contract/error.ts";
import type { WebAnswer, WebRequest } from "../../../src/contract/web.ts";
import { type ExchangeOptions, exchange } from "../../../src/environment/web/exchange.ts";
import { certificate, certificateKey } from "../network/certificate.ts";
import { type Listening, listen, listening } from "../network/proxy-lab.ts";

/** A server that reads one request, sends these pieces one after the other, and closes unless `stays` is set. */
export interface WebServer extends Listening {
  /** The requests as received, with the server name of a TLS connection. */
  readonly requests: string[];
}

export async function serve(
  pieces: readonly (string | Uint8Array)[],
  options: { readonly stays?: boolean; readonly host?: string } = {},
): Promise<WebServer> {
  const requests: string[] = [];
  const server = await listen(async (socket) => {
    const [request] = await once(socket, "data");
    requests.push(String(request));
    for (const piece of pieces) socket.write(piece);
    if (!options.stays) socket.end();
  }, options);
  return { ...server, requests };
}

/** The same for https, with a self-signed certificate for secure.example. */
export async function serveSecurely(pieces: readonly (string | Uint8Array)[]): Promise<WebServer> {
  const requests: string[] = [];
  const server = createSecureServer({ cert: certificate, key: certificateKey }, async (socket) => {
    socket.on("error", () => {});
    const [request] = await once(socket, "data");
    requests.push(`${socket.servername} ${request}`);
    for (const piece of pieces) socket.write(piece);
    socket.end();
  });
  server.on("tlsClientError", () => {});
  return { ...(await listening(server)), requests };
}

/** Makes a request that may connect anywhere; returns an error as text. */
export async function ask(
  url: string,
  { signal, ...request }: Partial<WebRequest> = {},
  options: ExchangeOptions = {},
): Promise<WebAnswer | { readonly error: string; readonly hint?: string | undefined }> {
  try {
    return await exchange(
      {
        url: new URL(url),
        maxBytes: 1_000_000,
        mayConnect: () => true,
        signal: signal ?? new AbortController().signal,
        ...request,
      },
      options,
    );
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { error: `${error.code}: ${error.message}`, hint: error.hint };
  }
}
