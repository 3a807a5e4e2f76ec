import type { Agents } from "../contract/agents.ts";
import type { CallerMemory } from "../contract/call.ts";
import { ToolError } from "../contract/error.ts";
import type { ToolFinder } from "../contract/tool-finder.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { findDialect } from "../dialects/dialects.ts";
import { Toolset } from "../dialects/toolset.ts";
import { newIdentifier } from "../lib/identifier.ts";
import { printableLine } from "../lib/printable.ts";
import type { Approve } from "../pipeline/approvals/approval.ts";
import { CallEvents } from "../pipeline/call-events.ts";
import { noAgents } from "../pipeline/no-agents.ts";
import { openPipeline } from "../pipeline/pipeline.ts";
import { newCaller } from "../pipeline/run-tool.ts";
import { type Mode, modes } from "../policy/policy.ts";
import { RedactedStream } from "../policy/redaction/redact.ts";
import { openProcesses } from "../processes/open-processes.ts";
import { allowedVariables } from "../system/variables.ts";
import type { WireFormat } from "../wire/formats.ts";
import { PendingApprovals } from "./approvals/pending-approvals.ts";
import { storeApproval } from "./approvals/store-approval.ts";
import { toResult } from "./call-result.ts";
import { DeniedTools } from "./denied-tools.ts";
import { lazyCode } from "./lazy-code.ts";
import { lazyDocuments } from "./lazy-documents.ts";
import { lazyShells } from "./lazy-shells.ts";
import { openPast } from "./open-past.ts";
import { openPlace } from "./open-place.ts";
import { reachOf } from "./reach-of.ts";
import { readOutput } from "./read-output.ts";
import { recordRecovery } from "./record-recovery.ts";
import { RunningCalls } from "./running-calls.ts";
import { searchSettings } from "./search-settings.ts";
import type { ToolcribOptions } from "./toolcrib-options.ts";
import type { Caller, DefinitionOptions, Toolcrib } from "./toolcrib-room.ts";

