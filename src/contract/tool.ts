import type { z } from "zod";
import type { ToolAccess, ToolRisk } from "./access.ts";
import type { Agents } from "./agents.ts";
import type { CodeService } from "./code.ts";
import type { Documents } from "./document.ts";
import type { Environment } from "./environment.ts";
import type { ChangeHistory, Transactions } from "./history.ts";
import type { LanguageServers } from "./language-server.ts";
import type { OutputKept, Outputs } from "./output.ts";
import type { Processes, Shells } from "./process.ts";
import type { Scripts, ToolCalls } from "./script.ts";
import type { PageMemory } from "./web.ts";

/** One thing an agent can do, described once, independent of any model provider. */
export interface Tool<Input = unknown, Data = unknown> {
  /** Family and verb, "file.read"; in a dialect, its name there. */
  readonly name: string;
  /** The canonical name when `name` is a dialect's. */
  readonly canonical?: string | undefined;
  /** The MCP server that it comes from. */
  readonly server?: string | undefined;
  /** The tool's name at that server, which rules use: `deny use delete_* of github`. */
  readonly ownName?: string | undefined;
  /** The server's definition of it, to which the answers "session" and "always" are bound. */
  readonly definedAs?: ServerDefinition | undefined;
  /** For models: what it does and when to use it. */
  readonly description: string;
  /** The most that any call of this tool can do; `accesses` says what one call does. */
  readonly risk: ToolRisk;
  /** Hints for clients, where they differ from the defaults by `risk`. They decide nothing. */
  readonly hints?: ToolHints | undefined;
  /** A strict object schema of `zod` or `zod/mini`. */
  readonly input: z.core.$ZodType<Input>;
  /** How much of the text a model is shown. The whole is stored and can be read by its handle. */
  readonly limits: OutputLimits;
  /** Ends the call after this time. Default: 60 s. */
  readonly timeoutMs?: number | undefined;
  /** Replaces the names of other tools in messages with those of this caller's dialect. */
  readonly wording?: ((text: string) => string) | undefined;
  /** Set when the tool starts programs of its own choice, such as git: each call then gets an `environment.confinement`. */
  readonly startsPrograms?: true | undefined;
  /** Set for tools of the embedding program, which may reach files without the environment. */
  readonly reachesAnywhere?: true | undefined;
  /** Set when the tool calls other tools: its calls are recorded when they begin, as those that they make name them. */
  readonly makesCalls?: true | undefined;
  /** Set when a call finds out only while it runs what it writes: the rules then decide about each path that it did not declare. */
  readonly findsWrites?: true | undefined;
  /** How long a call waits for a busy shell. Default: until it is free. */
  patienceMs?(input: Input): number;
  /** Returns everything this call would touch, before `run`. Pure. Throws `invalid-input` when the input does not tell. */
  accesses(input: Input, settings?: ToolSettings): readonly ToolAccess[];
  /**
   * Leaves out the accesses that the call will not need, as the files of the workspace show now: formatters that the
   * project does not use. Changes nothing.
   */
  narrow?(
    accesses: readonly ToolAccess[],
    input: Input,
    context: Pick<ToolContext, "environment">,
  ): Promise<readonly ToolAccess[]>;
  /** Describes the expected changes for the approval prompt: a unified diff, or a sentence. Changes nothing. */
  preview?(input: Input, context: PreviewContext): Promise<string>;
  run(input: Input, context: ToolContext): Promise<ToolOutput<Data>>;
}

/** The definition of a tool by its MCP server. */
export interface ServerDefinition {
  readonly hash: string;
  /** Returns it in lines that can be compared. */
  text(): string;
}

