import { setTimeout as pause } from "node:timers/promises";
import { ToolError } from "../../contract/error.ts";
import type { AnyTool, ToolContext } from "../../contract/tool.ts";
import { throwIfAborted, untilAborted } from "../../lib/async/abort.ts";
import { monotonicMs } from "../../lib/clock.ts";
import type { Elicit, ElicitAnswer, ListedTool, ServerState } from "../types.ts";
import { cleanLine } from "./clean-text.ts";
import { type Connection, connectServer } from "./connect-server.ts";
import type { HubTimes } from "./hub-times.ts";
import { anyResult, callTool, hubTool, type NamelessTool } from "./hub-tool.ts";
import { longest } from "./list-tools.ts";
import type { LoginStore } from "./oauth/login-store.ts";
import type { RequestName } from "./offers/offer-names.ts";
import { requestTools } from "./offers/request-tools.ts";
import { ServerOffers } from "./offers/server-offers.ts";
import { namePattern, type ServerSettings } from "./settings/read-settings.ts";
import type { GivenResult } from "./show-result.ts";
import { RecentLines, withoutSecrets } from "./transport/recent-lines.ts";

interface HubServerOptions {
  readonly workspace: string;
  /** See `LocalEnvironmentOptions.startRecords`. */
  readonly startRecords: string;
  /** Called after each change of the tools or the state. */
  readonly onChange: () => void;
  /** Called when the resources or prompts may have changed. */
  readonly onOffersChange: (kind: "resources" | "prompts") => void;
  readonly times: HubTimes;
  readonly elicit: Elicit | undefined;
  readonly logins: LoginStore;
}

// How many starts in a row may fail. After running for `steadyMs`, the next failure counts as the first.
const maxTries = 5;
const steadyMs = 60_000;
/** How many questions may stay without an answer before a server may not ask again during its calls. */
const maxUnanswered = 3;

/** Starts one MCP server, lists its tools, restarts it when it ends, and closes it. */
export class HubServer {
  readonly settings: ServerSettings;
  readonly #options: HubServerOptions;
  readonly offers: ServerOffers;
  /** The tools that read its resources and get its prompts. */
  readonly requestTools: readonly AnyTool[];
  readonly #closing = new AbortController();
  readonly #stderrLines: RecentLines;
  #running: Promise<void> | undefined;
  #connected = waiting();
  #connection: Connection | undefined;
  #state: ServerState["state"] = "waiting";
  #tools: ReadonlyMap<string, NamelessTool> = new Map();
  #problem: string | undefined;
  #login: string | undefined;
  #leftOut: readonly string[] = [];
  /** The last list of tools, to recognize an unchanged one. */
  #lastList = "";
  #junkLines = 0;
  #following: "no" | "yes" | "again" = "no";
  #calls = 0;
  #asking: AbortController | undefined;
  /** The questions that the user did not answer during the present calls. */
  #unanswered = 0;

