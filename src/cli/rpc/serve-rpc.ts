import * as z from "zod/mini";
import type { AgentEvent } from "../../agent/event.ts";
import type { Session } from "../../agent/session.ts";
import type { CallEvent } from "../../contract/call.ts";
import { ToolError } from "../../contract/error.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { PolicyMode } from "../../policy/policy.ts";
import { realWorkspace } from "../../system/directories.ts";
import { version } from "../../system/version.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { withoutApproval } from "../../toolcrib/call-result.ts";
import { sandboxWanted } from "../../toolcrib/check-options.ts";
import {
  type ApprovalRequest,
  type Approve,
  approvalView,
  type Toolcrib,
  type ToolcribOptions,
} from "../../toolcrib/index.ts";
import type { Arguments } from "../command.ts";
import { withConfig } from "../config/with-config.ts";
import { checkFolder, withFolder } from "../config/with-target.ts";
import { containsHome, denyChanges, leave, untilAskedToEnd } from "../mcp/serve-stdio.ts";
import { addedRules, placeOf } from "../options.ts";
import { remarkFewDescriptors } from "../report.ts";
import { remark } from "../terminal.ts";
import {
  type ClientMethod,
  clientRequests,
  type ParamsOf,
  protocolVersion,
  type ResultOf,
  serverRequests,
} from "./protocol.ts";
import { RpcPeer, type RpcRequest, UnknownMethod } from "./rpc-peer.ts";

/** Runs `toolcrib rpc`: serves one program until it ends standard input, then closes everything. */
export async function serveRpc(given: Arguments): Promise<number> {
  // A missing folder fails here, not at the first request.
  await checkFolder(given.options);
  remarkFewDescriptors();
  // Only messages go to standard output, whatever a dependency prints.
  console.log = console.info = console.debug = console.error;
  const server = new RpcServer(given, (text) => remark(`toolcrib rpc: ${printableLine(text)}\n`));
  await Promise.race([server.ended, untilAskedToEnd({ withParent: true })]);
  return leave(() => server.close());
}

/** An instance of the client, alone or with an agent. */
interface Opened {
  readonly toolcrib: Toolcrib;
  readonly session: Session | undefined;
  readonly hasEvents: boolean;
}

type Handlers = {
  readonly [Method in ClientMethod]: (
    params: ParamsOf<Method>,
    request: RpcRequest,
  ) => Promise<ResultOf<Method> | object> | ResultOf<Method> | object;
};

class RpcServer {
  readonly #given: Arguments;
  readonly #peer: RpcPeer;
  readonly #opened = new Map<string, Opened>();
  /** The ids of instances that open, are open, or close. */
  readonly #ids = new Set<string>();
  #count = 0;
  #isClosed = false;

  constructor(given: Arguments, log: (text: string) => void) {
    this.#given = given;
    const { stdin: input, stdout: output } = process;
    this.#peer = new RpcPeer({ input, output, remark: log, answer: (request) => this.#answer(request) });
  }

  get ended(): Promise<void> {
    return this.#peer.ended;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#opened.keys()].map((id) => this.#close(id)));
  }

