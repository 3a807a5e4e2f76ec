import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import { getRequestListener } from "@hono/node-server";
import { readModelSettings } from "../../agent/read-model-settings.ts";
import { ToolError } from "../../contract/error.ts";
import type { ModelSettings } from "../../models/settings.ts";
import { errnoOf } from "../../system/file-errors.ts";
import { makeCertificate, type OwnCertificate } from "./certificate.ts";
import { Fleets } from "./fleets.ts";
import { Follower } from "./follower.ts";
import { Gate, type Refusal, securityHeaders } from "./gate.ts";
import { LiveSessions } from "./live-sessions.ts";
import { Pairing, type PairingEvent } from "./pairing.ts";
import { Questions } from "./questions.ts";
import { type ConsoleParts, routes } from "./routes.ts";
import type { ConsoleServices } from "./services.ts";
import { Sessions } from "./sessions.ts";
import { Undos } from "./undo.ts";
import { notifyWebhook } from "./webhook.ts";
import { Workspaces } from "./workspaces.ts";

export interface ConsoleOptions extends ConsoleServices {
  /** 0 picks a free port. */
  readonly port: number;
  /** Also lets devices in that can reach this IPv4 address, over TLS and with a code. Default: none. */
  readonly pair?: PairOptions | undefined;
  /** The clock of the one-time codes. Default: Date.now. */
  readonly now?: () => number;
  /** The time to send a whole request. Default: 20 s. */
  readonly requestMs?: number;
  /** How long an instance for undo stays open. Default: 60 s. */
  readonly idleMs?: number;
}

interface PairOptions {
  readonly host: string;
  readonly onEvent: (event: PairingEvent) => void;
}

export interface ServedConsole {
  readonly port: number;
  /** Returns an address with a new one-time code. */
  newAddress(): string;
  /** For other devices; undefined without `pair`. */
  readonly pairing: ServedPairing | undefined;
  /** Ends all connections. May be called twice. */
  close(): Promise<void>;
}

export interface ServedPairing {
  readonly address: string;
  /** The SHA-256 of the certificate. */
  readonly fingerprint: string;
  /** Returns a new code for one device. */
  newCode(): string;
}

