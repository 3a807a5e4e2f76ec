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
import { type ClientInfo, ToolError } from "../../toolcrib/index.ts";
import { toMcp } from "../../wire/mcp.ts";
import type { ServerIdentity, ServerInfo } from "../types.ts";
import { ApprovalQuestions } from "./approvals.ts";
import { abilitiesOf, callTool, isReadOnly } from "./call-tool.ts";
import { listOutputs, outputTemplate, readOutput } from "./outputs.ts";
import { servePrompts } from "./prompts.ts";
import type { ServedToolcrib } from "./served-toolcrib.ts";

export interface ServerParts extends ServerIdentity {
  readonly toolcrib: ServedToolcrib;
  readonly questions?: ApprovalQuestions;
  /** "http": the server has other clients, too. */
  readonly transport?: "http";
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
  transport,
}: ServerParts): Server {
  const server = new Server(
    { ...serverInfo },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: {},
        ...(prompts !== undefined && { prompts: {}, completions: {} }),
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
    return { tools: (await listed.catch(withHint)).map(toMcp) };
  });
  server.setRequestHandler("tools/call", ({ params: { name, arguments: input = {} } }, context) => {
    const envelope: Record<string, unknown> | undefined = context.mcpReq.envelope;
    // In the 2026 era each request names its client.
    if (envelope?.[CLIENT_INFO_META_KEY] !== undefined) introduce(envelope[CLIENT_INFO_META_KEY]);
    return served.busy(() =>
      callTool({ name, input }, { served, questions }, abilitiesOf(server, context), context),
    );
  });
  server.setRequestHandler("resources/list", () => ({ resources: listOutputs(served) }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [outputTemplate] }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => readOutput(served, uri));
  if (prompts !== undefined) servePrompts(server, served, prompts);
  return server;
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

/** Clients may cache lists, because changes are notified, and stored outputs, which never change. */
const cacheHints = {
  "tools/list": { ttlMs: 60_000, cacheScope: "private" },
  // Changes of prompts are not notified.
  "prompts/list": { ttlMs: 5_000, cacheScope: "private" },
  "resources/read": { ttlMs: 600_000, cacheScope: "private" },
  "server/discover": { ttlMs: 600_000, cacheScope: "private" },
} as const;
