import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { ToolError } from "../contract/error.ts";
import { errnoOf } from "../system/file-errors.ts";
import type { FleetMetrics } from "./metrics.ts";

export interface MetricsOptions {
  readonly metrics: Pick<FleetMetrics, "render" | "ping">;
  /** 0 picks a free port. */
  readonly port: number;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
}

export interface ServedMetrics extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:9464` */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` for Prometheus, `/healthz` (the database answers) and `/livez` (this process answers; also without a
 * database, so that a restart of the database restarts no worker). On a loopback address, requests for another host name
 * are refused, so that no web page can read them through DNS.
 */
export async function serveMetrics({
  metrics,
  port,
  host = "127.0.0.1",
}: MetricsOptions): Promise<ServedMetrics> {
  if (!/^[\d.]+$|:/.test(host))
    throw new ToolError("invalid-input", `--metrics-host must be an IP address, not "${host}"`, {
      hint: "For example: --metrics-host 0.0.0.0",
    });
  const render = shared(() => metrics.render());
  const ping = shared(() => metrics.ping());
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    void answer(request, { isLoopback: isLoopback(host), render, ping }).then(
      ({ status, type = "text/plain; charset=utf-8", body }) => send(response, status, type, body),
      () => send(response, 503, "text/plain; charset=utf-8", "The database does not answer.\n"),
    );
  });
  server.maxConnections = 50;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(cannotListen(host, port, cause)));
    server.listen(port, host, resolve);
  });
  const close = async () => {
    const ended = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await ended;
  };
  const { port: opened } = server.address() as { port: number };
  return {
    port: opened,
    address: `http://${host.includes(":") ? `[${host}]` : host}:${opened}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}

async function answer(
  { method, url = "", headers }: IncomingMessage,
  given: { isLoopback: boolean; render: () => Promise<string>; ping: () => Promise<void> },
): Promise<Answer> {
  if (given.isLoopback && !/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(headers.host ?? ""))
    return { status: 403, body: "Wrong host name.\n" };
  if (method !== "GET" && method !== "HEAD") return { status: 405, body: "Only GET.\n" };
  const [path] = url.split("?", 1);
  if (path === "/metrics")
    return { status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: await given.render() };
  if (path === "/livez") return { status: 200, body: "ok\n" };
  if (path !== "/healthz") return { status: 404, body: "Not found.\n" };
  await given.ping();
  return { status: 200, body: "ok\n" };
}

/** Requests at the same time share one set of queries, which fails when it takes too long. */
function shared<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | undefined;
  return () => {
    if (current !== undefined) return current;
    const { promise: late, reject } = Promise.withResolvers<Result>();
    const timer = setTimeout(() => reject(new Error("The database is too slow")), 8_000);
    current = Promise.race([work(), late]).finally(() => {
      clearTimeout(timer);
      current = undefined;
    });
    return current;
  };
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "x-content-type-options": "nosniff" }).end(body);
}

function isLoopback(host: string): boolean {
  return host.startsWith("127.") || host === "::1";
}

function cannotListen(host: string, port: number, cause: Error): ToolError {
  const isUsed = errnoOf(cause) === "EADDRINUSE";
  return new ToolError(
    "unavailable",
    isUsed
      ? `Port ${port} of ${host} is in use.`
      : `Port ${port} of ${host} cannot be opened: ${cause.message}`,
    { hint: "Use a free port: --metrics-port 0", cause },
  );
}