/** Serves the console on this machine, to browsers that were given an address by `newAddress`. */
export async function serveConsole(options: ConsoleOptions): Promise<ServedConsole> {
  const { port, pair, now, requestMs = 20_000, idleMs, ...services } = options;
  const workspaces = new Workspaces(services.directories.state);
  const live = new LiveSessions(workspaces, services);
  const sessions = new Sessions(workspaces, live, await modelSettings(services.directories.config));
  const questions = new Questions(workspaces, services);
  const follower = new Follower({ version: services.version, workspaces, sessions, questions, live });
  const undos = new Undos(workspaces, services, { idleMs });
  const fleets = new Fleets(services.openFleets);
  const parts = { ...services, workspaces, follower, questions, sessions, live, undos, fleets };
  const own = await listen({ host: "127.0.0.1", port, requestMs });
  const gate = new Gate({ origin: `http://127.0.0.1:${own.port}`, now });
  own.server.on("request", answerWith(parts, gate));
  const servers = [own.server];
  const close = async () => {
    const ended = servers.map((server) => new Promise((resolve) => server.close(resolve)));
    follower.close();
    live.close();
    for (const server of servers) server.closeAllConnections();
    await Promise.all([...ended, undos.close(), fleets.close()]);
    workspaces.close();
  };
  let closed: Promise<void> | undefined;
  let pairing: ServedPairing | undefined;
  try {
    if (pair !== undefined) {
      const served = await servePairing(pair, { parts, now, requestMs });
      servers.push(served.server);
      pairing = served.pairing;
    }
  } catch (error) {
    await close();
    throw error;
  }
  if (services.webhook !== undefined) notifyWebhook(services.webhook, follower);
  return {
    port: own.port,
    pairing,
    newAddress: () => `${gate.origin}/#code=${gate.newCode()}`,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** Serves the same console to other devices, with a certificate for this run and cookies of its own. */
async function servePairing(
  { host, onEvent }: PairOptions,
  {
    parts,
    now,
    requestMs,
  }: { parts: Omit<ConsoleParts, "gate">; now?: (() => number) | undefined; requestMs: number },
) {
  const certificate = makeCertificate(host);
  const { server, port } = await listen({ host, port: 0, requestMs, certificate });
  const gate = new Gate({ origin: `https://${host}:${port}`, now });
  const pairing = new Pairing(gate, { now, onEvent });
  server.on("request", answerWith(parts, gate, pairing));
  const { fingerprint } = certificate;
  return { server, pairing: { address: gate.origin, fingerprint, newCode: () => pairing.newCode() } };
}

/** Answers what the gate admits; with `pairing`, only to devices that were let in. */
function answerWith(parts: Omit<ConsoleParts, "gate">, gate: Gate, pairing?: Pairing): RequestListener {
  const answer = getRequestListener(routes({ ...parts, gate }).fetch, { overrideGlobalObjects: false });
  const admit = (request: IncomingMessage, response: ServerResponse) => {
    const admitted = gate.admit(request);
    if (typeof admitted !== "string") return refuse(response, admitted);
    request.url = admitted;
    void answer(request, response).catch(() => response.destroy());
  };
  return (request, response) => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    if (pairing === undefined) return admit(request, response);
    void pairing
      .answer(request, response)
      .then((answered) => {
        if (answered === "paired") admit(request, response);
        else if (answered !== "answered") refuse(response, answered);
      })
      .catch(() => response.destroy());
  };
}

/** Only prices are needed of the settings, so a mistake in them must not stop the console. */
function modelSettings(config: string): Promise<ModelSettings> {
  return readModelSettings(config).catch(() => ({}));
}

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly requestMs: number;
  /** Default: no TLS. */
  readonly certificate?: OwnCertificate;
}

/** Slow and idle connections end soon, because every process on this machine can open some. */
async function listen({ host, port, requestMs, certificate }: ListenOptions) {
  const limits = {
    headersTimeout: requestMs / 2,
    requestTimeout: requestMs,
    keepAliveTimeout: requestMs / 2,
    connectionsCheckingInterval: Math.min(requestMs / 4, 1_000),
    maxHeaderSize: 16 * 1024,
  };
  const server: Server =
    certificate === undefined
      ? createServer(limits)
      : createTlsServer({
          ...limits,
          handshakeTimeout: requestMs / 2,
          key: certificate.key,
          cert: certificate.certificate,
          minVersion: "TLSv1.3",
        });
  server.maxConnections = 200;
  endOldestIdle(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(cannotListen(host, port, cause)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("The server does not listen on a port");
  return { server, port: address.port };
}

/**
 * Ends the connection that has been idle longest when there are many: others could not connect otherwise. A connection
 * with TLS is two sockets, with one address.
 */
function endOldestIdle(server: Server): void {
  const idle = new Map<string, Socket>();
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  const rest = (socket: Socket) => {
    if (socket.destroyed) return;
    idle.set(nameOf(socket), socket);
    const [oldest] = idle.values();
    if (idle.size > maxIdle) oldest?.destroy();
  };
  server.on("connection", (socket: Socket) => {
    const name = nameOf(socket);
    socket.once("close", () => idle.delete(name));
    rest(socket);
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(nameOf(socket));
    response.once("close", () => rest(socket));
  });
}

type Socket = IncomingMessage["socket"];

const maxIdle = 100;

function cannotListen(host: string, port: number, cause: Error): ToolError {
  if (errnoOf(cause) === "EADDRNOTAVAIL")
    return new ToolError("invalid-input", `${host} is not an address of this machine.`, {
      hint: "Run: toolcrib console --pair",
      cause,
    });
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
