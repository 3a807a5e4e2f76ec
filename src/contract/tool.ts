import type { z } from "zod";
import type { Access, Risk } from "./access.ts";
import type { Agents } from "./agents.ts";
import type { Code } from "./code.ts";
import type { Documents } from "./document.ts";
import type { Environment } from "./environment.ts";
import type { History, Transactions } from "./history.ts";
import type { OutputKept, Outputs } from "./output.ts";
import type { Processes, Shells } from "./process.ts";
import type { PageMemory } from "./web.ts";

/** One thing an agent can do, described once, independent of any model provider. */
export interface Tool<Input = unknown, Data = unknown> {
  /** Family and verb, "file.read"; in a dialect, the name its models know. */
  readonly name: string;
  /** The canonical name when `name` is a dialect's. */
  readonly canonical?: string;
  /** The MCP server that it comes from. */
  readonly server?: string;
  /** Its name at that server, which rules call it by: `deny use delete_* of github`. */
  readonly ownName?: string;
  /** For models: what it does and when to use it. */
  readonly summary: string;
  /** The most any call of this tool can do; `accesses` says what one call does. */
  readonly risk: Risk;
  /** What is told of it beforehand, where that differs from what `risk` says. Nothing is decided by it. */
  readonly hints?: ToolHints;
  /** A strict object schema of `zod` or `zod/mini`. */
  readonly input: z.core.$ZodType<Input>;
  /** How much of the text a model is shown; the whole is kept and handed out by handle. */
  readonly limits: OutputLimits;
  /** Ends the call after this long; 60 seconds if not said. */
  readonly timeoutMs?: number;
  /** Puts what our words say of other tools as this caller knows them. */
  readonly wording?: (text: string) => string;
  /** It starts programs of its own choice, git for example: `environment.confinement` is decided for each of its calls. */
  readonly startsPrograms?: true;
  /** How long a call waits for the session that it uses, which is busy; as long as that is, if not said. */
  patienceMs?(input: Input): number;
  /**
   * What this call would touch, nothing less. Pure: guardian, scheduler and journal read it before `run`. Throws
   * `invalid-input` where that cannot be told from the input.
   */
  accesses(input: Input, settings?: Settings): readonly Access[];
  /**
   * What a run would change, for the person who is asked: a unified diff where files change, else a sentence. Asked for
   * only then; changes nothing itself.
   */
  preview?(input: Input, context: PreviewContext): Promise<string>;
  run(input: Input, context: ToolContext): Promise<ToolOutput<Data>>;
}

/** For clients that show tools to people, or ask them less about some; in the words of MCP. */
export interface ToolHints {
  /** For people; made from the name if not said. */
  readonly title?: string;
  /** No call changes anything, be it only what runs or what is kept of the past. */
  readonly readOnly?: boolean;
  /** A call may replace or remove what is there; false of tools that only add. */
  readonly destructive?: boolean;
  /** The same call again changes nothing more. */
  readonly idempotent?: boolean;
  /** What it deals with is not only the workspace. */
  readonly openWorld?: boolean;
  /** Its data says all that its text says, so that a client may show only that. */
  readonly structured?: boolean;
}

/** A tool of any input and output, as kept in lists. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tools has no common input type
export type AnyTool = Tool<any, any>;

/** All that a running tool can reach. */
export interface ToolContext {
  readonly environment: Environment;
  /** What this caller last saw of files, so that an edit can tell what others changed in between. */
  readonly seen: SeenFiles;
  /** What earlier calls changed, and the way back. */
  readonly history: History;
  /** Joins the changes of several calls. */
  readonly transactions: Transactions;
  /** What runs beside the calls. */
  readonly processes: Processes;
  /** Shells that keep their state between calls. */
  readonly shells: Shells;
  /** Others that work for this caller. */
  readonly agents: Agents;
  /** Reads code. */
  readonly code: Code;
  /** Reads documents. */
  readonly documents: Documents;
  /** What was fetched before. */
  readonly pages: PageMemory;
  /** What the agent means to do. */
  readonly plan: PlanMemory;
  /** More tools than the caller was told of. */
  readonly tools: ToolFinder;
  readonly settings: Settings;
  /** Keeps what is too long to show. */
  readonly outputs: Outputs;
  /** Aborts on cancellation and at the deadline; hand it to everything that waits. */
  readonly signal: AbortSignal;
  /** Our words about other tools, in an answer, as this caller knows them. */
  wording(text: string): string;
  /** Says how far the work is; shown to people, never to the model. */
  progress(message: string): void;
  /** Puts on record what an undo of this call will not bring back, in one sentence. */
  uncovered(what: string): void;
  /** Passes on output while the call still runs. */
  output(stream: "stdout" | "stderr", text: string): void;
}

