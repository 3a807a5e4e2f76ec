import { isDeepStrictEqual } from "node:util";
import { Listeners } from "../../lib/async/listeners.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import {
  type Caller,
  type ClientInfo,
  type Toolcrib,
  type ToolDefinition,
  ToolError,
} from "../../toolcrib/index.ts";
import { offersOf } from "../hub/offers/offer-names.ts";
import type { TaskOptions } from "../types.ts";
import { Tasks } from "./tasks.ts";

/** A list of which clients are told that it has changed. */
export type ChangedList = "tools" | "resources" | "prompts";

interface CallAdmission {
  run<Result>(session: object, call: () => Promise<Result>): Promise<Result>;
}

interface ServedOptions extends TaskOptions {
  readonly admission?: CallAdmission;
}

/** Opens an instance when a request first needs it, and holds the state between requests. */
export class ServedToolcrib {
  readonly tasks: Tasks;
  readonly #open: () => Promise<Toolcrib>;
  readonly #admission: CallAdmission | undefined;
  readonly #listeners = new Listeners<ChangedList>();
  /** The latest output handles in results, the newest last. Older outputs can still be read by their handle. */
  readonly #outputs = new BoundedCache<string, string>({ maxEntries: 100 });
  readonly #stops: (() => void)[] = [];
  /** Instances that were replaced and have running calls. */
  readonly #replaced = new Set<Promise<Toolcrib>>();
  #crib: Promise<Toolcrib> | undefined;
  #definitions: Promise<readonly ToolDefinition[]> | undefined;
  #structured: Promise<ReadonlySet<string>> | undefined;
  #reader: Promise<Caller> | undefined;
  #files: Promise<readonly string[]> | undefined;
  #session: string | undefined;
  #client: ClientInfo | undefined;
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  readonly #warnings = new Set<string>();
  #isSandboxKnown = false;
  #isNoted = false;
  #hasRoot = false;
  #closed: Promise<void> | undefined;

  /** With an admission, its calls wait for their turn among those of other sessions. */
  constructor(open: () => Promise<Toolcrib>, { admission, taskAfterMs }: ServedOptions = {}) {
    this.#open = open;
    this.#admission = admission;
    this.tasks = new Tasks(taskAfterMs);
  }

