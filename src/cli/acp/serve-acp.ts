import { isAbsolute } from "node:path";
import {
  type AgentApp,
  type AgentCapabilities,
  type AnyMessage,
  agent,
  type ClientCapabilities,
  type InitializeRequest,
  type InitializeResponse,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type McpServer,
  methods,
  type NewSessionRequest,
  PROTOCOL_VERSION,
  RequestError,
  type Stream,
} from "@agentclientprotocol/sdk";
import { ToolError, textForUser } from "../../contract/error.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { HubOptions } from "../../mcp/hub/connect-hub.ts";
import { StdioTransport } from "../../mcp/server/stdio-transport.ts";
import { ModelError } from "../../models/model-error.ts";
import { realWorkspace } from "../../system/directories.ts";
import { version } from "../../system/version.ts";
import { liesInside } from "../../system/workspace-path.ts";
import type { ClientInfo } from "../../toolcrib/index.ts";
import type { Arguments } from "../command.ts";
import { checkFolder, withFolder } from "../config/with-target.ts";
import { withJournal } from "../log/log.ts";
import { containsHome, denyChanges, leave, untilAskedToEnd } from "../mcp/serve-stdio.ts";
import { remarkFewDescriptors } from "../report.ts";
import { remark } from "../terminal.ts";
import { AcpSession } from "./acp-session.ts";
import { replayOf } from "./replay.ts";

/** Runs `toolcrib acp`: the agent for one editor, until the editor ends. */
export async function serveAcp(given: Arguments): Promise<number> {
  // A missing folder fails here, not at the first session.
  await checkFolder(given.options);
  remarkFewDescriptors();
  const server = new AcpServer(given, (text) => remark(`toolcrib acp: ${printableLine(text)}\n`));
  const connection = server.app.connect(standardStreams(server.log));
  await Promise.race([connection.closed, untilAskedToEnd({ withParent: true })]);
  return leave(() => server.close());
}

/** Messages as lines of JSON. A line that is too long is refused, and does not end the connection. */
function standardStreams(log: (text: string) => void): Stream {
  const transport = new StdioTransport({ input: process.stdin, output: process.stdout, remark: log });
  return {
    readable: new ReadableStream({
      start: (controller) => {
        transport.onmessage = (message) => controller.enqueue(message as AnyMessage);
        transport.onclose = () => controller.close();
        return transport.start();
      },
      cancel: () => transport.close(),
    }),
    writable: new WritableStream({
      write: (message) => transport.send(message as Parameters<StdioTransport["send"]>[0]),
    }),
  };
}

/** The agent side of the protocol. */
class AcpServer {
  readonly log: (text: string) => void;
  readonly #given: Arguments;
  readonly #sessions = new Map<string, AcpSession>();
  #client: ClientCapabilities = {};
  #editor: ClientInfo = { kind: "acp" };
  #isClosed = false;

  constructor(given: Arguments, log: (text: string) => void) {
    this.#given = given;
    this.log = log;
  }

  get app(): AgentApp {
    const { session } = methods.agent;
    return agent({ name: "toolcrib" })
      .onRequest(methods.agent.initialize, ({ params }) => this.#initialize(params))
      .onRequest(methods.agent.authenticate, () => {
        throw RequestError.invalidParams(
          undefined,
          "There is no such method. Set up a model: toolcrib models",
        );
      })
      .onRequest(session.new, async ({ params, client }) => {
        const opened = await this.#open(params, client);
        setImmediate(() => void opened.introduce().catch(() => {}));
        return { sessionId: opened.id, modes: opened.modes };
      })
      .onRequest(session.load, async ({ params, client }) => {
        const opened = await this.#resume(params, client);
        for (const update of await replayOf(opened.session, opened.folder)) await opened.send(update);
        setImmediate(() => void opened.introduce().catch(() => {}));
        return { modes: opened.modes };
      })
      .onRequest(session.resume, async ({ params, client }) => {
        const opened = await this.#resume({ ...params, mcpServers: params.mcpServers ?? [] }, client);
        setImmediate(() => void opened.introduce().catch(() => {}));
        return { modes: opened.modes };
      })
      .onRequest(session.list, ({ params }) => plainly(() => this.#list(params)))
      .onRequest(session.setMode, ({ params }) =>
        plainly(async () => {
          this.#find(params.sessionId).setMode(params.modeId);
          return {};
        }),
      )
      .onRequest(session.prompt, ({ params, signal }) =>
        plainly(() => this.#find(params.sessionId).prompt(params.prompt, signal)),
      )
      .onRequest(session.close, async ({ params }) => {
        await this.#closeSession(this.#find(params.sessionId).id);
        return {};
      })
      .onNotification(session.cancel, async ({ params }) => {
        await this.#sessions.get(params.sessionId)?.cancel();
      });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#sessions.keys()].map((id) => this.#closeSession(id)));
  }

  #initialize({ clientCapabilities = {}, clientInfo }: InitializeRequest): InitializeResponse {
    this.#client = clientCapabilities;
    this.#editor = {
      kind: "acp",
      name: clientInfo?.name.slice(0, 100),
      version: clientInfo?.version.slice(0, 100),
    };
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "toolcrib", title: "Toolcrib", version },
      agentCapabilities: capabilities,
      authMethods: clientCapabilities.auth?.terminal ? [setupInTerminal] : [],
    };
  }