/** All that a preview can reach; what it does to the environment but read is refused. */
export type PreviewContext = Pick<ToolContext, "environment" | "seen" | "history" | "code" | "signal">;

/** A bounded memory of files as one caller was shown them, or left them. */
export interface SeenFiles {
  note(path: string, part: SeenPart): void;
  /** What is remembered of the file that `path` leads to, in the order of its lines. */
  recall(path: string): Promise<readonly SeenPart[]>;
}

/** Lines of a file as they were seen. */
export interface SeenPart {
  /** As in the file, line ends included, a byte-order mark left out. */
  readonly bytes: Uint8Array;
  /** `first` counts from 1. */
  readonly lines: "all" | { readonly first: number; readonly count: number };
}

/** Typed and whole for programs, words for the model, and how to ask for the rest. */
export interface ToolOutput<Data = unknown> {
  readonly data: Data;
  readonly text: string;
  /** One sentence that tells the model how to get what was left out, for example the next offset. */
  readonly continuation?: string;
  /** Pictures for models that see. */
  readonly images?: readonly Image[];
  /** The tool has done its work, and what it tells is a failure: of a command, or of another server's tool. */
  readonly isError?: true;
  /** For a tool that keeps its output itself, when not all of it can be shown. */
  readonly kept?: OutputKept;
  /**
   * Done when all that the call changed is on record, which of commands is only known at their end. Its text is added,
   * its data is what counts.
   */
  readonly afterwards?: () => Promise<{ readonly data: unknown; readonly text: string }>;
}

export interface Image {
  readonly mediaType: string;
  readonly base64: string;
}

/** Characters are cut first, then lines; never inside a character. */
export interface OutputLimits {
  readonly maxChars: number;
  readonly maxLines?: number;
  /** Which part stays: the beginning, the end, or both with the middle left out. */
  readonly keep: "head" | "tail" | "both";
  /** Stands at the end of what was cut, instead of our own words about it. */
  readonly notice?: (sizes: { readonly total: number; readonly shown: number }) => string;
}

/** What an agent means to do, step by step, as it last said. */
export interface Plan {
  readonly steps: readonly PlanStep[];
  /** Why it is as it is, or has changed. */
  readonly explanation: string | undefined;
}

export interface PlanStep {
  readonly step: string;
  readonly status: PlanStatus;
  /** What is being done while it is in progress, for people who watch: "Running the tests". */
  readonly activity?: string | undefined;
}

export const planStatuses = ["pending", "in_progress", "completed", "cancelled", "blocked"] as const;

export type PlanStatus = (typeof planStatuses)[number];

/** Keeps the plan of a room. */
export interface PlanMemory {
  /** Empty at first. */
  plan: Plan;
}

/** Finds tools that a model is not told of at once. */
export interface ToolFinder {
  /** Best first; from then on the room lists them. */
  find(query: string, options: { readonly limit: number }): Promise<FoundTools>;
}

export interface FoundTools {
  readonly tools: readonly FoundTool[];
  /** How many there are to be found at all. */
  readonly hidden: number;
}

/** A tool as its caller knows it. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Tools that come from elsewhere and may change while a room is open: those of other MCP servers. */
export interface ToolSource {
  /** As they are now. None replaces a tool of the dialect. */
  readonly tools: readonly AnyTool[];
  /** What a person has to know: a server that did not start, a tool that had to be left out. */
  readonly warnings: readonly string[];
  /** Settled when all that is there at once has been found, or has been given up. */
  readonly ready: Promise<void>;
  /** Calls `listener` after each change of `tools`; the answer stops it. */
  onChange(listener: () => void): () => void;
  /** Ends whatever it has started. May be called twice. */
  close(): Promise<void>;
}

/** What a person has set up that tools need to know. */
export interface Settings {
  /** Who answers web.search; nobody if not said. */
  readonly search?: SearchSettings | UnusableSetting | undefined;
}

/** What was set up cannot be used: told to who asks for it. */
export interface UnusableSetting {
  /** "TOOLCRIB_SEARCH is …", in one sentence without a full stop. */
  readonly problem: string;
  readonly hint: string;
}

/** An engine, where it is, and what it wants to be paid with. */
export type SearchSettings =
  | { readonly engine: "searxng"; readonly url: string }
  | { readonly engine: "brave" | "tavily"; readonly key: string; readonly url?: string | undefined }
  | { readonly engine: "duckduckgo"; readonly url?: string | undefined };
