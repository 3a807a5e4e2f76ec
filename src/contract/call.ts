import type { ToolAccess } from "./access.ts";
import type { Agents } from "./agents.ts";
import type { Confinement } from "./confinement.ts";
import type { Environment } from "./environment.ts";
import type { CallFailure, ToolError } from "./error.ts";
import type { HookAnswer } from "./hooks.ts";
import type { OutputKept } from "./output.ts";
import type { ToolCalls } from "./script.ts";
import type { AnyTool, PlanMemory, SeenFiles, ToolFinder, ToolImage, ToolOutput } from "./tool.ts";

/** One call in the pipeline. Stages pass on a changed copy; only `account` is changed in place. */
export interface ToolCall {
  readonly id: string;
  readonly tool: AnyTool;
  /** As the caller passed it, until `rejectInvalidInput` replaces it with the parsed input. */
  readonly input: unknown;
  /** Empty until the input is validated. */
  readonly accesses: readonly ToolAccess[];
  /** Stages may wrap it. */
  readonly environment: Environment;
  /** Default: the first caller of the instance. */
  readonly caller?: CallerMemory | undefined;
  /** The subagent that makes the call: `agent_1`, or `agent_1/agent_2`. */
  readonly agent?: string | undefined;
  /** The script that makes the call. */
  readonly parent?: ParentCall | undefined;
  /** Returns the calls that this one can make, when its tool runs scripts. */
  readonly innerCalls?: ((parent: ParentCall) => ToolCalls) | undefined;
  /** Set by `limitTime`: the deadline of a call that makes others. */
  readonly clock?: CallClock | undefined;
  /** Whether the user makes the call, for whom plan mode does not apply. */
  readonly isOfUser?: boolean | undefined;
  /** Whether the caller's dialect promises that every command asks in `cautious`. */
  readonly asksBeforeCommands?: true | undefined;
  readonly account: Account;
  /** Repeats the policy check after the call has waited. Throws when its real paths have changed. */
  readonly recheck?: () => Promise<void>;
  /** Set by `runHooks`: the answer of the hooks, which the policy check takes into account. */
  readonly hook?: HookAnswer;
  /** Set by the policy check for calls that may run commands. */
  readonly confinement?: DecidedConfinement;
  readonly signal: AbortSignal;
  readonly timeoutMs: number | undefined;
  /** Reports work that continues after the call has ended. */
  readonly outlivedBy: (work: Promise<unknown>) => void;
  /** Emits progress and output of the running call. */
  readonly notify: (message: Notice) => void;
}

/** A call that makes others. */
export interface ParentCall {
  readonly id: string;
  readonly clock?: CallClock | undefined;
  /** The call that made this one. */
  readonly parent?: ParentCall | undefined;
}

/** Whether a call was made by this one, directly or through others. It must not wait for it. */
export function isMadeBy({ parent }: { readonly parent?: ParentCall | undefined }, id: string): boolean {
  return parent !== undefined && (parent.id === id || isMadeBy(parent, id));
}

/** The deadline of a call that makes others. It stands still while all of its inner calls wait for approval or their turn. */
export interface CallClock {
  /** Reports that an inner call waits until the returned function is called. */
  wait(): () => void;
  /** Reports that an inner call runs until the returned function is called. */
  run(): () => void;
}

/** State that belongs to one caller. */
export interface CallerMemory {
  readonly seen: SeenFiles;
  readonly plan: PlanMemory;
  readonly agents: Agents;
  readonly tools: ToolFinder;
}

/** The confinement of a call's commands, and the sandbox level it was decided for. */
export interface DecidedConfinement extends Confinement {
  /** Undefined for calls that name no command, until `mayRun` allows one. */
  readonly level?: SandboxLevel | undefined;
}

type Notice =
  /** A message that takes long to make is a function, which is called when someone listens. */
  | { readonly type: "progress"; readonly message: string | (() => string) }
  | { readonly type: "output"; readonly stream: "stdout" | "stderr"; readonly text: string };

/** How one call ended. */
export type Outcome = CallSuccess | Failure;

interface CallSuccess {
  readonly ok: true;
  /** For the model: within the tool's limits, with a note about what was cut. */
  readonly text: string;
  readonly data: unknown;
  readonly images: readonly ToolImage[];
  /** See ToolOutput. */
  readonly isError?: true;
  /** See ToolOutput. */
  readonly failed?: string | undefined;
  /** The whole output of the tool. */
  readonly fullText: string;
  /** See ToolOutput; removed by `redactSecrets`. */
  readonly showsData?: true | undefined;
  /** How to get what the tool left out. */
  readonly continuation?: string;
  /** See ToolOutput; removed by `limitOutput`. */
  readonly kept?: OutputKept;
  /** See ToolOutput; run and removed by `keepUndo`. */
  readonly afterwards?: ToolOutput["afterwards"];
  /** Present when `text` is shorter than `fullText`. The handle is undefined when the output could not be stored. */
  readonly truncated?: { readonly handle: string | undefined };
}

export interface Failure {
  readonly ok: false;
  readonly error: ToolError;
}

/** Facts about a call for the journal. Each stage sets its own part. */
export interface Account {
  /** Undefined when the input of the call is invalid. */
  accesses?: readonly ToolAccess[];
  /** The decision of the policy; undefined when the call did not get that far. */
  decision?: DecisionRecord;
  /** The sandbox of its commands. */
  sandbox?: SandboxLevel;
  /** One sentence for each thing that an undo of this call will not restore. */
  notCovered?: readonly string[];
  /** Folders, relative to the workspace, in which the call may have made changes that undo does not restore. */
  unseenFolders?: readonly string[];
}

/** A policy decision, as recorded and shown. */
export interface DecisionRecord {
  readonly verdict: "allow" | "ask" | "deny";
  /** The rule that decided, as written, and its source: "rules:12", "built-in", "mode cautious". */
  readonly rule: string;
  readonly source: string;
  readonly reason: string;
  /** The user's answer. */
  readonly answer?: "once" | "session" | "always" | "no";
  /** Whether the caller's dialect promises that every command asks, so that a later check asks, too. */
  readonly asksBeforeCommands?: true;
}

export type SandboxLevel = "bwrap" | "landlock" | "seatbelt" | "none";

/** An event of a call: plain data. Every call emits one `tool-start` and one `tool-end`. Sessions use the same names. */
export type CallEvent =
  | (EventBase & { readonly type: "tool-start"; readonly input: unknown })
  | (EventBase & { readonly type: "tool-progress"; readonly message: string })
  | (EventBase & {
      readonly type: "tool-output";
      readonly stream: "stdout" | "stderr";
      readonly text: string;
    })
  | (EventBase & {
      readonly type: "tool-end";
      /** The whole output, also when the model is shown less. */
      readonly output: string;
      readonly isError: boolean;
      readonly error: CallFailure | null;
      readonly data: unknown;
      readonly durationMs: number;
    });

interface EventBase {
  readonly callId: string;
  /** The name in the call. */
  readonly name: string;
  /** "file.read"; equals `name` for an unknown tool. */
  readonly canonical: string;
  /** The call of the script that makes this call. */
  readonly parent?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}
