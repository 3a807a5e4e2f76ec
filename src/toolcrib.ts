import type { Outcome } from "./contract/call.ts";
import type { VariablePolicy } from "./contract/confinement.ts";
import type { Environment, RecoveredChange, SandboxReport } from "./contract/environment.ts";
import { type ErrorCode, ToolError } from "./contract/error.ts";
import type { AnyTool, Image } from "./contract/tool.ts";
import type { ToolDefinition } from "./dialects/definition.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { findDialect } from "./dialects/dialects.ts";
import { Shelf } from "./dialects/shelf.ts";
import { OpenPolicy } from "./door/open-policy.ts";
import { noSandbox, type SandboxWanted, sandboxWanted } from "./door/sandbox-wanted.ts";
import {
  makePrivateDirectory,
  realLocation,
  realWorkspace,
  userDirectories,
  workspaceFiles,
} from "./environment/directories.ts";
import { openLocalEnvironment } from "./environment/local/local-environment.ts";
import { RunRecords } from "./environment/local/processes/run-records.ts";
import { allowedVariables } from "./environment/local/processes/variables.ts";
import { TransactionMarks } from "./environment/transaction-marks.ts";
import { withGuard } from "./environment/with-guard.ts";
import { withOutputs } from "./environment/with-outputs.ts";
import { type Mode, modes } from "./guardian/mode.ts";
import { redactValue } from "./guardian/redaction/redact.ts";
import { RedactedStream } from "./guardian/redaction/redacted-stream.ts";
import { openBlobs } from "./journal/blobs.ts";
import { type JournalBudget, journalBudget, outputBudget } from "./journal/collect/budget.ts";
import { Collector } from "./journal/collect/collector.ts";
import { type CallRecord, Journal } from "./journal/journal.ts";
import { openOutputStore } from "./journal/output-store.ts";
import { lazyScanner } from "./journal/scan/lazy-scanner.ts";
import { RoomTransactions } from "./journal/transactions/room-transactions.ts";
import { lazyHistory } from "./journal/undo/lazy-history.ts";
import { protecting } from "./journal/undo/protecting.ts";
import { openProcesses } from "./processes/open-processes.ts";
import type { Approve } from "./runtime/approvals/approval.ts";
import { CallEvents, type EventSource } from "./runtime/call-events.ts";
import { noShells } from "./runtime/no-processes.ts";
import { openCounter } from "./runtime/runtime.ts";
import { newIdentifier } from "./text/identifier.ts";

export type { Access, Risk } from "./contract/access.ts";
export type { Account, DecisionRecord, SandboxLevel } from "./contract/account.ts";
export type { Success } from "./contract/call.ts";
export type * from "./contract/environment.ts";
export { type ErrorCode, errorCodes, ToolError } from "./contract/error.ts";
export type { CallEvent } from "./contract/event.ts";
export type * from "./contract/history.ts";
export type * from "./contract/process.ts";
export type { AnyTool, Image, OutputLimits, Tool, ToolContext, ToolOutput } from "./contract/tool.ts";
export type * from "./contract/transaction.ts";
export type { ToolDefinition } from "./dialects/definition.ts";
export type { Dialect, DialectTool } from "./dialects/dialect.ts";
export { dialectNames } from "./dialects/dialects.ts";
export { rename } from "./dialects/rename.ts";
export type { SandboxWanted } from "./door/sandbox-wanted.ts";
export { openLocalEnvironment } from "./environment/local/local-environment.ts";
export { MemoryEnvironment } from "./environment/memory/memory-environment.ts";
export { type Mode, modes } from "./guardian/mode.ts";
export type { Part, PartVerdict, RulePlace, Segment } from "./guardian/policy.ts";
export type { JournalBudget } from "./journal/collect/budget.ts";
export type { CallRecord } from "./journal/journal.ts";
export type { Approval, ApprovalRequest, Approve } from "./runtime/approvals/approval.ts";
export type { EventListener, EventSource } from "./runtime/call-events.ts";

