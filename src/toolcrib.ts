import type { Agents } from "./contract/agents.ts";
import type { Environment, RecoveredChange, SandboxReport } from "./contract/environment.ts";
import { ToolError } from "./contract/error.ts";
import type { ProcessStatus } from "./contract/process.ts";
import type { Reach } from "./contract/reach.ts";
import type { SearchSettings } from "./contract/settings.ts";
import type { ToolSource } from "./contract/source.ts";
import type { AnyTool } from "./contract/tool.ts";
import type { ToolDefinition } from "./dialects/definition.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { findDialect } from "./dialects/dialects.ts";
import { Shelf } from "./dialects/shelf.ts";
import { keepQuestion } from "./door/approvals/keep-question.ts";
import { KeptQuestions } from "./door/approvals/kept-questions.ts";
import type { KeptQuestion } from "./door/approvals/question-file.ts";
import { type CallResult, toResult } from "./door/call-result.ts";
import { DeniedTools } from "./door/denied-tools.ts";
import { lazyCode } from "./door/lazy-code.ts";
import { lazyDocuments } from "./door/lazy-documents.ts";
import { lazyShells } from "./door/lazy-shells.ts";
import { openPast } from "./door/open-past.ts";
import { openPlace } from "./door/open-place.ts";
import { reachOf } from "./door/reach-of.ts";
import { type OutputPart, type OutputRange, readOutput } from "./door/read-output.ts";
import { recordRecovery } from "./door/record-recovery.ts";
import { RunningCalls } from "./door/running-calls.ts";
import type { SandboxWanted } from "./door/sandbox-wanted.ts";
import { searchSettings } from "./door/search-settings.ts";
import { allowedVariables } from "./environment/local/processes/variables.ts";
import { type Mode, modes } from "./guardian/mode.ts";
import { RedactedStream } from "./guardian/redaction/redacted-stream.ts";
import type { JournalBudget } from "./journal/collect/budget.ts";
import type { CallRecord } from "./journal/journal.ts";
import { openProcesses } from "./processes/open-processes.ts";
import type { Approve } from "./runtime/approvals/approval.ts";
import { CallEvents, type EventListener, type EventSource } from "./runtime/call-events.ts";
import { noAgents } from "./runtime/no-agents.ts";
import { openCounter } from "./runtime/runtime.ts";
import { newIdentifier } from "./text/identifier.ts";
import type { WireFormat, WireTools } from "./wire/formats.ts";

export type { Access, Risk } from "./contract/access.ts";
export type { Account, DecisionRecord, SandboxLevel } from "./contract/account.ts";
export type * from "./contract/agents.ts";
export type { Success } from "./contract/call.ts";
export type * from "./contract/code.ts";
export type * from "./contract/document.ts";
export type * from "./contract/environment.ts";
export { type ErrorCode, errorCodes, ToolError } from "./contract/error.ts";
export type { CallEvent } from "./contract/event.ts";
export type * from "./contract/history.ts";
export type * from "./contract/plan.ts";
export type * from "./contract/process.ts";
export type * from "./contract/reach.ts";
export type * from "./contract/settings.ts";
export type * from "./contract/source.ts";
export type {
  AnyTool,
  Image,
  OutputLimits,
  Tool,
  ToolContext,
  ToolHints,
  ToolOutput,
} from "./contract/tool.ts";
export type * from "./contract/tool-finder.ts";
export type * from "./contract/transaction.ts";
export type * from "./contract/web.ts";
export type { ToolDefinition } from "./dialects/definition.ts";
export type { Dialect, DialectTool, MeantCall, OfferedTool } from "./dialects/dialect.ts";
export { dialectFor } from "./dialects/dialect-for.ts";
export { dialectNames } from "./dialects/dialects.ts";
export type { ToolEffects } from "./dialects/effects.ts";
export { rename } from "./dialects/rename.ts";
export { reshape } from "./dialects/reshape.ts";
export type { KeptAnswer, KeptQuestion } from "./door/approvals/question-file.ts";
export type { CallFailure, CallResult } from "./door/call-result.ts";
export type { OutputPart, OutputRange } from "./door/read-output.ts";
export type { SandboxWanted } from "./door/sandbox-wanted.ts";
export { openLocalEnvironment } from "./environment/local/local-environment.ts";
export { MemoryEnvironment } from "./environment/memory/memory-environment.ts";
export { type Mode, modes } from "./guardian/mode.ts";
export type { Part, PartVerdict, RulePlace, Segment } from "./guardian/policy.ts";
export type { JournalBudget } from "./journal/collect/budget.ts";
export type { CallRecord } from "./journal/journal.ts";
export type {
  Approval,
  ApprovalRequest,
  Approve,
  ShownPart,
  ShownRequest,
} from "./runtime/approvals/approval.ts";
export type { EventListener, EventSource } from "./runtime/call-events.ts";
export type { Action } from "./text/actions/action.ts";
export { type DescribedTool, describeActions } from "./text/actions/describe-actions.ts";
export { type ActionReading, readActions } from "./text/actions/read-actions.ts";
export type { WireFormat, WireTools } from "./wire/formats.ts";

