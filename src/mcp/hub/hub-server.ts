import { setTimeout as pause } from "node:timers/promises";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { throwIfAborted, untilAborted } from "../../lib/async/abort.ts";
import { monotonicMs } from "../../lib/clock.ts";
import type { Elicit, ListedTool, ServerState } from "../types.ts";
import { cleanLine } from "./clean-text.ts";
import { type Connection, connectServer } from "./connect-server.ts";
import { callTool, hubTool, type NamelessTool } from "./hub-tool.ts";
import { namePattern, type ServerSettings } from "./settings/read-settings.ts";
import type { GivenResult } from "./show-result.ts";
import { RecentLines, withoutSecrets } from "./transport/recent-lines.ts";

interface HubServerOptions {
  readonly workspace: string;
  /** See LocalEnvironmentOptions. */
  readonly startRecords: string;
  /** After each change of `tools`, or of what a person has to know. */
  readonly onChange: () => void;
  /** How long to wait before it is started again; twice as long each time. */
  readonly restartMs: number;
  readonly elicit: Elicit | undefined;
}

// So often it is tried in a row, and so long it has to run for a failure to count as the first again.
const maxTries = 5;
const steadyMs = 60_000;

// Whoever changes its tools all the time is not asked all the time.
const followMs = 1_000;

/** One server of others: started, asked for its tools, started again when it ends, and ended with us. */
export class HubServer {
  readonly settings: ServerSettings;
  readonly #options: HubServerOptions;
  readonly #closing = new AbortController();
  readonly #said: RecentLines;
  #running: Promise<void> | undefined;
  #connected = waiting();
  #connection: Connection | undefined;
  #state: ServerState["state"] = "waiting";
  #tools: ReadonlyMap<string, NamelessTool> = new Map();
  #problem: string | undefined;
  #leftOut: readonly string[] = [];
  /** What it last told of its tools, so that it can tell the same again and nothing changes. */
  #told = "";
  #junkLines = 0;
  #following: "no" | "yes" | "again" = "no";

  constructor(settings: ServerSettings, options: HubServerOptions) {
    this.settings = settings;
    this.#options = options;
    this.#said = new RecentLines(settings.secrets);
  }

  /** By their own names. While it is started again, those that it had. */
  get tools(): ReadonlyMap<string, NamelessTool> {
    return this.#tools;
  }

  /** As it tells of them itself. */
  get listed(): readonly ListedTool[] {
    return this.#connection?.listed ?? [];
  }

  get state(): ServerState {
    return {
      name: this.settings.name,
      state: this.#state,
      reach: this.settings.reach.kind,
      tools: this.#tools.size,
      version: this.#connection?.version,
      protocol: this.#connection?.protocol,
      pid: this.#connection?.pid,
      problems: [...(this.#problem === undefined ? [] : [this.#problem]), ...this.#leftOut],
      said: this.#said.all,
      junkLines: this.#junkLines,
    };
  }

  /** Settled when its tools are known, or the first try has failed. */
  start(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#running ??= this.#run(first.resolve).finally(first.resolve);
    return first.promise;
  }

  async call(
    tool: ListedTool,
    input: Record<string, unknown>,
    context: Pick<ToolContext, "signal" | "progress">,
  ): Promise<GivenResult> {
    const connection = await this.#reach(context.signal);
    try {
      return await callTool(connection.client, tool, input, context);
    } catch (error) {
      throwIfAborted(context.signal);
      throw connection.explain(error, `${cleanLine(tool.name, 100)} of the MCP server ${this.settings.name}`);
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
      const isHopeless = await this.#live(onFirst);
      if (signal.aborted) return;
      if (monotonicMs() - began > steadyMs) tries = 1;
      if (isHopeless || tries >= maxTries) return this.#giveUp(tries);
      this.#state = "restarting";
      this.#options.onChange();
      onFirst();
      await pause(this.#options.restartMs * 2 ** (tries - 1), undefined, { signal, ref: false }).catch(
        () => {},
      );
    }
  }

  /** From its start to its end; whether that is the same each time. */
  async #live(onFirst: () => void): Promise<boolean> {
    const { signal } = this.#closing;
    if (this.#state === "waiting") this.#state = "starting";
    let connection: Connection | undefined;
    try {
      connection = await connectServer(this.settings, {
        ...this.#options,
        said: this.#said,
        signal,
        onJunk: () => {
          this.#junkLines += 1;
        },
        onListChange: () => void this.#follow(),
      });
      this.#connection = connection;
      this.#put(connection);
      this.#problem = undefined;
      this.#state = "ready";
      this.#connected.resolve(connection);
      this.#options.onChange();
      onFirst();
      this.#problem = `it has ended (${await connection.ended})`;
      this.#state = "restarting";
      this.#connected = waiting();
      return false;
    } catch (error) {
      this.#problem = this.#words(error);
      return error instanceof ToolError && error.code === "not-found";
    } finally {
      await connection?.close();
    }
  }

  #giveUp(tries: number): void {
    const often = tries === 1 ? "" : ` It was tried ${tries} times.`;
    this.#problem = `${this.#problem ?? "it cannot be reached"}.${often} It is given up`;
    this.#state = "failed";
    this.#tools = new Map();
    this.#told = "";
    this.#connected.reject(this.#unavailable(`is not running: ${this.#problem}`));
    this.#options.onChange();
  }

  async #reach(signal: AbortSignal): Promise<Connection> {
    return untilAborted(this.#connected.promise, signal);
  }

  /** Asks for its tools again, once however often it says that they have changed. */
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
        this.#problem = `its tools could not be asked for again: ${this.#words(error)}`;
      }
      this.#options.onChange();
      await pause(followMs, undefined, { signal, ref: false }).catch(() => {});
    } while ((this.#following as string) === "again" && !signal.aborted);
    this.#following = "no";
  }

  #put({ listed, problems }: Connection): void {
    const told = JSON.stringify([listed, problems]);
    if (told === this.#told) return;
    this.#told = told;
    const leftOut = [...problems];
    const tools = new Map<string, NamelessTool>();
    const { tools: wanted } = this.settings;
    const isWanted = wanted === undefined ? () => true : namePattern(wanted);
    for (const tool of listed) {
      if (!isWanted(tool.name)) continue;
      try {
        tools.set(tool.name, hubTool(tool, this));
      } catch (error) {
        leftOut.push(
          `its tool ${JSON.stringify(cleanLine(tool.name, 80))} is left out: ${this.#words(error)}`,
        );
      }
    }
    this.#tools = tools;
    this.#leftOut = leftOut;
  }

  #words(error: unknown): string {
    const message = error instanceof Error ? error.message : String(error);
    return cleanLine(withoutSecrets(message, this.settings.secrets), 300).replace(/\.$/, "");
  }

  #unavailable(what: string): ToolError {
    return new ToolError("unavailable", `The MCP server ${this.settings.name} ${what}`, {
      hint: "Go on without its tools. A person sees more with `toolcrib doctor`.",
    });
  }
}

/** Nobody need be waiting when it fails. */
function waiting(): PromiseWithResolvers<Connection> {
  const connected = Promise.withResolvers<Connection>();
  connected.promise.catch(() => {});
  return connected;
}