  /** Opens the instance if necessary. After a failure, the next request tries again. */
  crib(): Promise<Toolcrib> {
    if (this.#closed !== undefined)
      return Promise.reject(
        new ToolError("unavailable", "The server has ended", { hint: "Start it again." }),
      );
    this.#crib ??= this.#openCrib();
    return this.#crib;
  }

  /** The session of the instance; undefined until it is open. */
  get session(): string | undefined {
    return this.#session;
  }

  /** Names the client in the log. */
  introduce(client: ClientInfo): void {
    if (isDeepStrictEqual(client, this.#client)) return;
    this.#client = client;
    this.#crib?.then(
      (crib) => crib.setClient(client),
      () => {},
    );
  }

  /** Returns the instance, or a caller of it whose tools change nothing. */
  async caller({ readOnly }: { readonly readOnly: boolean }): Promise<Caller> {
    const crib = await this.crib();
    if (!readOnly) return crib;
    this.#reader ??= crib.addCaller({ readOnly });
    return this.#reader;
  }

  /** Returns whether a tool exists and read-only callers do not have it. */
  async mayChange(name: string): Promise<boolean> {
    const callers = [await this.caller({ readOnly: false }), await this.caller({ readOnly: true })];
    const [all, forReaders] = await Promise.all(callers.map((each) => each.definitions({ which: "all" })));
    const isCalled = (tool: ToolDefinition) => tool.name === name || tool.canonical === name;
    return all!.some(isCalled) && !forReaders!.some(isCalled);
  }

  /** Returns the files that tools can read without asking, for completion. The list is up to five seconds old. */
  files(): Promise<readonly string[]> {
    this.#files ??= this.#listFiles();
    return this.#files;
  }

  /** Returns the listed tools. */
  definitions(): Promise<readonly ToolDefinition[]> {
    this.#definitions ??= this.#define();
    return this.#definitions;
  }

  /** Whether the results of a tool may have structured content. */
  async isStructured(name: string): Promise<boolean> {
    const listed = (await this.definitions()).find((definition) => definition.name === name);
    if (listed !== undefined) return listed.effects.structured;
    this.#structured ??= this.#findStructured();
    return (await this.#structured).has(name);
  }

  /** Returns the canonical name of a listed tool, and other names unchanged. */
  async canonicalName(tool: string): Promise<string> {
    return (await this.definitions()).find(({ name }) => name === tool)?.canonical ?? tool;
  }

  /** Calls `listener` with the name of each list that changes. Returns a function that removes it. */
  onChange(listener: (list: ChangedList) => void): () => void {
    return this.#listeners.on(listener);
  }

  /** Calls `stop` when this is closed. */
  beforeClose(stop: () => void): void {
    this.#stops.push(stop);
  }

  /** Runs `work`, during which `isBusy` is true. */
  async busy<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = this.#admission?.run(this, work) ?? work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /**
   * Returns what a target lacks, or which folder the client's roots have chosen, for the model, the first time; then
   * undefined. The instructions are sent before that is known.
   */
  takeNote({
    missingPrograms,
    workspace,
  }: Pick<Toolcrib, "missingPrograms" | "workspace">): string | undefined {
    if (this.#isNoted) return undefined;
    this.#isNoted = true;
    if (missingPrograms.length > 0) return `Not installed on the target: ${missingPrograms.join(", ")}.`;
    return this.#hasRoot ? `The workspace is ${workspace}.` : undefined;
  }

  /** Lets the model know which workspace the next instance has. */
  noteWorkspace(): void {
    this.#hasRoot = true;
    this.#isNoted = false;
  }

  /** Uses another instance from now on. The present one is closed when its calls have ended. */
  replace(): void {
    const old = this.#crib;
    if (old === undefined || this.#closed !== undefined) return;
    this.#crib = undefined;
    this.#definitions = undefined;
    this.#structured = undefined;
    this.#reader = undefined;
    this.#files = undefined;
    this.#isSandboxKnown = false;
    this.#outputs.clear();
    for (const stop of this.#stops.splice(0)) stop();
    this.#replaced.add(old);
    const close = async () => {
      await Promise.allSettled(this.#running);
      await (await old).close();
    };
    void close()
      .catch(() => {})
      .finally(() => this.#replaced.delete(old));
    for (const list of ["tools", "resources", "prompts"] as const) this.#listeners.emit(list);
  }

  /**
   * Returns the warnings for the user that were not returned before. The first command shows whether there is a sandbox;
   * `tool` is the canonical name of the tool that was just called.
   */
  async takeWarnings(tool: string): Promise<readonly string[]> {
    const crib = await this.crib();
    const fresh = crib.warnings.filter((warning) => !this.#warnings.has(warning));
    for (const warning of fresh) this.#warnings.add(warning);
    if (this.#isSandboxKnown || !/^(?:shell|process)\./.test(tool)) return fresh;
    this.#isSandboxKnown = true;
    const report = await crib.sandbox().catch(() => undefined);
    // While the system has no descriptors left, the sandbox cannot be examined. The outcome of the call says so.
    this.#isSandboxKnown = report !== undefined;
    if (report?.level !== "none") return fresh;
    return [...fresh, ["Commands run without a sandbox.", ...report.missing].join(" ")];
  }

  /** Latest first. */
  get outputs(): readonly string[] {
    return [...this.#outputs.values()].reverse();
  }

  noteOutput(handle: string): void {
    if (!this.#outputs.has(handle)) this.#outputs.set(handle, handle);
  }

  /** May be called twice. */
  close(): Promise<void> {
    this.#closed ??= this.#closeCrib();
    return this.#closed;
  }

  async #openCrib(): Promise<Toolcrib> {
    try {
      const crib = await this.#open();
      this.#session = crib.session;
      if (this.#client !== undefined) crib.setClient(this.#client);
      crib.onToolsChange(() => {
        if (this.#session !== crib.session) return;
        this.#definitions = undefined;
        this.#structured = undefined;
        this.#listeners.emit("tools");
      });
      for (const offers of offersOf(crib))
        this.#stops.push(offers.onChange((kind) => this.#listeners.emit(kind)));
      return crib;
    } catch (error) {
      this.#crib = undefined;
      throw error;
    }
  }

  async #listFiles(): Promise<readonly string[]> {
    try {
      return await (await this.crib()).listFiles(this.#closing.signal, { atOnce: true });
    } finally {
      setTimeout(() => {
        this.#files = undefined;
      }, filesMs).unref();
    }
  }

  async #define(): Promise<readonly ToolDefinition[]> {
    try {
      return await (await this.crib()).definitions();
    } catch (error) {
      this.#definitions = undefined;
      throw error;
    }
  }

  /** Returns all tools with structured results, by both their names. */
  async #findStructured(): Promise<ReadonlySet<string>> {
    const all = await (await this.crib()).definitions({ which: "all" });
    const structured = all.filter(({ effects }) => effects.structured);
    return new Set(structured.flatMap(({ name, canonical }) => [name, canonical]));
  }

  async #closeCrib(): Promise<void> {
    this.#closing.abort();
    this.#listeners.clear();
    this.tasks.close();
    // An instance that is still opening adds further functions to `#stops`.
    const cribs = [this.#crib, ...this.#replaced].map((opening) => opening?.catch(() => undefined));
    const opened = await Promise.all(cribs);
    for (const stop of this.#stops) stop();
    await Promise.all(opened.map((crib) => crib?.close()));
  }
}

const filesMs = 5_000;
