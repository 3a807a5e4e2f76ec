import type { ProjectIndex } from "../contract/code.ts";
import type { Conversations } from "../contract/conversations.ts";
import type { RecoveredChange, SandboxReport } from "../contract/environment.ts";
import type { ChangedFiles, UndoneChanges } from "../contract/history.ts";
import type { HookAnswer } from "../contract/hooks.ts";
import type { ProcessStatus } from "../contract/process.ts";
import type { AnyTool, ToolSource } from "../contract/tool.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { Toolset } from "../dialects/toolset.ts";
import type { Approve } from "../engine/approvals/approval-request.ts";
import { type Approvals, WorkspaceApprovals } from "../engine/approvals/approvals.ts";
import type { CallRecord, ClientInfo } from "../journal/journal.ts";
import { commandsOnTarget } from "../lib/text/commands-on-target.ts";
import { type CallEventStream, CallEvents } from "../pipeline/call-events.ts";
import { openCheck } from "../pipeline/check-call.ts";
import type { PolicySettings } from "../pipeline/decide-call.ts";
import { Hooks } from "../pipeline/hooks/hooks.ts";
import { openPipeline, type PipelineParts } from "../pipeline/pipeline.ts";
import { newCallerMemory, noAgents } from "../pipeline/run-tool.ts";
import type { PolicyMode } from "../policy/policy.ts";
import { RedactedStream } from "../policy/redaction/redact.ts";
import { openProcesses } from "../processes/open-processes.ts";
import { allowedVariables } from "../system/environment-variables.ts";
import type { WireFormat } from "../wire/formats.ts";
import type { CallResult } from "./call-result.ts";
import {
  AddedCaller,
  type AnyTools,
  type CallCheck,
  type CallData,
  type Caller,
  type CallerOptions,
  type CallInput,
  type CallOptions,
  type CheckOptions,
  type DefinitionIn,
  type DefinitionOptions,
  type SharedByCallers,
  type ToolName,
  ToolsetCaller,
  toolcribClosed,
} from "./caller.ts";
import { checkMode, checkValues, searchSettings } from "./check-options.ts";
import { targetName } from "./elsewhere.ts";
import { lazyCode, lazyDocuments, lazyScripts, lazyServers, lazyShells } from "./lazy-parts.ts";
import type { WorkspaceHistory } from "./open-history.ts";
import { type DeniedTools, finderIn, openToolset, toDialect } from "./open-toolset.ts";
import { type OutputPart, type OutputRange, readOutput, type Workspace } from "./open-workspace.ts";
import type { ToolcribOptions } from "./options.ts";
import type { ProjectFiles, ProjectLocation } from "./project-files.ts";
import { RunningCalls } from "./running-calls.ts";

/** The parts that `openToolcrib` has checked and opened. */
export interface ToolcribParts {
  readonly options: ToolcribOptions;
  readonly dialect: Dialect;
  readonly mode: PolicyMode;
  readonly denied: DeniedTools;
  /** The program's own tools, complete. */
  readonly tools: readonly AnyTool[];
  readonly toolset: Toolset;
  readonly session: string;
  readonly workspace: Workspace;
  readonly history: WorkspaceHistory;
  readonly recovered: readonly RecoveredChange[];
}

