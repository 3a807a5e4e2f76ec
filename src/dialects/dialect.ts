import type { z } from "zod";
import type { Risk } from "../contract/access.ts";
import type { ErrorCode } from "../contract/error.ts";
import type { Reach } from "../contract/reach.ts";
import type { AnyTool } from "../contract/tool.ts";

/**
 * One model family's way to name and shape the tools. Data and pure functions only.
 *
 * Each has a file of its name, a larger one also a folder for its parts (`forge/` is that of openai, anthropic and gemini);
 * `shared/` has what several say or take alike. A tool is a `rename` of a canonical one, or a `reshape` where its arguments
 * truly differ, and may put the answer into words of its own. What a room has of them is on its `Shelf`: there they are
 * found, narrowed and described, and our hints get the dialect's `wording`.
 */
export interface Dialect {
  readonly name: string;
  readonly tools: readonly DialectTool[];
  /**
   * The names that models are told of at once; the others they find with `tools.find`. All of them, if not said. A room
   * that is opened with `tools` lists just those.
   */
  readonly listed?: readonly string[];
  /** Other names for its tools: they can be called, and are listed only where one is asked for by this very name. */
  readonly aliases?: readonly DialectTool[];
  /** Tools that are wanted together, by the name of their set: `--tools v3`. */
  readonly sets?: Readonly<Record<string, readonly string[]>>;
  /** `Bash` and `BASH` are `bash`. */
  readonly ignoresCase?: true;
  /** Where its tools reach besides the workspace, unless the room says otherwise; nowhere if not said. */
  reach?(place: Surroundings): Reach;
  /** How its models are told of a failure; message, hint and output, a line each, if not said. */
  failure?(failure: Failure): string;
}

/** A tool as a dialect offers it, loaded on first use. */
export interface DialectTool {
  /** The name models know it by. */
  readonly name: string;
  /** The canonical tool behind it, the first where it can mean several; calls may use this name too. */
  readonly canonical: string;
  /** The other canonical tools that it can mean. */
  readonly also?: readonly string[];
  /** Left out of a room that has no such thing. */
  readonly needs?: "agents";
  load(): Promise<OfferedTool>;
}

/** What models are told of a tool, and what a call of it means. */
export interface OfferedTool
  extends Pick<
    AnyTool,
    "name" | "canonical" | "ownName" | "server" | "summary" | "risk" | "hints" | "input"
  > {
  readonly risk: Risk;
  /** The other canonical tools that it can mean. */
  readonly also?: readonly string[];
  /** Of the arguments in the dialect. */
  readonly input: z.core.$ZodType;
  /** Anthropic's models know it by this type: they are sent that instead of words and schema. */
  readonly native?: NativeType;
  /** What the dialect calls canonical fields, where it calls them otherwise. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Arguments that models are not told of. */
  readonly untold?: readonly string[];
  /** Its arguments are those of the canonical tool, which checks them. */
  readonly takesCanonical?: true;
  /** The call that arguments mean which fit `input`. */
  means(given: unknown): ResolvedCall;
}

type NativeType =
  | { readonly type: "bash_20250124" }
  | { readonly type: "text_editor_20250728"; readonly max_characters?: number };

/** A call as it goes to the counter: of a canonical tool, with its arguments. */
export interface ResolvedCall {
  readonly tool: AnyTool;
  readonly input: unknown;
}

/** Real paths that a reach may be said by. */
interface Surroundings {
  readonly workspace: string;
  /** The person's. */
  readonly home: string;
  /** Directories for what is temporary. */
  readonly temporary: readonly string[];
}

interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | null;
  /** What a command had said until then. */
  readonly output?: string;
}