/** Hints for clients that show tools to users, or ask less about some of them. They have the meanings of MCP. */
export interface ToolHints {
  /** For users. Default: made from the name. */
  readonly title?: string | undefined;
  /** Whether no call changes anything, not even processes or the journal. */
  readonly readOnly?: boolean | undefined;
  /** Whether a call may replace or remove something; false for tools that only add. */
  readonly destructive?: boolean | undefined;
  /** Whether repeating a call has no further effect. */
  readonly idempotent?: boolean | undefined;
  /** Whether a call may access more than the workspace. */
  readonly openWorld?: boolean | undefined;
  /** Whether the data contains everything in the text, so that a client may show only the data. */
  readonly structured?: boolean | undefined;
  /** The JSON Schema of that data. */
  readonly dataSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** A tool of any input and output. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tools has no common input type
export type AnyTool = Tool<any, any>;

/** Everything that a running tool can use. */
export interface ToolContext {
  readonly environment: Environment;
  /** With it, an edit notices changes by others. */
  readonly seen: SeenFiles;
  readonly history: ChangeHistory;
  readonly transactions: Transactions;
  readonly processes: Processes;
  readonly shells: Shells;
  readonly agents: Agents;
  readonly code: CodeService;
  readonly servers: LanguageServers;
  readonly documents: Documents;
  readonly pages: PageMemory;
  readonly plan: PlanMemory;
  readonly tools: ToolFinder;
  readonly scripts: Scripts;
  /** The calls that a script, or a tool of the program, makes. */
  readonly calls: ToolCalls;
  readonly settings: ToolSettings;
  readonly outputs: Outputs;
  /** Aborts on cancellation and at the deadline; pass it to everything that waits. */
  readonly signal: AbortSignal;
  /** Replaces the names of other tools in a message with those of this caller's dialect. */
  wording(text: string): string;
  /** Reports progress to the user, never to the model. A function is called only when someone listens. */
  progress(message: string | (() => string)): void;
  /** Records what an undo of this call will not restore, in one sentence. */
  uncovered(what: string): void;
  /** Emits output while the call runs. */
  output(stream: "stdout" | "stderr", text: string): void;
}

/** Everything that a preview can use. The environment is read-only, so no language server is started. */
export type PreviewContext = Pick<
  ToolContext,
  "environment" | "seen" | "history" | "code" | "servers" | "signal"
>;

/** A bounded memory of files as one caller has seen or written them. */
export interface SeenFiles {
  note(path: string, part: SeenPart): void;
  /** Returns the known parts of the file at `path`, in the order of its lines. */
  recall(path: string): Promise<readonly SeenPart[]>;
}

/** Lines of a file as they were seen. */
export interface SeenPart {
  /** As in the file, with line ends, without a byte-order mark. */
  readonly bytes: Uint8Array;
  /** `first` counts from 1. */
  readonly lines: "all" | { readonly first: number; readonly count: number };
  /** SHA-256 of everything above these lines, if it is known. It proves that they have not moved. */
  readonly aboveHash?: string | undefined;
}

/** Complete, typed data for programs, text for the model, and how to get the rest. */
export interface ToolOutput<Data = unknown> {
  readonly data: Data;
  readonly text: string;
  /**
   * Set when the text has nothing but lines of the data, with numbers and names of files before them. Data without
   * secrets then shows that the text has none.
   */
  readonly showsData?: true | undefined;
  /** One sentence for the model: how to get what was left out, for example the next offset. */
  readonly continuation?: string | undefined;
  /** For models that accept images. */
  readonly images?: readonly ToolImage[] | undefined;
  /**
   * Why the work failed although the tool ran: "Exit code 1." of a command. The result is then an error, with the reason
   * as `failed` and `error: null`.
   */
  readonly failed?: string | undefined;
  /** Whether the result is an error. Default: true with `failed`. False in dialects whose models expect that. */
  readonly isError?: boolean | undefined;
  /** For a tool that stores its output itself, when not all of it can be shown. */
  readonly kept?: OutputKept | undefined;
  /**
   * Runs after all changes of the call are recorded, which happens at the end of commands. Its text is appended; its data
   * replaces the data.
   */
  readonly afterwards?: () => Promise<{ readonly data: unknown; readonly text: string }>;
}

export interface ToolImage {
  readonly mediaType: string;
  readonly base64: string;
}

/** Characters are cut first, then lines; never inside a character. */
export interface OutputLimits {
  readonly maxChars: number;
  readonly maxLines?: number | undefined;
  /** Longer lines are data or generated code: only their beginning is shown. Default: no limit. */
  readonly maxLineChars?: number | undefined;
  /** Which part is shown: the beginning, the end, or both without the middle. */
  readonly keep: "head" | "tail" | "both";
  /** Replaces the default notice at the end of a cut text. */
  readonly notice?: (sizes: { readonly total: number; readonly shown: number }) => string;
}

/** The plan of an agent, step by step. */
export interface Plan {
  readonly steps: readonly PlanStep[];
  /** The reason for the plan, or for its latest change. */
  readonly explanation: string | undefined;
}

interface PlanStep {
  readonly step: string;
  readonly status: PlanStatus;
  /** Shown while the step is in progress: "Running the tests". */
  readonly activity?: string | undefined;
}

export const planStatuses = ["pending", "in_progress", "completed", "cancelled", "blocked"] as const;

export type PlanStatus = (typeof planStatuses)[number];

/** Holds the plan of a caller. */
export interface PlanMemory {
  /** Empty at first. */
  plan: Plan;
}

/** Finds tools that are not listed at first. */
export interface ToolFinder {
  /** Finds tools, best first, which are listed from then on. */
  find(query: string, options: { readonly limit: number }): Promise<FoundTools>;
}

export interface FoundTools {
  readonly tools: readonly FoundTool[];
  /** How many tools are not listed at first. */
  readonly hidden: number;
}

/** A tool as its caller knows it. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Tools that may change while the instance is open, such as those of MCP servers. */
export interface ToolSource {
  /** The current tools. None replaces a tool of the dialect. */
  readonly tools: readonly AnyTool[];
  /** Tools that programs call by their canonical names, and that models are not offered. */
  readonly unlisted?: readonly AnyTool[] | undefined;
  /** Warnings for the user: a server that did not start, a tool that was left out. */
  readonly warnings: readonly string[];
  /** Resolves when the first tools are known, or connecting has failed. */
  readonly ready: Promise<void>;
  /** Calls `listener` after each change of `tools`. Returns a function that stops it. */
  onChange(listener: () => void): () => void;
  /** Ends everything that the source has started. May be called twice. */
  close(): Promise<void>;
}

/** User settings that tools read. */
export interface ToolSettings {
  /** The engine of web.search. Default: none. */
  readonly search?: SearchSettings | UnusableSetting | undefined;
}

/** A setting that cannot be used. The tool that needs it reports the problem. */
export interface UnusableSetting {
  /** "TOOLCRIB_SEARCH is …", in one sentence without a full stop. */
  readonly problem: string;
  readonly hint: string;
}

/** An engine, its address and its key. */
export type SearchSettings =
  | { readonly engine: "searxng"; readonly url: string }
  | { readonly engine: "brave" | "tavily"; readonly key: string; readonly url?: string | undefined }
  | { readonly engine: "duckduckgo"; readonly url?: string | undefined };