  readonly #handlers: Handlers = {
    open: (params) => this.#withId((id) => this.#open(params, id)),
    close: async ({ instance }) => {
      this.#find(instance);
      await this.#close(instance);
      return {};
    },
    definitions: async ({ instance, for: format, which }) => ({
      tools: await this.#find(instance).toolcrib.definitions({ for: format, which }),
    }),
    call: async ({ instance, name, input = {}, ...given }, request) => {
      const options = { ...given, ...this.#callOptions(instance, request) };
      const result = await this.#find(instance).toolcrib.call(name, input, options);
      return { ...result, error: withoutApproval(result.error) };
    },
    check: async ({ instance, name, input = {}, ...given }, { signal }) => {
      const check = await this.#find(instance).toolcrib.check(name, input, { ...given, signal });
      return { ...check, request: check.request && toAsked(check.request) };
    },
    "approvals.list": ({ instance }) => ({ approvals: this.#find(instance).toolcrib.approvals.list() }),
    "approvals.answer": async ({ instance, id, answer }) =>
      (await this.#find(instance).toolcrib.approvals.answer(id, answer)) ?? {},
    readOutput: ({ instance, handle, ...range }) => this.#find(instance).toolcrib.readOutput(handle, range),
    undo: ({ instance, input }, request) =>
      this.#find(instance).toolcrib.undo(input, this.#callOptions(instance, request)),
    redo: ({ instance, input }, request) =>
      this.#find(instance).toolcrib.redo(input, this.#callOptions(instance, request)),
    diff: ({ instance, input }, request) =>
      this.#find(instance).toolcrib.diff(input, this.#callOptions(instance, request)),
    log: ({ instance, limit }) => ({ calls: this.#find(instance).toolcrib.log({ limit }) }),
    "agent.open": (params) => this.#withId((id) => this.#openAgent(params, id)),
    "agent.run": ({ instance, input, isPinned, output }, { signal }) =>
      this.#findAgent(instance).run(input, { isPinned, output, signal }).result,
    "agent.steer": ({ instance, text }) => this.#findAgent(instance).steer(text) ?? {},
    "agent.followUp": ({ instance, text }) => this.#findAgent(instance).followUp(text) ?? {},
    "agent.abort": async ({ instance }) => (await this.#findAgent(instance).abort()) ?? {},
  };

  async #answer(request: RpcRequest): Promise<unknown> {
    const { method } = request;
    if (!Object.hasOwn(clientRequests, method)) {
      const near = nearest(method, Object.keys(clientRequests));
      const guess = near === undefined ? "" : `. Did you mean ${near}?`;
      throw new UnknownMethod(`Unknown method: ${printableLine(method.slice(0, 60))}${guess}`);
    }
    const parsed = z.safeParse(clientRequests[method as ClientMethod].params, request.params ?? {});
    if (!parsed.success)
      throw new ToolError("invalid-input", `Invalid params of ${method}: ${describe(parsed.error)}`, {
        hint: "See docs/rpc.md, or run: toolcrib rpc --schema",
      });
    const handle = this.#handlers[method as ClientMethod] as (
      params: unknown,
      request: RpcRequest,
    ) => unknown;
    return handle(parsed.data, request);
  }

  async #open(params: ParamsOf<"open">, id: string): Promise<ResultOf<"open">> {
    const { openToolcrib } = await import("../../toolcrib/open-toolcrib.ts");
    const { session, undoScope } = params;
    const options = await this.#options(params, id);
    const toolcrib = await openToolcrib({ ...options, session, undoScope });
    return this.#add(id, { toolcrib, session: undefined, hasEvents: params.events ?? false });
  }

  async #openAgent(params: ParamsOf<"agent.open">, id: string): Promise<ResultOf<"agent.open">> {
    const { approve: _, events = false, client: __, ...given } = params;
    const options = await this.#options(params, id);
    const { createSession } = await import("../../agent/create-session.ts");
    const { readModelSettings } = await import("../../agent/read-model-settings.ts");
    const models = await readModelSettings(params.configDirectory);
    const isNew = params.resume === undefined && params.fork === undefined;
    const { defaultModel } = await import("../session/open-session.ts");
    const model = params.model ?? (isNew ? await defaultModel(models) : undefined);
    const session = await createSession({ ...given, ...options, models, model, dialect: params.dialect });
    const opened = await this.#add(id, { toolcrib: session.toolcrib, session, hasEvents: events });
    if (events) session.on((event) => this.#notify(id, null, event));
    return { ...opened, model: session.model.id, turns: session.turns };
  }

  async #add(id: string, opened: Opened): Promise<ResultOf<"open">> {
    this.#opened.set(id, opened);
    const { session, workspace, target, mode, warnings } = opened.toolcrib;
    const result = {
      instance: id,
      protocol: protocolVersion,
      version,
      session,
      workspace,
      target,
      mode,
    } as const;
    if (!this.#isClosed) return { ...result, warnings: [...warnings] };
    // The client has left while the instance opened.
    await this.#close(id);
    throw new ToolError("cancelled", "The client has disconnected");
  }

  async #close(id: string): Promise<void> {
    const found = this.#opened.get(id);
    this.#opened.delete(id);
    await (found?.session ?? found?.toolcrib)?.close().finally(() => this.#ids.delete(id));
  }

  async #withId<Result>(open: (id: string) => Promise<Result>): Promise<Result> {
    if (this.#ids.size >= maxInstances)
      throw new ToolError("unavailable", `More than ${maxInstances} instances are open`, {
        hint: "Close the instances that you no longer need.",
      });
    this.#count += 1;
    const id = `instance_${this.#count}`;
    this.#ids.add(id);
    try {
      return await open(id);
    } catch (error) {
      this.#ids.delete(id);
      throw error;
    }
  }

  #find(id: string): Opened {
    const found = this.#opened.get(id);
    if (found !== undefined) return found;
    throw new ToolError("not-found", `There is no open instance ${printableLine(id.slice(0, 60))}`, {
      hint: "Use the instance that open or agent.open returned.",
    });
  }

  #findAgent(id: string): Session {
    const { session } = this.#find(id);
    if (session !== undefined) return session;
    throw new ToolError("unsupported", `${id} has no agent`, { hint: "Open one with agent.open." });
  }

  /** Returns the options of an instance. The rules of the command line hold as well. */
  async #options(params: ParamsOf<"open"> | ParamsOf<"agent.open">, id: string): Promise<ToolcribOptions> {
    const { options } = this.#given;
    const place = await this.#placeOf(params);
    const config = await withConfig({ options: place, operands: [] }, ["mode", "sandbox"]);
    const workspace = place.get("workspace");
    const isChosen = params.workspace !== undefined || options.has("workspace");
    const isTooWide = !isChosen && workspace !== undefined && containsHome(workspace);
    const limits = isTooWide ? denyChanges(`the client named no workspace, and runs in ${workspace}`) : [];
    const { rules, ruleFiles } = addedRules(options);
    const { dialect, onlyTools, stateDirectory, configDirectory, maxShownTokens } = params;
    const { pendingApprovals, approvalWaitMs, client = {} } = params;
    return {
      ...{ dialect, onlyTools, stateDirectory, configDirectory, maxShownTokens },
      ...{ pendingApprovals, approvalWaitMs },
      ...{ workspace: undefined, target: undefined, ...placeOf(place) },
      mode: params.mode ?? (config.options.get("mode") as PolicyMode | undefined) ?? "cautious",
      sandbox: sandboxWanted(params.sandbox ?? config.options.get("sandbox")),
      rules: [...limits, ...rules, ...(params.rules ?? [])],
      ruleFiles: [...ruleFiles, ...(params.ruleFiles ?? [])],
      readOnly: options.has("read-only") || params.readOnly,
      commandHooks: config.commandHooks,
      languageServers: config.languageServers,
      embedder: config.embedder,
      client: { kind: "library", ...client },
      approve: params.approve ? this.#approver(id) : undefined,
    };
  }

