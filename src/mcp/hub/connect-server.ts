import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { Client, ClientOptions, Transport } from "@modelcontextprotocol/client";
import { ToolError } from "../../contract/error.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { unlessAborted, untilAborted } from "../../lib/async/abort.ts";
import type { Elicit, ListedTool } from "../types.ts";
import { cleanLine, cleanText } from "./clean-text.ts";
import type { HubTimes } from "./hub-times.ts";
import { listTools } from "./list-tools.ts";
import type { LoginStore } from "./oauth/login-store.ts";
import { ProgramLogin } from "./oauth/program-login.ts";
import type { RequestLogin } from "./oauth/request-login.ts";
import { ServerLogin } from "./oauth/server-login.ts";
import { changedFile } from "./settings/named-files.ts";
import type { ServerSettings } from "./settings/read-settings.ts";
import { boundedFetch } from "./transport/bounded-fetch.ts";
import { type RecentLines, withoutSecrets } from "./transport/recent-lines.ts";
import { repairResults } from "./transport/repair-results.ts";
import { StdioTransport } from "./transport/stdio-transport.ts";

/** A connected server and its tools. */
export interface Connection {
  readonly client: Client;
  readonly listed: readonly ListedTool[];
  readonly problems: readonly string[];
  readonly version: string | undefined;
  readonly protocol: string | undefined;
  readonly pid: number | undefined;
  /** Resolves when the connection ends, with the reason. */
  readonly ended: Promise<string>;
  /** Lists the tools of the server again. */
  refresh(): Promise<void>;
  /** Converts the error of a call for the model. Ends the connection when the server seems to have ended. */
  explain(error: unknown, tool: string): Promise<ToolError>;
  /** May be called twice. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly workspace: string;
  readonly startRecords: string;
  readonly stderrLines: RecentLines;
  readonly onJunk: () => void;
  readonly onListChange: () => void;
  /** Called when the server announces other resources or prompts. */
  readonly onOffersChange: (kind: "resources" | "prompts") => void;
  /** Called when the server reports that a resource has changed. */
  readonly onResourceUpdate: (uri: string) => void;
  readonly elicit: Elicit | undefined;
  readonly times: HubTimes;
  readonly logins: LoginStore;
  readonly signal: AbortSignal;
}

/** Connects to a server and lists its tools. Throws when that fails or takes too long; `not-found` when a retry is useless. */
export async function connectServer(settings: ServerSettings, options: ConnectOptions): Promise<Connection> {
  const sdk = await import("@modelcontextprotocol/client");
  const late = AbortSignal.timeout(settings.startTimeoutMs);
  const signal = AbortSignal.any([late, options.signal]);
  const login = loginOf(sdk, settings, options.logins);
  const transport = repairResults(await openTransport(sdk, settings, options, login), login?.secrets);
  const client = new sdk.Client(clientInfo, clientOptions(settings, options));
  const { elicit } = options;
  if (elicit)
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq: { signal } }) => ({
      ...(await elicit({ server: settings.name, message: cleanText(params.message, 2_000), params, signal })),
    }));
  const root = { uri: pathToFileURL(options.workspace).href, name: basename(options.workspace) };
  if (settings.sendsRoots) client.setRequestHandler("roots/list", () => ({ roots: [root] }));
  client.setNotificationHandler("notifications/resources/updated", ({ params: { uri } }) =>
    options.onResourceUpdate(uri),
  );
  const ended = Promise.withResolvers<string>();
  client.onclose = () => ended.resolve(endOf(transport));
  // The SDK reports unrelated responses and other faults here, which only the server can fix.
  client.onerror = () => {};
  const close = async () => {
    if (transport instanceof sdk.StreamableHTTPClientTransport) await leave(transport);
    await transport.close();
    ended.resolve(endOf(transport));
  };
  try {
    // The SDK may never return when the server does not answer, so the deadline is enforced here.
    const connecting = client.connect(transport, { timeout: settings.startTimeoutMs, signal });
    await untilAborted(connecting, signal, ({ reason }) => reason);
    let list = await listTools(client, signal);
    return {
      client,
      get listed() {
        return list.tools;
      },
      get problems() {
        return list.problems;
      },
      version: versionOf(client),
      protocol: client.getNegotiatedProtocolVersion(),
      get pid() {
        return transport instanceof StdioTransport ? transport.pid : undefined;
      },
      ended: ended.promise,
      refresh: async () => {
        const deadline = AbortSignal.timeout(settings.startTimeoutMs);
        list = await listTools(client, AbortSignal.any([deadline, options.signal]));
      },
      explain: async (error, tool) => {
        const secrets = [...settings.secrets, ...(login?.secrets() ?? [])];
        const failure = (await login?.explain(error)) ?? explain(sdk, error, tool, { ...settings, secrets });
        if (failure.code === "unavailable" && isGone(sdk, error)) ended.resolve("it is not reachable");
        return failure;
      },
      close,
    };
  } catch (error) {
    const failure = (await login?.explain(error)) ?? (await startFailure(error, late, transport, settings));
    await close();
    failure.message = withoutSecrets(failure.message, login?.secrets() ?? []);
    throw failure;
  }
}

