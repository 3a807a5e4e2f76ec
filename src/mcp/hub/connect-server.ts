import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { Client, ClientOptions, Transport } from "@modelcontextprotocol/client";
import { ToolError } from "../../contract/error.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { unlessAborted, untilAborted } from "../../lib/async/abort.ts";
import type { Elicit, ListedTool } from "../types.ts";
import { cleanLine, cleanText } from "./clean-text.ts";
import { listTools } from "./list-tools.ts";
import { changedFile } from "./settings/named-files.ts";
import type { ServerSettings } from "./settings/read-settings.ts";
import { boundedFetch } from "./transport/bounded-fetch.ts";
import { type RecentLines, withoutSecrets } from "./transport/recent-lines.ts";
import { repairResults } from "./transport/repair-results.ts";
import { StdioTransport } from "./transport/stdio-transport.ts";

/** A server that answers, and the tools that it has told of. */
export interface Connection {
  readonly client: Client;
  readonly listed: readonly ListedTool[];
  readonly problems: readonly string[];
  readonly version: string | undefined;
  readonly protocol: string | undefined;
  readonly pid: number | undefined;
  /** When it is there no more, and how it went. */
  readonly ended: Promise<string>;
  /** Asks for its tools again. */
  refresh(): Promise<void>;
  /** What a call failed with, in words for a model; where the server seems to be gone, the connection ends. */
  explain(error: unknown, tool: string): ToolError;
  /** May be called twice. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly workspace: string;
  readonly startRecords: string;
  readonly said: RecentLines;
  readonly onJunk: () => void;
  readonly onListChange: () => void;
  readonly elicit: Elicit | undefined;
  readonly signal: AbortSignal;
}

/** Throws when it has not told its tools in time; `not-found` where it is of no use to try again. */
export async function connectServer(settings: ServerSettings, options: ConnectOptions): Promise<Connection> {
  const sdk = await import("@modelcontextprotocol/client");
  const late = AbortSignal.timeout(settings.startTimeoutMs);
  const signal = AbortSignal.any([late, options.signal]);
  const transport = repairResults(await openTransport(sdk, settings, options));
  const client = new sdk.Client(clientInfo, clientOptions(settings, options));
  const { elicit } = options;
  if (elicit)
    client.setRequestHandler("elicitation/create", async ({ params }) => ({
      ...(await elicit({ server: settings.name, message: cleanText(params.message, 2_000), params })),
    }));
  if (settings.tellsRoots)
    client.setRequestHandler("roots/list", () => ({ roots: [rootOf(options.workspace)] }));
  const ended = Promise.withResolvers<string>();
  client.onclose = () => ended.resolve(endOf(transport));
  // Answers to nothing, and what else only a server can mend.
  client.onerror = () => {};
  const close = async () => {
    if (transport instanceof sdk.StreamableHTTPClientTransport) await leave(transport);
    await transport.close();
    ended.resolve(endOf(transport));
  };
  try {
    // Whoever does not answer must not hold the start: the deadline is ours.
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
      explain: (error, tool) => {
        const failure = explain(sdk, error, tool, settings);
        if (failure.code === "unavailable" && isGone(sdk, error)) ended.resolve("it cannot be reached");
        return failure;
      },
      close,
    };
  } catch (error) {
    const failure = await startFailure(error, late, transport, settings);
    await close();
    throw failure;
  }
}

type Sdk = typeof import("@modelcontextprotocol/client");

const clientInfo = { name: "toolcrib", version: "1" };

function clientOptions(settings: ServerSettings, { elicit, onListChange }: ConnectOptions): ClientOptions {
  const { protocol, startTimeoutMs } = settings;
  const modes = { "2025": "legacy", auto: "auto", "2026": { pin: "2026-07-28" } } as const;
  return {
    capabilities: {
      ...(settings.tellsRoots && { roots: {} }),
      ...(elicit && { elicitation: { form: { applyDefaults: true } } }),
    },
    versionNegotiation: {
      mode: modes[protocol],
      // Who is slow to tell is taken for one of the earlier era, where it may be.
      probe: { timeoutMs: protocol === "2026" ? startTimeoutMs : Math.min(3_000, startTimeoutMs) },
    },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onListChange } },
  };
}