  constructor(settings: ServerSettings, options: HubServerOptions) {
    this.settings = settings;
    const { elicit } = options;
    this.#options = { ...options, elicit: elicit && ((question) => this.#ask(elicit, question)) };
    this.#stderrLines = new RecentLines(settings.secrets);
    this.offers = new ServerOffers(settings.name, () => this.#connection?.client);
    this.requestTools = requestTools(settings, (...request) => this.#request(...request));
  }

  /** The tools by the server's own names; during a restart, the previous tools. */
  get tools(): ReadonlyMap<string, NamelessTool> {
    return this.#tools;
  }

  get listed(): readonly ListedTool[] {
    return this.#connection?.listed ?? [];
  }

  get state(): ServerState {
    return {
      name: this.settings.name,
      state: this.#state,
      reach: this.settings.transport.kind,
      tools: this.#tools.size,
      version: this.#connection?.version,
      protocol: this.#connection?.protocol,
      pid: this.#connection?.pid,
      problems: [...(this.#problem === undefined ? [] : [this.#problem]), ...this.#leftOut],
      login: this.#state === "failed" ? this.#login : undefined,
      said: this.#stderrLines.all,
      junkLines: this.#junkLines,
    };
  }

  /** Starts the server. Resolves when its tools are known, or the first attempt has failed. */
  start(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#running ??= this.#run(first.resolve).finally(first.resolve);
    return first.promise;
  }

  /** Ends the running server and starts it again. Resolves when its tools are known, or the first attempt has failed. */
  async reconnect(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    if (this.#state !== "failed") {
      const connection = this.#connection;
      await connection?.close();
      await connection?.ended;
      await this.#connected.promise.catch(() => {});
      return;
    }
    await this.#running;
    this.#running = undefined;
    this.#connected = waiting();
    this.#state = "waiting";
    await this.start();
  }

  async call(
    tool: ListedTool,
    input: Record<string, unknown>,
    context: Pick<ToolContext, "signal" | "progress">,
  ): Promise<GivenResult> {
    const connection = await untilAborted(this.#connected.promise, context.signal);
    this.#calls += 1;
    try {
      return await callTool(connection.client, tool, input, context);
    } catch (error) {
      throwIfAborted(context.signal);
      throw await connection.explain(
        error,
        `${cleanLine(tool.name, 100)} of the MCP server ${this.settings.name}`,
      );
    } finally {
      this.#calls -= 1;
      if (this.#calls === 0) {
        this.#asking?.abort();
        this.#unanswered = 0;
      }
    }
  }

  /**
   * Asks the user during a call of this server, one question at a time, and no more after some had no answer. A server could
   * ask endlessly otherwise. The question ends with the call.
   */
  async #ask(elicit: Elicit, question: Parameters<Elicit>[0]): Promise<ElicitAnswer> {
    const mayAsk = this.#calls > 0 && this.#asking === undefined && this.#unanswered < maxUnanswered;
    if (!mayAsk) return { action: "cancel" };
    this.#asking = new AbortController();
    // A server may also withdraw its questions.
    this.#unanswered += 1;
    const signal = AbortSignal.any([question.signal, this.#asking.signal]);
    try {
      const answer = await untilAborted(elicit({ ...question, signal }), signal);
      if (answer.action === "accept") this.#unanswered -= 1;
      return answer;
    } finally {
      this.#asking = undefined;
    }
  }

  async #request(
    request: RequestName,
    params: Readonly<Record<string, unknown>>,
    { signal }: Pick<ToolContext, "signal">,
  ): Promise<unknown> {
    const { client, explain } = await untilAborted(this.#connected.promise, signal);
    try {
      return await client.request({ method: request, params }, anyResult, { signal, timeout: longest });
    } catch (error) {
      throwIfAborted(signal);
      throw await explain(error, `${request} of the MCP server ${this.settings.name}`);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection?.close();
    await this.#running;
    this.#state = "closed";
    this.#connected.reject(this.#unavailable("is closed"));
  }

  async #run(onFirst: () => void): Promise<void> {
    const { signal } = this.#closing;
    for (let tries = 1; !signal.aborted; tries += 1) {
      const began = monotonicMs();
      const { problem, isHopeless, login, hint } = await this.#live(onFirst);
      if (signal.aborted) return;
      if (monotonicMs() - began > steadyMs) tries = 1;
      this.#login = login;
      if (login !== undefined) return this.#waitForLogin(problem);
      if (isHopeless || tries >= maxTries) return this.#giveUp(problem, tries, hint);
      this.#problem = problem;
      this.#state = "restarting";
      this.#options.onChange();
      onFirst();
      await pause(this.#options.times.restartMs * 2 ** (tries - 1), undefined, { signal, ref: false }).catch(
        () => {},
      );
    }
  }

  /** Runs the server from start to end. Returns why it ended, whether a retry is useless, and what fixes it. */
  async #live(onFirst: () => void): Promise<{
    readonly problem: string;
    readonly isHopeless: boolean;
    readonly login?: string;
    readonly hint?: string | null | undefined;
  }> {
    const { signal } = this.#closing;
    if (this.#state === "waiting") this.#state = "starting";
    let connection: Connection | undefined;
    try {
      connection = await connectServer(this.settings, {
        ...this.#options,
        stderrLines: this.#stderrLines,
        signal,
        onJunk: () => {
          this.#junkLines += 1;
        },
        onListChange: () => void this.#follow(),
        onOffersChange: (kind) => this.#changeOffers(kind),
        onResourceUpdate: (uri) => this.offers.updated(uri),
      });
      this.#connection = connection;
      this.#put(connection);
      this.#problem = undefined;
      this.#state = "ready";
      this.#connected.resolve(connection);
      this.#options.onChange();
      this.#offersAppear(connection);
      onFirst();
      const problem = `it has ended (${await connection.ended})`;
      this.#problem = problem;
      this.#state = "restarting";
      this.#connected = waiting();
      return { problem, isHopeless: false };
    } catch (error) {
      if (error instanceof ToolError && error.details?.kind === "login-needed") {
        const { command: login } = error.details;
        return { problem: `it needs a login: ${login}`, isHopeless: false, login };
      }
      if (error instanceof ToolError && error.details?.kind === "credentials-refused")
        return { problem: this.#describe(error), isHopeless: true, hint: error.forUser?.hint };
      const isHopeless = error instanceof ToolError && error.code === "not-found";
      return { problem: this.#describe(error), isHopeless };
    } finally {
      await connection?.close();
    }
  }

  #offersAppear({ client }: Connection): void {
    const { resources, prompts } = client.getServerCapabilities() ?? {};
    if (resources !== undefined) this.#options.onOffersChange("resources");
    if (prompts !== undefined) this.#options.onOffersChange("prompts");
    this.offers.resume();
  }

  #changeOffers(kind: "resources" | "prompts"): void {
    this.offers.forget(kind);
    this.#options.onOffersChange(kind);
  }

  #giveUp(problem: string, tries: number, hint: string | null | undefined): void {
    const attempts = tries === 1 ? "" : ` after ${tries} attempts`;
    const fix = hint ? `. ${hint.replace(/\.$/, "")}` : "";
    this.#fail(`${problem}; given up${attempts}${fix}`);
  }

  /** Gives up until the user logs in, in any process. */
  #waitForLogin(problem: string): void {
    this.#fail(problem);
    void this.#reconnectAfterLogin();
  }

  async #reconnectAfterLogin(): Promise<void> {
    const { name, transport } = this.settings;
    if (transport.kind !== "http") return;
    const server = { name, url: transport.url };
    const { signal } = this.#closing;
    const before = this.#options.logins.versionOf(server);
    while (!signal.aborted && this.#state === "failed") {
      await pause(this.#options.times.followMs, undefined, { signal, ref: false }).catch(() => {});
      if (this.#options.logins.versionOf(server) === before) continue;
      return this.reconnect();
    }
  }

  #fail(problem: string): void {
    this.#problem = problem;
    this.#state = "failed";
    this.#tools = new Map();
    this.#lastList = "";
    this.#connected.reject(this.#unavailable(`is not running: ${this.#problem}`));
    this.#options.onChange();
  }

  /** Lists the tools again, at most once per `followMs`. */
  async #follow(): Promise<void> {
    if (this.#following !== "no") {
      this.#following = "again";
      return;
    }
    const { signal } = this.#closing;
    do {
      this.#following = "yes";
      const connection = this.#connection;
      try {
        await connection?.refresh();
        if (connection !== undefined && connection === this.#connection) this.#put(connection);
      } catch (error) {
        this.#problem = `its tools could not be listed again: ${this.#describe(error)}`;
      }
      this.#options.onChange();
      await pause(this.#options.times.followMs, undefined, { signal, ref: false }).catch(() => {});
    } while ((this.#following as string) === "again" && !signal.aborted);
    this.#following = "no";
  }

  #put({ listed, problems }: Connection): void {
    const list = JSON.stringify([listed, problems]);
    if (list === this.#lastList) return;
    this.#lastList = list;
    const leftOut = [...problems];
    const tools = new Map<string, NamelessTool>();
    const { tools: wanted } = this.settings;
    const isWanted = wanted === undefined ? () => true : namePattern(wanted);
    for (const tool of listed) {
      if (!isWanted(tool.name)) continue;
      try {
        tools.set(tool.name, hubTool(tool, this));
      } catch (error) {
        const name = JSON.stringify(cleanLine(tool.name, 80));
        leftOut.push(`its tool ${name} is skipped: ${this.#describe(error)}`);
      }
    }
    this.#tools = tools;
    this.#leftOut = leftOut;
  }

  #describe(error: unknown): string {
    const message = error instanceof Error ? error.message : String(error);
    return cleanLine(withoutSecrets(message, this.settings.secrets), 300).replace(/\.$/, "");
  }

  #unavailable(what: string): ToolError {
    return new ToolError("unavailable", `The MCP server ${this.settings.name} ${what}`, {
      hint: "Continue without its tools.",
      forUser: { hint: "See: toolcrib doctor" },
    });
  }
}

/** Returns a promise whose rejection is never unhandled, because no call may wait for it. */
function waiting(): PromiseWithResolvers<Connection> {
  const connected = Promise.withResolvers<Connection>();
  connected.promise.catch(() => {});
  return connected;
}