export type { Access, Risk } from "../contract/access.ts";
export type { Account, DecisionRecord, SandboxLevel } from "../contract/account.ts";
export type * from "../contract/agents.ts";
export type { Success } from "../contract/call.ts";
export type * from "../contract/code.ts";
export type * from "../contract/conversations.ts";
export type * from "../contract/document.ts";
export type * from "../contract/environment.ts";
export { type ErrorCode, errorCodes, ToolError } from "../contract/error.ts";
export type { CallEvent } from "../contract/event.ts";
export type * from "../contract/history.ts";
export type * from "../contract/plan.ts";
export type * from "../contract/process.ts";
export type * from "../contract/reach.ts";
export type * from "../contract/settings.ts";
export type * from "../contract/source.ts";
export type {
  AnyTool,
  Image,
  OutputLimits,
  Tool,
  ToolContext,
  ToolHints,
  ToolOutput,
} from "../contract/tool.ts";
export type * from "../contract/tool-finder.ts";
export type * from "../contract/transaction.ts";
export type * from "../contract/web.ts";
export type { ToolDefinition } from "../dialects/definition.ts";
export type { Dialect, DialectTool, OfferedTool, ResolvedCall } from "../dialects/dialect.ts";
export { dialectFor, dialectNames } from "../dialects/dialects.ts";
export type { ToolEffects } from "../dialects/effects.ts";
export { rename } from "../dialects/rename.ts";
export { reshape } from "../dialects/reshape.ts";
export { openLocalEnvironment } from "../environment/local/local-environment.ts";
export { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
export type { JournalBudget } from "../journal/collect/budget.ts";
export type { CallRecord } from "../journal/journal.ts";
export type {
  Approval,
  ApprovalRequest,
  Approve,
  ShownPart,
  ShownRequest,
} from "../pipeline/approvals/approval.ts";
export type { EventListener, EventSource } from "../pipeline/call-events.ts";
export type { Part, PartVerdict, RulePlace, Segment } from "../policy/policy.ts";
export { type Mode, modes } from "../policy/policy.ts";
export type { Action } from "../wire/actions/describe-actions.ts";
export { type DescribedTool, describeActions } from "../wire/actions/describe-actions.ts";
export { type ActionReading, readActions } from "../wire/actions/read-actions.ts";
export type { WireFormat, WireTools } from "../wire/formats.ts";
export type { ApprovalAnswer, PendingApproval } from "./approvals/approval-file.ts";
export type { CallFailure, CallResult } from "./call-result.ts";
export type { ProjectFile, ProjectFiles } from "./project-files.ts";
export type { OutputPart, OutputRange } from "./read-output.ts";
export type { SandboxWanted } from "./sandbox-wanted.ts";
export type { ToolcribOptions } from "./toolcrib-options.ts";
export type {
  AddedCaller,
  Caller,
  CallerOptions,
  CallOptions,
  DefinitionOptions,
  Toolcrib,
} from "./toolcrib-room.ts";

/** The door: puts environment, stages and dialect together. Every app comes in here. */
export async function openToolcrib(options: ToolcribOptions = {}): Promise<Toolcrib> {
  const dialect =
    typeof options.dialect === "object" ? options.dialect : await findDialect(options.dialect ?? "toolcrib");
  let mode = checkMode(options.mode ?? "cautious");
  checkLists(options);
  const { sources = [] } = options;
  const shelfFor = (dialect: Dialect, agents: Agents | undefined, isAdded = false) =>
    new Toolset(dialect, {
      own: options.tools ?? [],
      sources,
      allowed: options.allowedTools,
      mayLack: isAdded,
      readOnly: options.readOnly,
      has: new Set(agents ? (["agents"] as const) : []),
      isDenied: (tool) => denied.isDenied(tool),
    });
  const shelf = shelfFor(dialect, options.agents);
  const session = checkSession(options.session) ?? newIdentifier("session");
  const place = await openPlace({ ...options, reach: reachOf(dialect, options) });
  const past = openPast(place, { ...options, session });
  const { environment, policy } = place;
  const denied = new DeniedTools(policy);
  const questions = new PendingApprovals({ folder: place.files.approvals, workspace: place.workspace });
  const { journal, transactions, outputs } = past;
  const release = async () => {
    await past.close();
    await place.close();
  };
  const recovered = [...(environment.recovered ?? [])];
  try {
    if (options.session !== undefined) journal.claim();
    for (const change of recovered) recordRecovery(journal, change);
    recovered.push(...(await transactions.enter()));
  } catch (error) {
    await release();
    throw error;
  }

  const events = new CallEvents();
  const shells = lazyShells();
  const code = lazyCode({
    workspace: place.workspace,
    directory: place.files.index,
    guard: policy.guard,
    isElsewhere: options.environment !== undefined,
  });
  const documents = lazyDocuments();
  const processes = openProcesses({ outputs, redactor: () => new RedactedStream(), shells });
  const counter = openPipeline({
    ...past,
    environment,
    events,
    processes,
    shells,
    agents: options.agents ?? noAgents,
    code,
    documents,
    maxShownTokens: options.maxShownTokens,
    tools: { find: (query, options) => shelf.search(query, options) },
    settings: { search: options.search ?? searchSettings(process.env) },
    guardian: {
      get mode() {
        return mode;
      },
      rules: policy,
      surroundings: {
        sandbox: async () => (await place.sandbox()).level,
        variables: (names) => allowedVariables(process.env, names),
        shell: (name) => shells.past(name),
      },
      approverOf: (callId) => asked.get(callId) ?? options.approve ?? keeping,
    },
  });
  const asked = new Map<string, Approve>();
  const keeping = options.keepQuestions
    ? storeApproval({
        questions,
        session,
        waitMs: options.waitForApprovalMs,
        tell: ({ callId, tool }, message) =>
          events.emit({ type: "progress", callId, tool, at: Date.now(), message }),
      })
    : undefined;
  const running = new RunningCalls();
  running.add(past.endAbandoned());
  const warnings: string[] = [];
  let closed: Promise<void> | undefined;
  const close = async () => {
    denied.close();
    await running.end();
    try {
      const parts = [processes, shells, code, documents, ...sources];
      const ended = await Promise.allSettled(parts.map(async (part) => part.close()));
      // Whatever did not end well, an open transaction is not left half done.
      warnings.push(...(await transactions.leave()));
      for (const end of ended) if (end.status === "rejected") throw end.reason;
    } finally {
      events.close();
      await release();
    }
  };

  const callerAt = (
    shelf: Toolset,
    dialect: Dialect,
    added?: { readonly memory: CallerMemory; readonly calls: RunningCalls },
  ): Caller => ({
    definitions: async <Format extends WireFormat>(
      options: DefinitionOptions & { readonly for?: Format | undefined } = {},
    ) => {
      await denied.refresh();
      const definitions = await shelf.definitions(options.which);
      if (options.for === undefined) return definitions as never;
      const { toWire } = await import("../wire/formats.ts");
      return toWire(options.for, definitions) as never;
    },
    onToolsChange: (listener) => {
      const stops = [shelf.onChange(listener), denied.onChange(listener)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    call: async (name, input, { signal, timeoutMs, approve, onEvent } = {}) => {
      const id = newIdentifier("call");
      const closed = running.haveEnded ? roomClosed() : added?.calls.haveEnded ? callerLeft() : undefined;
      if (closed) return toResult(id, { ok: false, error: closed }, dialect);
      if (approve) asked.set(id, approve);
      const stopListening = onEvent && events.on((event) => event.callId === id && onEvent(event));
      const own = added?.calls.enter(signal);
      const entered = running.enter(own?.signal ?? signal);
      const outcome = shelf.find(String(name), input).then((meant) =>
        counter({
          ...meant,
          id,
          accesses: [],
          environment,
          caller: added?.memory,
          account: {},
          signal: entered.signal,
          timeoutMs,
          outlivedBy: (work) => running.add(work),
          notify: () => {},
        }),
      );
      running.add(outcome);
      added?.calls.add(outcome);
      try {
        return toResult(id, await outcome, dialect);
      } finally {
        entered.leave();
        own?.leave();
        asked.delete(id);
        stopListening?.();
      }
    },
  });

  return {
    workspace: place.workspace,
    session,
    get mode() {
      return mode;
    },
    setMode: (wanted) => {
      mode = checkMode(wanted);
    },
    events,
    recovered,
    get warnings() {
      return [
        ...policy.warnings,
        ...journal.warnings,
        ...sources.flatMap((source) => source.warnings),
        ...warnings,
      ];
    },
    ...callerAt(shelf, dialect),
    addCaller: async ({ agents, dialect: wanted = dialect } = {}) => {
      const own = typeof wanted === "object" ? wanted : await findDialect(wanted);
      const shelf = shelfFor(own, agents, true);
      const tools: ToolFinder = { find: (query, options) => shelf.search(query, options) };
      const memory = newCaller(environment, { agents: agents ?? noAgents, tools });
      const calls = new RunningCalls();
      const leave = async () => {
        await calls.end();
        await Promise.all([processes.stopOf(memory), shells.stopOf(memory)]);
      };
      let left: Promise<void> | undefined;
      return {
        ...callerAt(shelf, own, { memory, calls }),
        close: () => {
          left ??= leave();
          return left;
        },
      };
    },
    conversations: past.conversations,
    readOutput: (handle, range) => readOutput(place.kept, handle, range),
    projectFiles: async (names, maxBytes) => {
      const { readProjectFiles } = await import("./project-files.ts");
      const elsewhere = options.environment && environment;
      return readProjectFiles(
        { workspace: place.workspace, guard: policy.guard, elsewhere },
        names,
        maxBytes,
      );
    },
    sandbox: () => place.sandbox(),
    processes: () => processes.list(),
    pending: () => questions.list(),
    history: (limit = 50) => {
      if (running.haveEnded) throw roomClosed();
      return journal.latest(limit);
    },
    findCall: (callId) => {
      if (running.haveEnded) throw roomClosed();
      return journal.find(callId);
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

function roomClosed(): ToolError {
  return new ToolError("unavailable", "This tool room is closed", { hint: "Open a new one." });
}

function callerLeft(): ToolError {
  return new ToolError("unavailable", "This caller has left the room", { hint: "Add another." });
}

/** Without types a single one is easily given for a list, and a text would be taken apart by its letters. */
function checkLists(options: ToolcribOptions): void {
  for (const name of ["rules", "ruleFiles", "tools", "allowedTools", "sources"] as const) {
    if (options[name] === undefined || Array.isArray(options[name])) continue;
    throw new ToolError("invalid-input", `The option ${name} must be a list`, {
      hint: `Write ${name}: [ … ], also for one.`,
    });
  }
}

function checkSession(session: string | undefined): string | undefined {
  if (session === undefined || /^[\w.:-]{1,128}$/.test(session)) return session;
  throw new ToolError("invalid-input", `"${printableLine(String(session))}" cannot be the id of a session`, {
    hint: "Letters, digits and _ . : - only. See which there are: toolcrib sessions list",
  });
}

function checkMode(mode: Mode): Mode {
  if (modes.includes(mode)) return mode;
  throw new ToolError("invalid-input", `There is no mode "${mode}"`, {
    hint: `Known: ${modes.join(", ")}.`,
  });
}