type Sdk = typeof import("@modelcontextprotocol/client");

export const clientInfo = { name: "toolcrib", version: "1" };

/** Returns how the requests to a server are authorized; undefined when its headers do that, or nothing. */
function loginOf(
  sdk: Sdk,
  { name, transport }: ServerSettings,
  logins: LoginStore,
): RequestLogin | undefined {
  if (transport.kind !== "http" || transport.oauth === undefined) return undefined;
  const { url, oauth } = transport;
  return oauth.credential === undefined
    ? new ServerLogin({ name, url }, logins, sdk)
    : new ProgramLogin({ name, url }, oauth, sdk);
}

/** Returns how the client agrees with a server on a protocol version. */
export function negotiationOf({
  protocol,
  startTimeoutMs,
}: ServerSettings): NonNullable<ClientOptions["versionNegotiation"]> {
  const modes = { "2025": "legacy", auto: "auto", "2026": { pin: "2026-07-28" } } as const;
  return {
    mode: modes[protocol],
    // A server that is slow to answer is treated as one of the earlier era, if allowed.
    probe: { timeoutMs: protocol === "2026" ? startTimeoutMs : Math.min(3_000, startTimeoutMs) },
  };
}

function clientOptions(settings: ServerSettings, options: ConnectOptions): ClientOptions {
  const { elicit, onListChange, onOffersChange } = options;
  const eager = { autoRefresh: false, debounceMs: 0 } as const;
  return {
    capabilities: {
      ...(settings.sendsRoots && { roots: {} }),
      ...(elicit && { elicitation: { form: { applyDefaults: true } } }),
    },
    versionNegotiation: negotiationOf(settings),
    listChanged: {
      tools: { ...eager, onChanged: onListChange },
      resources: { ...eager, onChanged: () => onOffersChange("resources") },
      prompts: { ...eager, onChanged: () => onOffersChange("prompts") },
    },
  };
}

async function openTransport(
  sdk: Sdk,
  settings: ServerSettings,
  options: ConnectOptions,
  login: RequestLogin | undefined,
): Promise<Transport> {
  const { transport: server } = settings;
  if (server.kind === "http") {
    const ask = boundedFetch(server.url.origin);
    return new sdk.StreamableHTTPClientTransport(server.url, {
      requestInit: { headers: { ...server.headers } },
      fetch: login?.authorizing(ask) ?? ask,
      ...(login !== undefined && { authProvider: login.provider }),
      // The server may ask for a shorter delay.
      reconnectionScheduler: (reconnect, delayMs) => {
        const timer = setTimeout(reconnect, Math.max(delayMs, leastPauseMs));
        return () => clearTimeout(timer);
      },
    });
  }
  await refuseChanged(settings, options);
  const environment = openLocalEnvironment({ workspace: server.cwd, startRecords: options.startRecords });
  return new StdioTransport({ ...options, server, environment, parse: sdk.parseJSONRPCMessage });
}

