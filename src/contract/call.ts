import type { Access } from "./access.ts";
import type { Agents } from "./agents.ts";
import type { Confinement } from "./confinement.ts";
import type { Environment } from "./environment.ts";
import type { ToolError } from "./error.ts";
import type { OutputKept } from "./output.ts";
import type { AnyTool, Image, PlanMemory, SeenFiles, ToolFinder, ToolOutput } from "./tool.ts";

/** One call on its way through the counter. Stages hand on a changed copy, never change it. */
export interface ToolCall {
  readonly id: string;
  readonly tool: AnyTool;
  /** As the caller gave it, until `rejectInvalidInput` replaces it by the parsed input. */
  readonly input: unknown;
  /** What the call would touch; known once the input is valid. */
  readonly accesses: readonly Access[];
  /** Where the tool will work; a stage may hand on one that watches what is done. */
  readonly environment: Environment;
  /** Who makes it; the one that the room was opened for, if not said. */
  readonly caller?: CallerMemory | undefined;
  /** What becomes known of the call on its way. The one thing that stages change in place. */
  readonly account: Account;
  /** Throws when its paths no longer lead where they led when it was judged. For who has let it wait since. */
  readonly recheck?: () => Promise<void>;
  /** What its commands may reach; known once it is judged, for calls that may run any. */
  readonly confinement?: DecidedConfinement;
  readonly signal: AbortSignal;
  readonly timeoutMs: number | undefined;
  /** Tells the stages above of work that goes on although the call was ended. */
  readonly outlivedBy: (work: Promise<unknown>) => void;
  /** Tells listeners about a call that still runs. */
  readonly notify: (message: Notice) => void;
}

/** What differs between those who call at the same counter. */
export interface CallerMemory {
  readonly seen: SeenFiles;
  readonly plan: PlanMemory;
  readonly agents: Agents;
  readonly tools: ToolFinder;
}

/** What was decided about the commands of a call, and what they were judged to run in. */
export interface DecidedConfinement extends Confinement {
  /** Not said of calls that name no command, until `mayRun` has let one pass. */
  readonly level?: SandboxLevel | undefined;
}

type Notice =
  | { readonly type: "progress"; readonly message: string }
  | { readonly type: "output"; readonly stream: "stdout" | "stderr"; readonly text: string };

/** How one call ended. */
export type Outcome = Success | Failure;

export interface Success {
  readonly ok: true;
  /** What the model is shown: within the tool's limits, with a note of what was cut. */
  readonly text: string;
  readonly data: unknown;
  readonly images: readonly Image[];
  /** See ToolOutput. */
  readonly isError?: true;
  /** Everything the tool said, uncut. */
  readonly fullText: string;
  /** How to ask for what the tool left out. */
  readonly continuation?: string;
  /** See ToolOutput; settled by `limitOutput`. */
  readonly kept?: OutputKept;
  /** See ToolOutput; done and gone above `keepUndo`. */
  readonly afterwards?: ToolOutput["afterwards"];
  /** Present when `text` is shorter than `fullText`; the handle stands for the whole, if it could be kept. */
  readonly truncated?: { readonly handle: string | undefined };
}

export interface Failure {
  readonly ok: false;
  readonly error: ToolError;
}

/** What the stages find out about a call on its way, for the journal. Each stage fills in its part. */
export interface Account {
  /** What the call would touch; missing when its input is not valid. */
  accesses?: readonly Access[];
  /** What the guardian said; missing when the call did not get that far. */
  decision?: DecisionRecord;
  /** How well the call was confined. */
  sandbox?: SandboxLevel;
  /** What an undo of this call will not bring back, each in one sentence. */
  notCovered?: readonly string[];
}

/** One decision of the guardian, as it is kept and shown. */
export interface DecisionRecord {
  readonly verdict: "allow" | "ask" | "deny";
  /** The rule that decided, as written, and where it stands: "rules:12", "built-in", "mode cautious". */
  readonly rule: string;
  readonly source: string;
  readonly reason: string;
  /** What the person said when asked. */
  readonly answer?: "once" | "session" | "always" | "no";
}

export type SandboxLevel = "bwrap" | "landlock" | "seatbelt" | "none";

/** What happens at the counter, as it happens. Every call gives one `start` and one of `end`, `denied`, `error`. */
export type CallEvent =
  | (EventBase & { readonly type: "start"; readonly input: unknown })
  | (EventBase & { readonly type: "progress"; readonly message: string })
  | (EventBase & { readonly type: "output"; readonly stream: "stdout" | "stderr"; readonly text: string })
  /** `result.fullText` is the whole output, also when the model was shown less. */
  | (EventBase & { readonly type: "end"; readonly result: Success; readonly durationMs: number })
  | (EventBase & { readonly type: "denied"; readonly error: ToolError; readonly durationMs: number })
  | (EventBase & { readonly type: "error"; readonly error: ToolError; readonly durationMs: number });

interface EventBase {
  readonly callId: string;
  /** Canonical tool name. */
  readonly tool: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}