  #find(sessionId: string): AcpSession {
    const found = this.#sessions.get(sessionId);
    if (found) return found;
    throw RequestError.sessionNotFound(sessionId);
  }

  async #open(
    params: NewSessionRequest,
    client: Parameters<typeof AcpSession.open>[0]["client"],
    resume?: string,
  ): Promise<AcpSession> {
    const folder = this.#folderIn(params);
    const opened = await plainly(async () => {
      return AcpSession.open({
        given: await inFolder(this.#given, folder),
        folder,
        client,
        editor: this.#editor,
        servers: toConfigurations(params.mcpServers),
        resume,
        hasNotices: this.#client.session?.notices != null,
        log: this.log,
      });
    });
    this.#sessions.set(opened.id, opened);
    // The client may have left while the session opened.
    if (this.#isClosed) await this.#closeSession(opened.id);
    return opened;
  }

  async #resume(
    params: NewSessionRequest & { readonly sessionId: string },
    client: Parameters<typeof AcpSession.open>[0]["client"],
  ): Promise<AcpSession> {
    const { sessionId } = params;
    const options = await plainly(() => withFolder(this.#given.options, this.#folderIn(params)));
    const isKnown = await withJournal({ options, operands: [] }, ({ conversations }) =>
      conversations.list().some(({ session }) => session === sessionId),
    );
    if (!isKnown) throw RequestError.sessionNotFound(sessionId);
    if (this.#sessions.has(sessionId)) await this.#closeSession(sessionId);
    return this.#open(params, client, sessionId);
  }

  async #closeSession(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.close();
  }

  /** Lists the sessions of a folder; without one, those of the folder in which the editor started this program. */
  async #list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    const folder = this.#folderIn({
      cwd: cwd ?? this.#given.options.get("workspace") ?? process.cwd(),
    });
    const from = Number(/^\d{1,9}$/.exec(cursor ?? "")?.[0] ?? 0);
    const { listedSessions } = await import("../session/stored-sessions.ts");
    const options = await withFolder(this.#given.options, folder);
    return withJournal({ options, operands: [] }, (journal) => {
      const found = listedSessions(journal, from + pageSize + 1).slice(from);
      return {
        sessions: found.slice(0, pageSize).map(({ session, lastAt, task }) => ({
          sessionId: session,
          cwd: folder,
          title: titleOf(task),
          updatedAt: new Date(lastAt).toISOString(),
        })),
        nextCursor: found.length > pageSize ? String(from + pageSize) : undefined,
      };
    });
  }

  /** Returns the real folder of a session, which the editor shows. `--workspace` limits it. */
  #folderIn({
    cwd,
    additionalDirectories = [],
  }: Pick<NewSessionRequest, "cwd" | "additionalDirectories">): string {
    if (!isAbsolute(cwd)) throw RequestError.invalidParams({ cwd }, "`cwd` must be an absolute path.");
    if (additionalDirectories.length > 0)
      throw RequestError.invalidParams(undefined, "Additional directories are not supported.");
    const folder = inPlainWords(() => realWorkspace(cwd));
    const root = this.#given.options.get("workspace");
    if (root === undefined || liesInside(folder, realWorkspace(root))) return folder;
    throw RequestError.invalidParams(
      { cwd },
      `${cwd} lies outside ${root}, to which --workspace limits this agent.`,
    );
  }
}

const pageSize = 50;

const capabilities: AgentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: false, embeddedContext: true },
  mcpCapabilities: { http: true, sse: false },
  sessionCapabilities: { list: {}, resume: {}, close: {} },
};

const setupInTerminal = {
  type: "terminal",
  id: "models",
  name: "Set up a model",
  description: "Shows the available models and how to add one.",
  args: ["--setup"],
} as const;

function titleOf(task: string): string {
  const line = printableLine(task.slice(0, 400).replace(/\s+/g, " ").trim());
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/**
 * Returns the options of a session in this folder, or on its target. Editors without an open project name the home folder,
 * which the user did not choose: there, nothing is changed.
 */
async function inFolder({ options, operands }: Arguments, folder: string): Promise<Arguments> {
  const place = await withFolder(options, folder);
  const isTooWide = !options.has("workspace") && !place.has("target") && containsHome(folder);
  const limits = isTooWide ? denyChanges(`the editor opened ${folder}, not a project folder`) : [];
  const rules = [...limits, ...(options.get("rule")?.split("\n") ?? [])];
  const added = rules.length > 0 ? ([["rule", rules.join("\n")]] as const) : [];
  return { options: new Map([...place, ...added]), operands };
}

/** The editor's MCP servers count as configured by the user. Their tools obey the rules like all others. */
function toConfigurations(servers: readonly McpServer[]): HubOptions["servers"] {
  return Object.fromEntries(
    servers.map((server) => {
      const pairs = (list: readonly { name: string; value: string }[]) =>
        Object.fromEntries(list.map(({ name, value }) => [name, value]));
      if ("command" in server)
        return [server.name, { command: server.command, args: server.args, env: pairs(server.env) }];
      return [server.name, { type: server.type, url: server.url, headers: pairs(server.headers) }];
    }),
  );
}

/** Turns errors into messages for the user of the editor. */
async function plainly<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toRequestError(error);
  }
}

function inPlainWords<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw toRequestError(error);
  }
}

function toRequestError(error: unknown): unknown {
  if (!(error instanceof ToolError || error instanceof ModelError)) return error;
  const { message, hint } = error instanceof ToolError ? textForUser(error) : error;
  const text = [message.replace(/\.?$/, "."), hint].filter(Boolean).join("\n");
  const isSetup = error instanceof ModelError ? error.code === "auth" : error.details?.kind === "no-model";
  if (isSetup) return new RequestError(-32000, text);
  return error instanceof ToolError && error.code === "invalid-input"
    ? new RequestError(-32602, text)
    : new RequestError(-32603, text);
}