/** Throws `not-found` when a trusted file has changed since the user trusted it. */
async function refuseChanged({ files }: ServerSettings, { workspace }: ConnectOptions): Promise<void> {
  const environment = openLocalEnvironment({ workspace });
  const changed = await changedFile(files, environment).finally(() => environment.close());
  if (changed !== undefined)
    throw new ToolError("not-found", `${cleanLine(changed, 200)} has changed since it was trusted`);
}

const leastPauseMs = 250;

function versionOf(client: Client): string | undefined {
  const { name, version } = client.getServerVersion() ?? {};
  return cleanLine([name, version].join(" "), 100) || undefined;
}

function endOf(transport: Transport): string {
  return (transport instanceof StdioTransport ? transport.end : undefined) ?? "its connection was closed";
}

/** Ends the session on the server, without waiting long. */
async function leave(transport: InstanceType<Sdk["StreamableHTTPClientTransport"]>): Promise<void> {
  await unlessAborted(transport.terminateSession(), AbortSignal.timeout(1_000)).catch(() => {});
}

async function startFailure(
  error: unknown,
  late: AbortSignal,
  transport: Transport,
  settings: ServerSettings,
): Promise<Error> {
  if (late.aborted)
    return new ToolError("timeout", `it did not list its tools within ${settings.startTimeoutMs} ms`);
  const end = transport instanceof StdioTransport ? await transport.seeEnd() : undefined;
  // The exit codes of shells for a missing or unusable program.
  if (end === "exit code 127" || end === "exit code 126")
    return new ToolError("not-found", `its program cannot be started (${end})`);
  if (end !== undefined) return new ToolError("unavailable", `it ended before it listed its tools (${end})`);
  if (settings.transport.kind === "http") {
    const { origin } = settings.transport.url;
    return new ToolError("unavailable", `${origin} cannot be used: ${deepestCause(error)}`, {
      cause: error,
    });
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** Connection errors are nested, and some have only a code. */
function deepestCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return deepestCause(error.cause);
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}

function isGone(sdk: Sdk, error: unknown): boolean {
  if (error instanceof sdk.SdkHttpError) return error.data.status === 404;
  return error instanceof TypeError;
}

function explain(sdk: Sdk, error: unknown, tool: string, { name, secrets }: ServerSettings): ToolError {
  if (error instanceof ToolError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const reason = cleanLine(withoutSecrets(message, secrets), 500);
  if (error instanceof sdk.ProtocolError)
    return error.code === -32602
      ? new ToolError("invalid-input", `${tool} refused the call: ${reason}`, { hint: "Fix the arguments." })
      : new ToolError("unavailable", `${tool} failed: ${reason} (${error.code})`);
  if (error instanceof sdk.SdkError)
    switch (error.code) {
      case sdk.SdkErrorCode.ConnectionClosed:
      case sdk.SdkErrorCode.NotConnected:
      case sdk.SdkErrorCode.SendFailed:
        return new ToolError("unavailable", `The MCP server ${name} ended during the call`, {
          hint: "Check what the call has already done before you repeat it: the server is being restarted.",
        });
      case sdk.SdkErrorCode.InvalidResult:
        return new ToolError("unavailable", `${tool} returned an invalid result`);
      case sdk.SdkErrorCode.CapabilityNotSupported:
        return new ToolError(
          "unsupported",
          `${tool} needs a capability that Toolcrib does not offer: ${reason}`,
        );
      default:
    }
  const hint = isGone(sdk, error) ? "Repeat the call: the server is being reconnected." : undefined;
  return new ToolError("unavailable", `${tool} failed: ${reason}`, { hint });
}
