import type { Agents } from "../contract/agents.ts";
import type { Conversations } from "../contract/conversations.ts";
import type { RecoveredChange, SandboxReport } from "../contract/environment.ts";
import type { ProcessStatus } from "../contract/process.ts";
import type { ToolDefinition } from "../dialects/definition.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { CallRecord } from "../journal/journal.ts";
import type { Approve } from "../pipeline/approvals/approval.ts";
import type { EventListener, EventSource } from "../pipeline/call-events.ts";
import type { Mode } from "../policy/policy.ts";
import type { WireFormat, WireTools } from "../wire/formats.ts";
import type { PendingApproval } from "./approvals/approval-file.ts";
import type { CallResult } from "./call-result.ts";
import type { ProjectFiles } from "./project-files.ts";
import type { OutputPart, OutputRange } from "./read-output.ts";

/** An open tool room. Close it when done. */
export interface Toolcrib extends Caller {
  /** Real path of the workspace. */
  readonly workspace: string;
  readonly session: string;
  readonly mode: Mode;
  /** How much is asked from now on, also about calls that wait; for the person, never for a model. */
  setMode(mode: Mode): void;
  /** What happens at the counter, as it happens. */
  readonly events: EventSource;
  /** Changes that a crash had left half done, and how they were settled when this room was opened; also in `history`. */
  readonly recovered: readonly RecoveredChange[];
  /** What a person has to know, as it becomes known: that the journal was damaged, and what became of it. */
  readonly warnings: readonly string[];
  /** What is kept of conversations with models in this workspace. */
  readonly conversations: Conversations;
  /**
   * Somebody else at the same counter, with a dialect of their own: what is judged, remembered of answers, waited for and undone
   * is one, what was seen of files is not. Ends with the room.
   */
  addCaller(options?: CallerOptions): Promise<AddedCaller>;
  /** A part of an output that was too long to show, by its handle; `not-found` when it is not kept any more. */
  readOutput(handle: string, range?: OutputRange): Promise<OutputPart>;
  /**
   * What a project has for agents in files of these names (AGENTS.md), from the top of its repository down to the workspace,
   * `maxBytes` of each; none that leads out of the repository or that a rule refuses.
   */
  projectFiles(names: readonly string[], maxBytes: number): Promise<ProjectFiles>;
  /** How well commands are confined here, and why not better; found out by trying, once. */
  sandbox(): Promise<SandboxReport>;
  /** What runs beside the calls of this room, and what has ended, oldest first. */
  processes(): readonly ProcessStatus[];
  /** The questions of this workspace that wait for `toolcrib approve`, oldest first. */
  pending(): readonly PendingApproval[];
  /** The latest calls in this workspace, newest first. */
  history(limit?: number): readonly CallRecord[];
  /** What is on record of one call, by its `callId`: of one that may change something from before it runs, else from its end. */
  findCall(callId: string): CallRecord | undefined;
  /** Cancels what runs, waits for it, writes down what is left. May be called twice. */
  close(): Promise<void>;
}

/** Who calls tools in a room. */
export interface Caller {
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
}

export interface AddedCaller extends Caller {
  /** Cancels its calls, waits for them, and ends the processes and shells that it started; what it changed stays. May be called twice. */
  close(): Promise<void>;
}

export interface CallerOptions {
  /** The room's, if not said. */
  readonly dialect?: string | Dialect | undefined;
  readonly agents?: Agents | undefined;
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