  /** Returns where an instance works, as options. The command line limits it to a folder, or to a target. */
  async #placeOf({ workspace, target }: Pick<ParamsOf<"open">, "workspace" | "target">) {
    const { options } = this.#given;
    const root = options.get("workspace");
    const fixed = options.get("target");
    if (target !== undefined && workspace !== undefined)
      throw new ToolError("invalid-input", "`workspace` and `target` cannot be combined", {
        hint: 'Name the folder on the target: "ssh:host:/dir"',
      });
    const started = fixed === undefined ? `--workspace ${root}` : `--target ${fixed}`;
    const isElsewhere = target !== undefined && (fixed ?? root) !== undefined;
    if (isElsewhere || (workspace !== undefined && fixed !== undefined && fixed !== "local"))
      throw new ToolError("denied", `This server was started with ${started}`, {
        hint: "Leave out `workspace` and `target`.",
      });
    if (target?.startsWith("command:"))
      throw new ToolError("denied", "A client cannot choose the program that reaches a target", {
        hint: "Name it in your config.toml, and use the name: [targets]",
      });
    const folder = realWorkspace(workspace ?? root ?? process.cwd());
    if (root !== undefined && !liesInside(folder, realWorkspace(root)))
      throw new ToolError("denied", `${folder} lies outside ${root}`, {
        hint: `This server was started with --workspace ${root}.`,
      });
    return withFolder(target === undefined ? options : new Map(options).set("target", target), folder);
  }

  /** Asks the client. Only an answer with the hash of exactly this request allows the call. */
  #approver(instance: string): Approve {
    return async (request, signal) => {
      const refusal = (message: string) => ({ allow: false, message }) as const;
      try {
        const given = await this.#peer.ask("approve", { instance, request: toAsked(request) }, signal);
        const answer = z.safeParse(serverRequests.approve.result, given);
        if (!answer.success) return refusal("The client sent an invalid answer to the question.");
        if (!answer.data.allow) return answer.data;
        if (answer.data.hash === request.hash) return answer.data;
        return refusal("The client answered another question.");
      } catch (error) {
        if (signal.aborted) throw error;
        return refusal(`The client could not ask the user: ${(error as Error).message}`);
      }
    };
  }

  #callOptions(instance: string, { id, signal }: RpcRequest) {
    const { hasEvents } = this.#find(instance);
    const onEvent = (event: CallEvent) => this.#notify(instance, id, toJsonEvent(event));
    return { signal, ...(hasEvents && { onEvent }) };
  }

  #notify(instance: string, request: RpcRequest["id"] | null, event: AgentEvent | object): void {
    this.#peer.notify("event", { instance, request, event });
  }
}

const maxInstances = 64;

function describe({ issues }: z.core.$ZodError): string {
  return issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`))
    .join("; ");
}

/** The verdicts on the parts of a command are left out: `reason` and `rule` say what asks. */
function toAsked(asked: ApprovalRequest): object {
  const { parts: _, environment: __, previewHash: ___, ...request } = asked;
  return { ...request, view: approvalView(asked) };
}

/** Leaves out the output of a call, which its response contains. */
function toJsonEvent(event: CallEvent): object {
  if (event.type !== "tool-end") return event;
  const { output: _, data: __, ...rest } = event;
  return rest;
}