export interface ToolcribOptions {
  /** The folder the tools work in and never leave; the current one if not said. */
  readonly workspace?: string;
  /** Which names and shapes the tools have; `toolcrib` if not said. */
  readonly dialect?: string | Dialect;
  /** How much is asked; `cautious` if not said: reads and writes pass, all else asks. */
  readonly mode?: Mode;
  /** Asks the person; without it, what would be asked is refused. */
  readonly approve?: Approve;
  /**
   * A call that would be asked, and has nobody to ask, is refused with the id of its question: a person answers it with
   * `toolcrib approve`, and the answer counts for the same call made again.
   */
  readonly keepQuestions?: boolean;
  /** How long such a call waits for its answer before it is refused; not at all if not said. */
  readonly waitForApprovalMs?: number;
  /** Rules above those of all files, one each: `deny run git push **`. */
  readonly rules?: readonly string[];
  /** Files of such rules. */
  readonly ruleFiles?: readonly string[];
  /** Own tools beside the dialect's; a name that is taken is replaced, the last one wins. */
  readonly tools?: readonly AnyTool[];
  /** Tools of other servers, which may change while the room is open; the room closes them. */
  readonly sources?: readonly ToolSource[];
  /**
   * No other tools than these, listed and called: by name in the dialect or canonical, by pattern (`file.*`), by a set of the
   * dialect, or `all`. If not said, all can be called, and those are listed that the dialect lists at once.
   */
  readonly allowedTools?: readonly string[];
  /** No tool that may change anything. */
  readonly readOnly?: boolean;
  /** Other agents for the one who calls; without them the tools `agent.*` are not there. */
  readonly agents?: Agents;
  /** Where files can be reached by name besides the workspace; else as the dialect promises, which is nowhere for most. */
  readonly reach?: Reach;
  /** Where journal and outputs are kept; below the XDG state directory if not said. */
  readonly stateDirectory?: string;
  /** How much of the past is kept; else as TOOLCRIB_JOURNAL_MAX_BYTES and TOOLCRIB_JOURNAL_MAX_DAYS say. */
  readonly journal?: Partial<JournalBudget>;
  /** Where the person's own rules are, and those that answers add; below the XDG config directory if not said. */
  readonly configDirectory?: string;
  /** Where things happen; this machine if not said. */
  readonly environment?: Environment;
  /**
   * What commands run in: the best that can be had ("auto", if neither this nor TOOLCRIB_SANDBOX says otherwise), or just
   * this level; a command fails where that cannot be had.
   */
  readonly sandbox?: SandboxWanted;
  /**
   * What a model is shown of one answer, in tokens as a careful reader would count them, where tools allow themselves more:
   * for clients that refuse what is longer. The rest is kept.
   */
  readonly maxShownTokens?: number;
  /** Who answers web.search; else as TOOLCRIB_SEARCH says, or nobody. */
  readonly search?: SearchSettings;
  /**
   * Whose calls `journal.undo` takes back: those made in this room, or all that were ever made in this workspace;
   * `session` if not said. Only what acts for a person should open a room with `workspace`.
   */
  readonly undoes?: "session" | "workspace";
  /**
   * What becomes of a transaction that is still open when the room is closed: it is rolled back, unless told to be left
   * to the next room that is opened so. For rooms of a single call each, as on the command line.
   */
  readonly parkTransaction?: boolean;
}

export interface CallOptions {
  /** Cancels the call and everything it started. */
  readonly signal?: AbortSignal;
  /** Ends the call after this long; time spent waiting for a person or for its turn does not count. */
  readonly timeoutMs?: number;
  /** Asks the person about this call, instead of whom the room asks. */
  readonly approve?: Approve;
  /** Hears of this call, as `events` do. */
  readonly onEvent?: EventListener;
}

export interface DefinitionOptions {
  /** "listed" if not said. */
  readonly which?: "listed" | "all" | undefined;
}

