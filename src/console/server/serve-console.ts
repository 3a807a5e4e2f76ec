import { createServer, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { readModelSettings } from "../../agent/read-model-settings.ts";
import { ToolError } from "../../contract/error.ts";
import type { ModelSettings } from "../../models/settings.ts";
import { errnoOf } from "../../system/file-errors.ts";
import { Follower } from "./follower.ts";
import { Gate, type Refusal, securityHeaders } from "./gate.ts";
import { LiveSessions } from "./live-sessions.ts";
import { Questions } from "./questions.ts";
import { routes } from "./routes.ts";
import type { ConsoleServices } from "./services.ts";
import { Sessions } from "./sessions.ts";
import { Undos } from "./undo.ts";
import { notifyWebhook } from "./webhook.ts";
import { Workspaces } from "./workspaces.ts";

export interface ConsoleOptions extends ConsoleServices {
  /** 0 picks a free port. */
  readonly port: number;
  /** The clock of the one-time code. Default: Date.now. */
  readonly now?: () => number;
  /** The time to send a whole request. Default: 20 s. */
  readonly requestMs?: number;
  /** How long an instance for undo stays open. Default: 60 s. */
  readonly idleMs?: number;
}

export interface ServedConsole {
  readonly port: number;
  /** Returns an address with a new one-time code. */
  newAddress(): string;
  /** Ends all connections. May be called twice. */
  close(): Promise<void>;
}

/** Serves the console on this machine, to browsers that were given an address by `newAddress`. */
export async function serveConsole(options: ConsoleOptions): Promise<ServedConsole> {
  const { port, now, requestMs = 20_000, idleMs, ...services } = options;
  const workspaces = new Workspaces(services.directories.state);
  const live = new LiveSessions(workspaces, services);
  const sessions = new Sessions(workspaces, live, await modelSettings(services.directories.config));
  const questions = new Questions(workspaces, services.directories.config);
  const follower = new Follower({ version: services.version, workspaces, sessions, questions, live });
  const undos = new Undos(workspaces, services, { idleMs });
  const listening = await listen(port, requestMs);
  const gate = new Gate({ port: listening.port, now });
  const app = routes({ ...services, gate, workspaces, follower, questions, sessions, live, undos });
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const { server } = listening;
  server.on("request", (request, response) => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    const admitted = gate.admit(request);
    if (typeof admitted !== "string") return refuse(response, admitted);
    request.url = admitted;
    void answer(request, response).catch(() => response.destroy());
  });
  if (services.webhook !== undefined) notifyWebhook(services.webhook, follower);
  let closed: Promise<void> | undefined;
  const close = async () => {
    const ended = new Promise((resolve) => server.close(resolve));
    follower.close();
    live.close();
    server.closeAllConnections();
    await Promise.all([ended, undos.close()]);
    workspaces.close();
  };
  return {
    port: listening.port,
    newAddress: () => `${gate.origin}/#code=${gate.newCode()}`,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** Only prices are needed of the settings, so a mistake in them must not stop the console. */
function modelSettings(config: string): Promise<ModelSettings> {
  return readModelSettings(config).catch(() => ({}));
}

/** Slow and idle connections end soon, because every process on this machine can open some. */
async function listen(port: number, requestMs: number) {
  const server = createServer({
    headersTimeout: requestMs / 2,
    requestTimeout: requestMs,
    keepAliveTimeout: requestMs / 2,
    connectionsCheckingInterval: Math.min(requestMs / 4, 1_000),
    maxHeaderSize: 16 * 1024,
  });
  server.maxConnections = 200;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(cannotListen(port, cause)));
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("The server does not listen on a port");
  return { server, port: address.port };
}

function cannotListen(port: number, cause: Error): ToolError {
  const isUsed = errnoOf(cause) === "EADDRINUSE";
  const reason = isUsed ? `Port ${port} is in use.` : `Port ${port} cannot be opened: ${cause.message}`;
  return new ToolError("unavailable", reason, {
    hint: "Use a free port: toolcrib console --port 0",
    cause,
  });
}

/** The rest of the request is not read. */
function refuse(response: ServerResponse, { status, code, message, hint }: Refusal): void {
  const headers = { "content-type": "application/json", connection: "close" };
  response.writeHead(status, headers).end(JSON.stringify({ error: { code, message, hint } }));
}