/** The tools of one workspace. Every call passes the same pipeline. The caller must close it. */
export class Toolcrib<Tools = AnyTools> implements Caller<Tools>, AsyncDisposable {
  readonly session: string;
  /** Changes that a crash had interrupted and that were settled when this Toolcrib was opened; also in `history`. */
  readonly recovered: readonly RecoveredChange[];
  readonly #options: ToolcribOptions;
  readonly #dialect: Dialect;
  readonly #tools: readonly AnyTool[];
  readonly #workspace: Workspace;
  readonly #history: WorkspaceHistory;
  readonly #shells: ReturnType<typeof lazyShells>;
  readonly #code: ReturnType<typeof lazyCode>;
  readonly #servers: ReturnType<typeof lazyServers>;
  readonly #documents: ReturnType<typeof lazyDocuments>;
  readonly #scripts = lazyScripts();
  readonly #processes: ReturnType<typeof openProcesses>;
  readonly #approvals: WorkspaceApprovals;
  readonly #events = new CallEvents();
  readonly #running = new RunningCalls();
  readonly #shared: SharedByCallers;
  readonly #caller: ToolsetCaller;
  readonly #closeWarnings: string[] = [];
  readonly #hooks: Hooks | undefined;
  #client: ClientInfo;
  #mode: PolicyMode;
  #isPlanning = false;
  #closing: Promise<void> | undefined;