export interface ToolcribOptions {
  /** The folder the tools work in and never leave; the current one if not said. */
  readonly workspace?: string;
  /** Which names and shapes the tools have; `toolcrib` if not said. */
  readonly dialect?: string | Dialect;
  /** How much is asked; `cautious` if not said: reads and writes pass, all else asks. */
  readonly mode?: Mode;
  /** Asks the person; without it, what would be asked is refused. */
  readonly approve?: Approve;
  /** Rules above those of all files, one each: `deny run git push **`. */
  readonly rules?: readonly string[];
  /** Files of such rules. */
  readonly ruleFiles?: readonly string[];
  /** Own tools beside the dialect's; a name that is taken is replaced. */
  readonly tools?: readonly AnyTool[];
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
}

/** How a call ended, in one shape for programs, models and `--json`. */
export interface CallResult {
  /** Words for the model: the answer, or what went wrong and the way out. */
  readonly content: string;
  readonly isError: boolean;
  /** The answer, typed and whole; null after an error. */
  readonly data: unknown;
  readonly error: CallFailure | null;
  readonly callId: string;
  /** True when `content` is shorter than the output, which is kept whole as `output`. */
  readonly truncated: boolean;
  /** Handle of the whole output when `content` was cut. */
  readonly output: string | null;
  readonly images: readonly Image[];
}

export interface CallFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | null;
  /** What a command had said until then. */
  readonly output?: string;
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
  /** The tools as models are told of them. */
  definitions(): Promise<readonly ToolDefinition[]>;
  /** Calls a tool by its name in the dialect, or its canonical name. Never rejects: failures are results. */
  call(name: string, input: unknown, options?: CallOptions): Promise<CallResult>;
  /** How well commands are confined here, and why not better; found out by trying, once. */
  sandbox(): Promise<SandboxReport>;
  /** The latest calls in this workspace, newest first. */
  history(limit?: number): readonly CallRecord[];
  /** Cancels what runs, waits for it, writes down what is left. May be called twice. */
  close(): Promise<void>;
}