async function openTransport(
  sdk: Sdk,
  settings: ServerSettings,
  options: ConnectOptions,
): Promise<Transport> {
  const { reach } = settings;
  if (reach.kind === "http")
    return new sdk.StreamableHTTPClientTransport(reach.url, {
      requestInit: { headers: { ...reach.headers } },
      fetch: boundedFetch(reach.url.origin),
      // However soon it wants to be asked again.
      reconnectionScheduler: (reconnect, delayMs) => {
        const timer = setTimeout(reconnect, Math.max(delayMs, leastPauseMs));
        return () => clearTimeout(timer);
      },
    });
  await refuseChanged(settings, options);
  const environment = openLocalEnvironment({ workspace: reach.cwd, startRecords: options.startRecords });
  return new StdioTransport({ ...options, reach, environment, parse: sdk.parseJSONRPCMessage });
}

/** It may have been long since it was started last. */
async function refuseChanged({ files }: ServerSettings, { workspace }: ConnectOptions): Promise<void> {
  const environment = openLocalEnvironment({ workspace });
  const changed = await changedFile(files, environment).finally(() => environment.close());
  if (changed !== undefined)
    throw new ToolError("not-found", `${cleanLine(changed, 200)} has changed since it was trusted`);
}

const leastPauseMs = 250;

function rootOf(workspace: string) {
  return { uri: pathToFileURL(workspace).href, name: basename(workspace) };
}

function versionOf(client: Client): string | undefined {
  const { name, version } = client.getServerVersion() ?? {};
  return cleanLine([name, version].join(" "), 100) || undefined;
}

function endOf(transport: Transport): string {
  return (transport instanceof StdioTransport ? transport.end : undefined) ?? "its connection was closed";
}

/** Lets the server forget the session; who does not listen is not waited for. */
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
    return new ToolError("timeout", `it did not tell its tools within ${settings.startTimeoutMs} ms`);
  const end = transport instanceof StdioTransport ? await transport.seeEnd() : undefined;
  // What shells say of a program that is not there, or cannot be run.
  if (end === "exit code 127" || end === "exit code 126")
    return new ToolError("not-found", `its program cannot be started (${end})`);
  if (end !== undefined) return new ToolError("unavailable", `it ended before it told its tools (${end})`);
  if (settings.reach.kind === "http") {
    const { origin } = settings.reach.url;
    return new ToolError("unavailable", `${origin} cannot be used: ${deepestCause(error)}`, {
      cause: error,
    });
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** Those who could not connect say so inside of those who failed by it, and some by their code alone. */
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
  const words = cleanLine(withoutSecrets(message, secrets), 500);
  if (error instanceof sdk.ProtocolError)
    return error.code === -32602
      ? new ToolError("invalid-input", `${tool} refused the call: ${words}`, {
          hint: "Mend its arguments, if they are what it means.",
        })
      : new ToolError("unavailable", `${tool} failed: ${words} (${error.code})`);
  if (error instanceof sdk.SdkError)
    switch (error.code) {
      case sdk.SdkErrorCode.ConnectionClosed:
      case sdk.SdkErrorCode.NotConnected:
      case sdk.SdkErrorCode.SendFailed:
        return new ToolError("unavailable", `The MCP server ${name} ended in the middle of the call`, {
          hint: "It is started again. Look what the call has done already before you call again.",
        });
      case sdk.SdkErrorCode.InvalidResult:
        return new ToolError("unavailable", `${tool} gave what is no result`);
      case sdk.SdkErrorCode.CapabilityNotSupported:
        return new ToolError("unsupported", `${tool} asks for what is not offered to it: ${words}`);
      default:
    }
  const hint = isGone(sdk, error) ? "Its server is connected to again: call again." : undefined;
  return new ToolError("unavailable", `${tool} failed: ${words}`, { hint });
}