  /** For `openToolcrib` only. */
  constructor(parts: ToolcribParts) {
    const { options, dialect, toolset, workspace, history } = parts;
    const { environment, files, policy } = workspace;
    this.session = parts.session;
    this.recovered = parts.recovered;
    this.#options = options;
    this.#client = options.client ?? { kind: "library" };
    this.#dialect = dialect;
    this.#tools = parts.tools;
    this.#mode = parts.mode;
    this.#workspace = workspace;
    this.#history = history;
    this.#code = lazyCode({
      workspace: workspace.path,
      directory: files.index,
      reads: () => policy.reads,
      elsewhere: workspace.isElsewhere ? environment : undefined,
      embedder: options.embedder,
    });
    const { isElsewhere } = workspace;
    this.#servers = lazyServers({ settings: options.languageServers, isElsewhere });
    this.#documents = lazyDocuments(workspace.path);
    this.#shells = lazyShells(workspace);
    this.#processes = openProcesses({
      outputs: history.outputs,
      redactor: () => new RedactedStream(),
      shells: this.#shells,
    });
    this.#approvals = new WorkspaceApprovals({
      directories: workspace,
      asker: () => ({ workspace: workspace.id, session: this.session, client: this.#client }),
      mode: () => this.#mode,
      request: async (...call) => (await this.#caller.check(...call)).request ?? undefined,
    });
    const approvers = new Map<string, Approve>();
    const settings = this.#policySettings(approvers);
    const { commandHooks: hooks = [] } = options;
    const { session, denied } = parts;
    const here = hooks.length > 0 ? workspace.here?.() : undefined;
    if (hooks.length > 0) this.#hooks = new Hooks({ hooks, session, environment, here, policy: settings });
    const pipelineParts = this.#pipelineParts(toolset, settings);
    const [pipeline, check] = [openPipeline(pipelineParts), openCheck(pipelineParts)];
    const [events, running] = [this.#events, this.#running];
    const { hooks: functionHooks } = options;
    this.#shared = { environment, pipeline, check, events, running, denied, approvers, hooks: functionHooks };
    this.#caller = new ToolsetCaller(dialect, toolset, this.#shared);
    running.add(history.endAbandoned());
  }

  /** The real path of the workspace. */
  get workspace(): string {
    return this.#workspace.path;
  }

  /** The target that the workspace is on, such as `ssh:host:/dir`; undefined for this machine. */
  get target(): string | undefined {
    return this.#options.target && targetName(this.#options.target);
  }

  /** Whether the workspace is not on this machine, but on a target, in a backend or another environment. */
  get isElsewhere(): boolean {
    return this.#workspace.isElsewhere;
  }

  /** Programs that tools use and that a target lacks, such as `git`. */
  get missingPrograms(): readonly string[] {
    return this.#workspace.environment.machine?.missing ?? [];
  }

  /** Where code that reads files of the project outside of calls finds them, and what it may read. */
  get project(): ProjectLocation {
    const { environment, path, policy, isElsewhere } = this.#workspace;
    return { workspace: path, guard: policy.guard, custom: isElsewhere ? environment : undefined };
  }

  get mode(): PolicyMode {
    return this.#mode;
  }

  /** Changes the mode, also for calls that wait. Call it for the user, never for a model. */
  setMode(mode: PolicyMode): void {
    this.#mode = checkMode(mode);
    this.#workspace.policy.decideAgain();
  }

  /**
   * Replaces the `rules` of the options, also for calls that wait. Throws `invalid-input` when one cannot be parsed. Call it
   * for the user, never for a model.
   */
  setRules(rules: readonly string[]): void {
    checkValues({ rules });
    this.#workspace.policy.setRules(rules);
  }

  /** Whether plan mode is on: calls that do not only read are denied, except those of the user. */
  get isPlanning(): boolean {
    return this.#isPlanning;
  }

  /** Changes plan mode, also for calls that wait. Call it for the user, never for a model. */
  setPlanning(isPlanning: boolean): void {
    this.#isPlanning = isPlanning;
    this.#workspace.policy.decideAgain();
  }

  /** Names the program that uses this Toolcrib, for the log, when it becomes known only now. */
  setClient(client: ClientInfo): void {
    this.#client = client;
    if (!this.#running.haveEnded) this.#history.journal.introduce(client);
  }

  /** The events of all calls, as they happen. */
  get events(): CallEventStream {
    return this.#events;
  }

  /** Warnings for the user, for example about a damaged journal. The list grows while the Toolcrib is open. */
  get warnings(): readonly string[] {
    const all = [
      ...this.#workspace.warnings,
      ...this.#workspace.heldBack(),
      ...this.#workspace.policy.warnings,
      ...this.#history.journal.warnings,
      ...this.#history.warnings,
      ...(this.#options.sources ?? []).flatMap((source) => source.warnings),
      ...(this.#hooks?.warnings ?? []),
      ...this.#closeWarnings,
    ];
    return all.map((warning) => commandsOnTarget(warning, this.target));
  }

  /** The tools of other servers, as given in the options. */
  get sources(): readonly ToolSource[] {
    return this.#options.sources ?? [];
  }

  /** The recorded conversations with models in this workspace. */
  get conversations(): Conversations {
    return this.#history.conversations;
  }

  /** See Caller. */
  definitions<Format extends WireFormat | undefined = undefined>(
    options?: DefinitionOptions<Format>,
  ): Promise<readonly DefinitionIn<Format>[]> {
    return this.#caller.definitions(options);
  }

  /** See Caller. */
  onToolsChange(listener: () => void): () => void {
    return this.#caller.onToolsChange(listener);
  }

  /** See Caller. */
  call<Name extends ToolName<Tools>>(
    name: Name,
    input: CallInput<Name, Tools>,
    options?: CallOptions,
  ): Promise<CallResult<CallData<Name, Tools>>> {
    return this.#caller.call(name, input, options);
  }

  /** See Caller. */
  check<Name extends ToolName<Tools>>(
    name: Name,
    input: CallInput<Name, Tools>,
    options?: CheckOptions,
  ): Promise<CallCheck> {
    return this.#caller.check(name, input, options);
  }

  /**
   * Adds a caller with its own dialect and its own memory of files; everything else is shared. It is closed with this
   * Toolcrib.
   */
  async addCaller(options: CallerOptions = {}): Promise<AddedCaller> {
    const { agents, agent, dialect: wanted, isUser = false } = options;
    const readOnly = this.#options.readOnly || options.readOnly;
    const dialect = wanted === undefined ? this.#dialect : await toDialect(wanted);
    const isDenied = this.#shared.denied;
    const given = { ...this.#options, agents, tools: this.#tools, readOnly };
    const toolset = openToolset(dialect, given, isDenied, { allowUnknown: true });
    const finder = finderIn(toolset);
    const memory = newCallerMemory(this.#workspace.environment, {
      agents: agents ?? noAgents,
      tools: finder,
    });
    const endLeftovers = () => Promise.all([this.#processes.stopOf(memory), this.#shells.stopOf(memory)]);
    return new AddedCaller(dialect, toolset, this.#shared, { memory, agent, isUser, endLeftovers });
  }

  /** Runs the hooks of a session's event. The hooks of calls run by themselves. */
  async runHooks(
    event: "UserPromptSubmit" | "Stop",
    details: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<HookAnswer> {
    return this.#hooks?.has(event) ? this.#hooks.run(event, details, { signal }) : {};
  }

  /** Stores a text for a week and returns its handle, which tools that read files take as a path. */
  storeOutput(text: string): Promise<string> {
    return this.#history.outputs.keep(text);
  }

  /** Returns a part of a stored output, by its handle. Rejects with `not-found` when it is no longer stored. */
  readOutput(handle: string, range?: OutputRange): Promise<OutputPart> {
    return readOutput(this.#workspace.storedOutputs, handle, range);
  }

  /**
   * Returns the project's files for agents (AGENTS.md), from the top of its repository down to the workspace,
   * `maxBytes` of each. Files outside the repository and files that a rule denies are refused.
   */
  async projectFiles(names: readonly string[], maxBytes: number): Promise<ProjectFiles> {
    const { readProjectFiles } = await import("./project-files.ts");
    return readProjectFiles(this.project, names, maxBytes);
  }

  /**
   * Returns the files that tools can read, relative to the workspace, without hidden and ignored ones. With `atOnce`, also
   * without those that a rule asks about. Not recorded.
   */
  async listFiles(
    signal: AbortSignal,
    { atOnce = false }: { readonly atOnce?: boolean } = {},
  ): Promise<readonly string[]> {
    const [{ listFiles }, { FileFilter }] = await Promise.all([
      import("../files/list-files.ts"),
      import("../files/file-filter.ts"),
    ]);
    const { environment, path, policy } = this.#workspace;
    const filter = new FileFilter({ globs: ["**"] });
    const wanted = { directory: "", filter, hidden: false, ignoreFiles: true };
    const { paths } = await listFiles(wanted, { environment, signal });
    const { guard, asks } = policy.reads;
    return paths
      .filter((file) => guard("read", `${path}/${file}`) === undefined)
      .filter((file) => !atOnce || !asks?.(`${path}/${file}`));
  }

  /** Returns the index of the code, up to date; undefined when there is none. Does not build one. Not recorded. */
  async codeIndex(signal: AbortSignal): Promise<ProjectIndex | undefined> {
    const { sizeOfIndex } = await import("../code/index/storage/index-file.ts");
    const hasIndex = sizeOfIndex(this.#workspace.files.index);
    return hasIndex ? this.#code.index({ signal, progress: () => {} }) : undefined;
  }

  /** Returns how commands are confined, and what is missing for more. Tries it out once. */
  sandbox(): Promise<SandboxReport> {
    return this.#workspace.sandbox();
  }

  /** Returns the background processes and shells of this Toolcrib, running and ended, oldest first. */
  processes(): Promise<readonly ProcessStatus[]> {
    return this.#processes.list();
  }

  /** The questions about calls of this workspace, and the user's answers. */
  get approvals(): Approvals {
    return this.#approvals;
  }

  /**
   * Undoes the latest change of this session, or the selected calls. Like every call, it follows the rules, may need
   * approval, and is recorded. The input is that of `journal.undo`.
   */
  undo(
    input: Omit<CallInput<"journal.undo">, "redo"> = {},
    options?: CallOptions,
  ): Promise<CallResult<UndoneChanges | null>> {
    return this.#journalCall("journal.undo", input, options);
  }

  /** Reverts the latest undo that is still in force. Otherwise like `undo`. */
  redo(input: RedoInput = {}, options?: CallOptions): Promise<CallResult<UndoneChanges | null>> {
    return this.#journalCall("journal.undo", { ...input, redo: true }, options);
  }

  /** Returns what the calls of this session changed in files, or the selected calls. The input is that of `journal.diff`. */
  diff(
    input: CallInput<"journal.diff"> = {},
    options?: CallOptions,
  ): Promise<CallResult<ChangedFiles | null>> {
    return this.#journalCall("journal.diff", input, options);
  }

  async #journalCall<Data>(
    name: "journal.undo" | "journal.diff",
    input: CallInput<"journal.undo"> | CallInput<"journal.diff">,
    options: CallOptions | undefined,
  ): Promise<CallResult<Data>> {
    return (await this.#caller.callCanonical(name, input, options)) as CallResult<Data>;
  }

  /** Returns the latest calls in this workspace, newest first. Default: 50. */
  log({ limit = 50 }: { readonly limit?: number | undefined } = {}): readonly CallRecord[] {
    if (this.#running.haveEnded) throw toolcribClosed();
    return this.#history.journal.latest(limit);
  }

  /**
   * Returns the record of one call. A call that may change something is recorded before it runs, others when they end.
   */
  findCall(callId: string): CallRecord | undefined {
    if (this.#running.haveEnded) throw toolcribClosed();
    return this.#history.journal.find(callId);
  }

  /** Cancels running calls, waits for them, and writes the rest of the journal. May be called twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#shared.denied.close();
    await this.#running.end();
    this.#approvals.close();
    try {
      const sources = this.#options.sources ?? [];
      const parts = [
        ...[this.#processes, this.#shells, this.#code, this.#servers, this.#documents, this.#scripts],
        ...sources,
      ];
      const ended = await Promise.allSettled(parts.map(async (part) => part.close()));
      // Even when a part failed to close, an open transaction must not be left half done.
      this.#closeWarnings.push(...(await this.#history.transactions.leave()));
      for (const end of ended) if (end.status === "rejected") throw end.reason;
    } finally {
      this.#events.close();
      await this.#history.close();
      await this.#workspace.close();
    }
  }

  #pipelineParts(toolset: Toolset, policy: PolicySettings): PipelineParts {
    const { agents = noAgents, maxShownTokens, search = searchSettings(process.env) } = this.#options;
    return {
      ...this.#history,
      environment: this.#workspace.environment,
      events: this.#events,
      processes: this.#processes,
      shells: this.#shells,
      agents,
      code: this.#code,
      servers: this.#servers,
      documents: this.#documents,
      scripts: this.#scripts,
      maxShownTokens,
      target: this.target,
      tools: finderIn(toolset),
      settings: { search },
      policy,
      hooks: this.#hooks,
    };
  }

  #policySettings(approvers: ReadonlyMap<string, Approve>): PolicySettings {
    const now = () => ({ mode: this.#mode, isPlanning: this.#isPlanning });
    return {
      get mode() {
        return now().mode;
      },
      get isPlanning() {
        return now().isPlanning;
      },
      rules: this.#workspace.policy,
      surroundings: {
        sandbox: async () => (await this.sandbox()).level,
        // Terminals and clients set many different ones, which are no reason to ask again.
        variables: ({ base, extra }) =>
          allowedVariables(process.env, { base: base === "most" ? "core" : base, extra }),
        shell: (name) => this.#shells.history(name),
        undoLacks: () => this.#history.scanner.incomplete,
      },
      definitions: async () => {
        const { ToolDefinitions } = await import("../engine/approvals/tool-definitions.ts");
        return new ToolDefinitions(this.#workspace.config);
      },
      approverOf: (callId) =>
        this.#approvals.approver(approvers.get(callId) ?? this.#options.approve, {
          isStored: this.#options.pendingApprovals ?? false,
          waitMs: this.#options.approvalWaitMs,
          notify: (request, message) =>
            this.#events.emit({
              ...{ type: "tool-progress", callId: request.callId, at: Date.now(), message },
              ...{ name: request.tool, canonical: request.tool },
            }),
        }),
    };
  }
}

type RedoInput = Pick<CallInput<"journal.undo">, "merge" | "skip_changed" | "dry_run">;
