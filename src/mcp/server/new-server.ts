import {
  CLIENT_INFO_META_KEY,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import { isRecord } from "../../lib/json/is-record.ts";
import { version } from "../../system/version.ts";
import { type ClientInfo, type ToolDefinition, ToolError } from "../../toolcrib/index.ts";
import { toMcp } from "../../wire/mcp.ts";
import type { ServerIdentity, ServerInfo } from "../types.ts";
import { ApprovalQuestions } from "./approvals.ts";
import { abilitiesOf, callTool, isReadOnly } from "./call-tool.ts";
import { appExtension, appMetaOf } from "./changes-app.ts";
import { ClientLog } from "./client-log.ts";
import { serveCompletion } from "./completion.ts";
import { servePrompts } from "./prompts.ts";
import { serveResources } from "./resources.ts";
import type { ChangedList, ServedToolcrib } from "./served-toolcrib.ts";
import { serveTasks, type Task, tasksExtension } from "./tasks.ts";

export interface ServerParts extends ServerIdentity {
  readonly toolcrib: ServedToolcrib;
  readonly questions?: ApprovalQuestions;
  readonly log?: ClientLog;
  /** "http": the server has other clients, too. */
  readonly transport?: "http";
  /** "legacy": the client is of the 2025 era. It subscribes by requests that reach this server. Default: "modern". */
  readonly era?: "legacy" | "modern";
}

/**
 * Creates the server of one connection or request. This is cheap, because the served instance holds all state. The
 * server answers `initialize` before the instance is open.
 */
export function newServer({
  toolcrib: served,
  serverInfo = toolcribInfo,
  instructions,
  prompts,
  questions = new ApprovalQuestions(),
  log = new ClientLog(),
  transport,
  era = "modern",
}: ServerParts): Server {
  const server = new Server(
    { ...serverInfo },
    {
      capabilities: {
        tools: { listChanged: true },
        extensions: { [appExtension]: {}, ...(era === "modern" && { [tasksExtension]: {} }) },
        resources: { listChanged: true, ...(era === "legacy" && { subscribe: true }) },
        completions: {},
        logging: {},
        ...(prompts !== undefined && { prompts: era === "legacy" ? { listChanged: true } : {} }),
      },
      instructions,
      cacheHints,
      jsonSchemaValidator: checksNothing,
      requestState: { verify: (state, context) => questions.verify(state, context) },
    },
  );
  const introduce = (info: unknown) => served.introduce(toClient(info, transport));
  server.oninitialized = () => introduce(server.getClientVersion());
  server.setRequestHandler("tools/list", async (_request, context) => {
    const listed = isReadOnly(context)
      ? served.caller({ readOnly: true }).then((reader) => reader.definitions())
      : served.definitions();
    const { hasApps } = abilitiesOf(server, context);
    return { tools: (await listed.catch(withHint)).map((tool) => describe(tool, hasApps)) };
  });
  server.setRequestHandler("tools/call", ({ params: { name, arguments: input = {} } }, context) => {
    const envelope: Record<string, unknown> | undefined = context.mcpReq.envelope;
    // In the 2026 era each request names its client.
    if (envelope?.[CLIENT_INFO_META_KEY] !== undefined) introduce(envelope[CLIENT_INFO_META_KEY]);
    const client = abilitiesOf(server, context);
    const call = (task?: Task) =>
      served.busy(() => callTool({ name, input }, { served, questions, log }, client, context, task));
    if (!client.knowsTasks) return call();
    const { signal } = context.mcpReq;
    // The SDK passes on results of the type "task", which its types lack.
    return served.tasks.run(call, { signal, isReadOnly: isReadOnly(context) }) as ReturnType<typeof call>;
  });
  // Later clients name the level in each request.
  if (era === "legacy")
    server.setRequestHandler("logging/setLevel", ({ params: { level } }) => {
      log.setLevel(level);
      return {};
    });
  if (era === "modern")
    serveTasks(server, {
      tasks: served.tasks,
      isDeclared: (context) => abilitiesOf(server, context).knowsTasks,
      isReadOnly,
    });
  serveResources(server, { served, questions, era });
  serveCompletion(server, served, prompts && servePrompts(server, { served, questions }, prompts));
  return server;
}

/** Describes a tool. Clients that show views learn which view shows its calls. */
function describe(tool: ToolDefinition, hasApps: boolean) {
  const meta = hasApps ? appMetaOf(tool) : undefined;
  return meta === undefined ? toMcp(tool) : { ...toMcp(tool), _meta: meta };
}

/** Announces a changed list to the client. Clients of the later era get it when they listen for it. */
export function sendListChanged(server: Server, list: ChangedList): Promise<void> {
  if (list === "tools") return server.sendToolListChanged();
  return list === "resources" ? server.sendResourceListChanged() : server.sendPromptListChanged();
}

/** An error of the protocol has only a message. */
function withHint(error: unknown): never {
  if (!(error instanceof ToolError) || error.hint === undefined) throw error;
  throw new ProtocolError(ProtocolErrorCode.InternalError, `${error.message}. ${error.hint}`);
}

const toolcribInfo: ServerInfo = { name: "toolcrib", title: "Toolcrib", version };

/** The client as it names itself. */
function toClient(info: unknown, transport: "http" | undefined): ClientInfo {
  const { name, version } = isRecord(info) ? info : {};
  const text = (value: unknown) => (typeof value === "string" ? value.slice(0, 100) : undefined);
  return { kind: "mcp", name: text(name), version: text(version), transport };
}

/** The SDK's validator is slow to create and not needed: the pipeline validates. */
const checksNothing: jsonSchemaValidator = {
  getValidator<Value>(): JsonSchemaValidator<Value> {
    return (data) => ({ valid: true, data: data as Value, errorMessage: undefined });
  },
};

/** Clients may cache lists whose changes are notified. Files change at any time. */
const cacheHints = {
  "tools/list": { ttlMs: 60_000, cacheScope: "private" },
  // Changes of the user's own prompts are not notified.
  "prompts/list": { ttlMs: 5_000, cacheScope: "private" },
  "resources/read": { ttlMs: 0, cacheScope: "private" },
  "server/discover": { ttlMs: 600_000, cacheScope: "private" },
} as const;
