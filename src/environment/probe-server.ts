import type { Socket } from "node:net";

/**
 * Whether a server accepts connections, or answers a GET of this URL with a status below 500. Takes at most 5 s. `open`
 * connects to the server, or returns undefined.
 */
export async function probeServer(
  open: () => Promise<Socket | undefined>,
  { url, signal }: { readonly url?: URL | undefined; readonly signal: AbortSignal },
): Promise<boolean> {
  const socket = await open();
  if (socket === undefined) return false;
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
    return url === undefined || (await answersBelow500(url, socket, limit));
  } finally {
    socket.destroy();
  }
}

const answerMs = 5_000;

/** Redirects count and are not followed. */
async function answersBelow500(url: URL, socket: Socket, signal: AbortSignal): Promise<boolean> {
  const { get } = await import("node:http");
  // Development servers use self-signed certificates, and only the process itself can answer here.
  const stream =
    url.protocol === "https:"
      ? (await import("node:tls")).connect({ socket, servername: "localhost", rejectUnauthorized: false })
      : socket;
  return new Promise((resolve) => {
    const request = get(
      {
        createConnection: () => stream,
        path: url.pathname + url.search,
        headers: { host: url.host, accept: "*/*" },
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