/** An open tool room. Close it when done. */
export interface Toolcrib {
  /** Real path of the workspace. */
  readonly workspace: string;
  readonly session: string;
  readonly mode: Mode;
  /** What happens at the counter, as it happens. */
  readonly events: EventSource;
  /** Changes that a crash had left half done, and how they were settled when this room was opened; also in `history`. */
  readonly recovered: readonly RecoveredChange[];
  /** What a person has to know, as it becomes known: that the journal was damaged, and what became of it. */
  readonly warnings: readonly string[];
  /**
   * The tools as models are told of them; `which: "all"` also gives those that are not listed at once, `for` puts them as one
   * provider's API takes them.
   */
  definitions(options?: DefinitionOptions & { readonly for?: undefined }): Promise<readonly ToolDefinition[]>;
  definitions<Format extends WireFormat>(
    options: DefinitionOptions & { readonly for: Format },
  ): Promise<readonly WireTools[Format][]>;
  /** Calls `listener` whenever `definitions()` may have changed; the answer stops it. */
  onToolsChange(listener: () => void): () => void;
  /** Calls a tool by its name in the dialect, or its canonical name. Never rejects: failures are results. */
  call(name: string, input: unknown, options?: CallOptions): Promise<CallResult>;
  /** A part of an output that was too long to show, by its handle; `not-found` when it is not kept any more. */
  readOutput(handle: string, range?: OutputRange): Promise<OutputPart>;
  /** How well commands are confined here, and why not better; found out by trying, once. */
  sandbox(): Promise<SandboxReport>;
  /** What runs beside the calls of this room, and what has ended, oldest first. */
  processes(): readonly ProcessStatus[];
  /** The questions of this workspace that wait for `toolcrib approve`, oldest first. */
  pending(): readonly KeptQuestion[];
  /** The latest calls in this workspace, newest first. */
  history(limit?: number): readonly CallRecord[];
  /** Cancels what runs, waits for it, writes down what is left. May be called twice. */
  close(): Promise<void>;
}

/** The door: puts environment, stages and dialect together. Every app comes in here. */
export async function openToolcrib(options: ToolcribOptions = {}): Promise<Toolcrib> {
  const dialect =
    typeof options.dialect === "object" ? options.dialect : await findDialect(options.dialect ?? "toolcrib");
  const mode = checkMode(options.mode ?? "cautious");
  const { sources = [] } = options;
  const shelf = new Shelf(dialect, {
    own: options.tools ?? [],
    sources,
    allowed: options.allowedTools,
    readOnly: options.readOnly,
    has: new Set(options.agents ? (["agents"] as const) : []),
    isDenied: (tool) => denied.isDenied(tool),
  });
  const session = newIdentifier("session");
  const place = await openPlace({ ...options, reach: reachOf(dialect, options) });
  const past = openPast(place, { session, ...options });
  const { environment, policy } = place;
  const denied = new DeniedTools(policy);
  const questions = new KeptQuestions({ folder: place.files.approvals, workspace: place.workspace });
  const { journal, transactions, outputs } = past;
  const release = async () => {
    await past.close();
    await place.close();
  };
  const recovered = [...(environment.recovered ?? [])];
  for (const change of recovered) recordRecovery(journal, change);
  try {
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
  const counter = openCounter({
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
      mode,
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
    ? keepQuestion({
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
      await Promise.all([processes, shells, code, documents, ...sources].map((part) => part.close()));
      warnings.push(...(await transactions.leave()));
    } finally {
      events.close();
      await release();
    }
  };

  return {
    workspace: place.workspace,
    session,
    mode,
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
    definitions: async <Format extends WireFormat>(
      options: DefinitionOptions & { readonly for?: Format | undefined } = {},
    ) => {
      await denied.refresh();
      const definitions = await shelf.definitions(options.which);
      if (options.for === undefined) return definitions as never;
      const { toWire } = await import("./wire/formats.ts");
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
      if (running.haveEnded) return toResult(id, { ok: false, error: roomClosed() }, dialect);
      if (approve) asked.set(id, approve);
      const stopListening = onEvent && events.on((event) => event.callId === id && onEvent(event));
      const entered = running.enter(signal);
      const outcome = shelf.find(String(name), input).then((meant) =>
        counter({
          ...meant,
          id,
          accesses: [],
          environment,
          account: {},
          signal: entered.signal,
          timeoutMs,
          outlivedBy: (work) => running.add(work),
          notify: () => {},
        }),
      );
      running.add(outcome);
      try {
        return toResult(id, await outcome, dialect);
      } finally {
        entered.leave();
        asked.delete(id);
        stopListening?.();
      }
    },
    readOutput: (handle, range) => readOutput(place.kept, handle, range),
    sandbox: () => place.sandbox(),
    processes: () => processes.list(),
    pending: () => questions.list(),
    history: (limit = 50) => {
      if (running.haveEnded) throw roomClosed();
      return journal.latest(limit);
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

function checkMode(mode: Mode): Mode {
  if (modes.includes(mode)) return mode;
  throw new ToolError("invalid-input", `There is no mode "${mode}"`, {
    hint: `Known: ${modes.join(", ")}.`,
  });
}
