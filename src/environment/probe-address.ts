import { connect } from "node:net";
import type { HostAndPort } from "../lib/network-address.ts";

/** Whether an address accepts connections, or answers a GET of this URL with a status below 500. Takes at most 5 s. */
export function probeAddress(
  address: HostAndPort,
  { url, signal }: { readonly url?: URL | undefined; readonly signal: AbortSignal },
): Promise<boolean> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  return url === undefined ? accepts(address, limit) : answersBelow500(url, address, limit);
}

const answerMs = 5_000;

function accepts({ host, port }: HostAndPort, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}

/** Redirects count and are not followed. */
async function answersBelow500(url: URL, { host, port }: HostAndPort, signal: AbortSignal): Promise<boolean> {
  const { get } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  return new Promise((resolve) => {
    const request = get(
      {
        host,
        port,
        path: url.pathname + url.search,
        headers: { host: url.host, accept: "*/*" },
        agent: false,
        // Development servers use self-signed certificates, and only the process itself can answer here.
        rejectUnauthorized: false,
        signal,
      },
      (response) => {
        response.destroy();
        resolve((response.statusCode ?? 500) < 500);
      },
    );
    request.once("error", () => resolve(false));
  });
}
