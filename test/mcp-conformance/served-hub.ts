import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { connectHub, type Hub } from "../../src/mcp/hub/connect-hub.ts";
import { logIn } from "../../src/mcp/hub/oauth/log-in.ts";
import { LoginStore } from "../../src/mcp/hub/oauth/login-store.ts";
import {
  readSettings,
  type ServerConfiguration,
  type ServerSettings,
} from "../../src/mcp/hub/settings/read-settings.ts";
import { openToolcrib, type Toolcrib } from "../../src/toolcrib/index.ts";
import { consent } from "../support/mcp/authorization-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** One scenario of the suite: the address of its server, and its variables. */
export interface ClientScenario {
  readonly url: string;
  readonly version: string | undefined;
  readonly context: string | undefined;
  readonly name: string | undefined;
}

export interface ClientResult {
  readonly output: string;
  readonly exit: number;
}

export interface ServedHub extends AsyncDisposable {
  /** The socket to which `suite-process.ts` sends its scenario. */
  readonly socket: string;
}

/** Runs the scenarios that `suite-process.ts` sends, each with a new hub, because loading the hub takes longer than a scenario. */
export async function servedHub(): Promise<ServedHub> {
  const folder = temporaryFolder();
  const socket = join(folder.path, "hub");
  const workspace = join(folder.path, "work");
  mkdirSync(workspace);
  const server = createServer({ allowHalfOpen: true }, async (connection) => {
    const scenario = (await json(connection)) as ClientScenario;
    const result: ClientResult = await runScenario(scenario, workspace).catch((error) => ({
      output: error.stack,
      exit: 1,
    }));
    connection.end(JSON.stringify(result));
  });
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(socket, resolve);
  await listening;
  return {
    socket,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The scenarios share a workspace and its journal, and no logins. */
async function runScenario(
  { url, version, context, name }: ClientScenario,
  workspace: string,
): Promise<ClientResult> {
  await using folder = temporaryFolder();
  const protocol = version === undefined ? "auto" : version >= "2026" ? "2026" : "2025";
  const stateDirectory = join(folder.path, "state");
  const server: ServerConfiguration = { url, protocol, oauth: await clientOf(url, name, context) };
  const hub = connectHub({
    workspace,
    servers: { suite: server },
    stateDirectory,
    elicit: async () => ({ action: "accept", content: {} }),
  });
  await using crib = await openToolcrib({
    workspace,
    sources: [hub],
    mode: "yolo",
    stateDirectory: join(workspace, "../state"),
    configDirectory: join(folder.path, "config"),
  });
  await hub.ready;
  const settings = readSettings("suite", server, { workspace, variables: {} }) as ServerSettings;
  let logins = 0;
  /** Does what the user does after the hint to log in: at most three times. */
  const logInAgain = async (): Promise<boolean> => {
    if (logins === 3) return false;
    logins += 1;
    await logIn(settings, {
      store: new LoginStore(stateDirectory),
      onAddress: async (address) => void (await consent(address)),
      signal: AbortSignal.timeout(30_000),
    });
    return true;
  };
  while (hub.states().some(({ login }) => login !== undefined) && (await logInAgain()))
    await hub.reconnect("suite");
  const output: string[] = [...hub.warnings];
  for (const { name, inputSchema } of await wantedCalls(hub, crib, context)) {
    const call = () => crib.call(name, argumentsFor(hub, name, inputSchema));
    let result = await call();
    while (result.content.includes("toolcrib mcp login") && (await logInAgain())) result = await call();
    output.push(`${name}: ${result.content}`);
  }
  return { output: output.join("\n"), exit: 0 };
}

/** The client that the suite has registered for the user or for Toolcrib, in the scenarios that demand one. */
async function clientOf(
  url: string,
  name: string | undefined,
  context = "{}",
): Promise<ServerConfiguration["oauth"]> {
  const given = JSON.parse(context);
  const client = { clientId: given.client_id, clientSecret: given.client_secret };
  switch (name) {
    case "auth/basic-cimd":
      return { clientId: "https://conformance-test.local/client-metadata.json" };
    case "auth/pre-registration":
      return { ...client, issuer: given.issuer };
    case "auth/client-credentials-basic":
      return { ...client, grant: "client_credentials", issuer: await issuerOf(url) };
    case "auth/client-credentials-jwt": {
      const { private_key_pem: privateKey, signing_algorithm: algorithm } = given;
      const issuer = await issuerOf(url);
      return { ...client, grant: "client_credentials", privateKey, algorithm, issuer };
    }
    case "auth/enterprise-managed-authorization": {
      const { idp_token_endpoint: tokenEndpoint, idp_client_id, idp_id_token: assertion } = given;
      const identityProvider = { tokenEndpoint, clientId: idp_client_id };
      return { ...client, grant: "jwt_bearer", assertion, identityProvider, issuer: await issuerOf(url) };
    }
    case "auth/wif-jwt-bearer":
      return { ...client, grant: "jwt_bearer", assertion: given.valid_jwt, issuer: await issuerOf(url) };
    default:
      return undefined;
  }
}

/** The suite does not say which authorization server has registered the client. A user knows it. */
async function issuerOf(url: string): Promise<string> {
  const response = await fetch(new URL("/.well-known/oauth-protected-resource/mcp", url));
  const { authorization_servers: servers } = (await response.json()) as { authorization_servers: string[] };
  return servers[0]!;
}

interface WantedCall {
  readonly name: string;
  readonly inputSchema: unknown;
}

/** The tools that the suite wants to be called, otherwise every tool of its server. */
async function wantedCalls(hub: Hub, crib: Toolcrib, context = "{}"): Promise<readonly WantedCall[]> {
  const own = new Set(hub.tools.map(({ canonical }) => canonical));
  const listed = (await crib.definitions({ which: "all" })).filter(({ canonical }) => own.has(canonical));
  const { toolCalls } = JSON.parse(context) as {
    toolCalls?: readonly { name: string; arguments: unknown }[];
  };
  if (toolCalls === undefined) return listed;
  return toolCalls.map(({ name, arguments: given }) => ({
    name: `suite__${name}`,
    inputSchema: { const: given },
  }));
}

/** One of the suite's tools checks how the schema of another arrived here. */
function argumentsFor(hub: Hub, name: string, inputSchema: unknown): unknown {
  if (!name.endsWith("json_schema_echo")) return valueFor(inputSchema);
  const focal = hub.listed("suite").find((tool) => tool.name === "json_schema_2020_12_tool");
  const [key] = Object.keys((inputSchema as { properties: object }).properties);
  return { [key!]: focal?.inputSchema };
}

/** Returns a value that fits a schema. */
function valueFor(schema: unknown): unknown {
  const {
    type,
    properties = {},
    enum: choices,
    const: only,
    default: usual,
  } = schema as {
    type?: string;
    properties?: Record<string, unknown>;
    enum?: readonly unknown[];
    const?: unknown;
    default?: unknown;
  };
  const [given] = [only, usual, choices?.[0]].filter((value) => value !== undefined);
  if (given !== undefined) return given;
  switch (type) {
    case "object":
      return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, valueFor(value)]));
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    default:
      return "text";
  }
}