/** The door: puts environment, stages and dialect together. Every app comes in here. */
export async function openToolcrib(options: ToolcribOptions = {}): Promise<Toolcrib> {
  const dialect =
    typeof options.dialect === "object" ? options.dialect : findDialect(options.dialect ?? "toolcrib");
  const mode = checkMode(options.mode ?? "cautious");
  const folder = options.workspace ?? process.cwd();
  const workspace = options.environment?.workspace ?? realWorkspace(folder);
  const {
    stateDirectory: state = userDirectories().state,
    configDirectory: config = userDirectories().config,
  } = options;
  const { environment: foreign, rules, ruleFiles } = options;
  const policy = await OpenPolicy.open({ workspace, state, config, environment: foreign, rules, ruleFiles });
  const files = workspaceFiles(state, workspace);
  makePrivateDirectory(files.outputs);
  const kept = openLocalEnvironment({ workspace: files.outputs });
  const environment = foreign
    ? withOutputs(withGuard(foreign, policy.guard), kept)
    : openLocalEnvironment({
        workspace: folder,
        outputs: files.outputs,
        changeRecords: files.changes,
        startRecords: files.started,
        sandbox: { want: sandboxWanted(options.sandbox), directory: files.sandbox },
        guard: policy.guard,
      });
  const report = async () => (await environment.sandbox?.()) ?? noSandbox;

  // What is guarded from tools can still be brought back: see lazyHistory.
  let bare: Environment | undefined;
  const unguarded = () => {
    bare ??= foreign ?? openLocalEnvironment({ workspace: folder, changeRecords: files.changes });
    return bare;
  };

  const session = newIdentifier("session");
  const events = new CallEvents();
  const journal = new Journal({ file: files.journal, session, redact: redactValue });
  const budget = journalBudget(options.journal);
  const collector = new Collector({ journal, folder: files.blobs, scans: files.scans, budget });
  const recovered = [...(environment.recovered ?? [])];
  for (const change of recovered) recordRecovery(journal, change);
  const outputs = openOutputStore(kept, { redacting: () => new RedactedStream(), maxBytes: outputBudget() });
  const guardian = {
    mode,
    rules: policy,
    surroundings: {
      sandbox: async () => (await report()).level,
      variables: (names: VariablePolicy) => allowedVariables(process.env, names),
    },
    ...(options.approve ? { approve: options.approve } : {}),
  };
  const blobs = openBlobs(files.blobs);
  const without = [state, config].map(realLocation);
  const { guard } = policy;
  const started = new RunRecords(files.started);
  const endAbandoned = () => started.endAbandoned();
  const scanner = lazyScanner({ environment, journal, blobs, folder: files.scans, without, endAbandoned });
  const settle = () => scanner.settle();
  const reach =
    options.undoes === "workspace"
      ? ({ session, calls: "workspace" } as const)
      : ({ session, calls: "session", refuses: protecting(guard, workspace) } as const);
  const transactions = new RoomTransactions({
    journal,
    blobs,
    unguarded,
    guard,
    session,
    scanner,
    endAbandoned,
    marks: new TransactionMarks(files.transactions),
    parks: options.parkTransaction ?? false,
  });
  const processes = openProcesses({ outputs, redactor: () => new RedactedStream() });
  const warnings: string[] = [];
  const release = async () => {
    await collector.close();
    journal.close();
    await kept.close();
    if (!foreign) await Promise.all([environment.close(), bare?.close()]);
  };
  try {
    recovered.push(...(await transactions.enter()));
  } catch (error) {
    await release();
    throw error;
  }
  const counter = openCounter({
    environment,
    events,
    journal,
    outputs,
    blobs,
    scanner,
    transactions,
    processes,
    shells: { forCall: noShells },
    guardian,
    historyFor: ({ id, tool }) =>
      lazyHistory({
        journal,
        blobs,
        unguarded,
        callId: id,
        reach,
        guard,
        settle,
        mayUndo: tool.risk !== "read",
      }),
  });
  const shelf = new Shelf(dialect, options.tools ?? []);
  const closing = new AbortController();
  let closed: Promise<void> | undefined;
  const running = new Set<Promise<unknown>>();
  const keepRunning = (work: Promise<unknown>) => {
    running.add(work);
    void work.then(
      () => running.delete(work),
      () => running.delete(work),
    );
  };
  const close = async () => {
    closing.abort();
    while (running.size > 0) await Promise.allSettled(running);
    try {
      await processes.close();
      warnings.push(...(await transactions.leave()));
    } finally {
      events.close();
      await release();
    }
  };

  return {
    workspace,
    session,
    mode,
    events,
    recovered,
    get warnings() {
      return [...policy.warnings, ...journal.warnings, ...warnings];
    },
    definitions: async () => {
      const { defineTools } = await import("./dialects/definition.ts");
      return defineTools(await shelf.all());
    },
    call: async (name, input, callOptions = {}) => {
      const id = newIdentifier("call");
      if (closing.signal.aborted) return toResult(id, { ok: false, error: roomClosed() });
      const { signal, timeoutMs } = callOptions;
      const outcome = shelf.find(name).then((tool) =>
        counter({
          id,
          tool,
          input,
          accesses: [],
          environment,
          account: {},
          signal: signal ? AbortSignal.any([signal, closing.signal]) : closing.signal,
          timeoutMs,
          outlivedBy: keepRunning,
          notify: () => {},
        }),
      );
      keepRunning(outcome);
      return toResult(id, await outcome);
    },
    sandbox: report,
    history: (limit = 50) => {
      if (closing.signal.aborted) throw roomClosed();
      return journal.latest(limit);
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** Stands in the journal beside the calls: it changed files, too. */
function recordRecovery(journal: Journal, { outcome, paths, leftAlone }: RecoveredChange): void {
  const attempt = {
    callId: newIdentifier("call"),
    tool: "environment.recover",
    input: { paths, leftAlone },
    startedAt: Date.now(),
  };
  const isSettled = outcome !== "failed";
  const message = isSettled ? `A change that a crash had interrupted was ${outcome}` : "It is tried again";
  journal.finish(attempt, {
    outcome: isSettled ? "ok" : "unavailable",
    message,
    outputHandle: undefined,
    durationMs: 0,
    account: {},
  });
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

function toResult(callId: string, outcome: Outcome): CallResult {
  if (outcome.ok) {
    const { text, data, images, truncated } = outcome;
    return {
      content: text,
      isError: false,
      data,
      error: null,
      callId,
      truncated: truncated !== undefined,
      output: truncated?.handle ?? null,
      images,
    };
  }
  const { code, message, hint = null, output, kept } = outcome.error;
  return {
    content: [message, hint, output].filter((part) => part != null && part !== "").join("\n"),
    isError: true,
    data: null,
    error: { code, message, hint, ...(output === undefined ? {} : { output }) },
    callId,
    truncated: kept !== undefined,
    output: kept?.handle ?? null,
    images: [],
  };
}
