import type { z } from "zod";
import type { ToolRisk } from "../contract/access.ts";
import type { ErrorCode, ErrorDetails } from "../contract/error.ts";
import type { ExtraRoots } from "../contract/guard.ts";
import type { AnyTool } from "../contract/tool.ts";

/**
 * How one model family names and shapes the tools. Data and pure functions only.
 *
 * Each dialect is a file of its name (`forge.ts` has openai, anthropic and gemini); `shared/` has the parts of several
 * dialects. A tool is a `rename` of a canonical one, or a `reshape` where its arguments differ in shape. A `Toolset`
 * finds, selects and describes the tools of a dialect, and rewrites hints for it.
 */
export interface Dialect {
  readonly name: string;
  readonly tools: readonly DialectTool[];
  /** The tools that are listed at once; models find the others with `tools.find`. Default: all. */
  readonly listed?: readonly string[] | undefined;
  /** Other names for its tools. They can be called, and are listed only when selected by name. */
  readonly aliases?: readonly DialectTool[] | undefined;
  /** Named sets of tools: `--only-tools v3`. */
  readonly sets?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Names match in any case: `Bash` and `BASH` are `bash`. */
  readonly ignoresCase?: true | undefined;
  /** In `cautious` every command asks. Default: commands that only read run in the sandbox without approval. */
  readonly asksBeforeCommands?: true | undefined;
  /** Commands get the variables of an allow-list. Default: all but secrets and those of the user's terminal. */
  readonly allowsFewVariables?: true | undefined;
  /** Folders outside the workspace that its tools may use, unless the caller sets its own. Default: none. */
  extraRoots?(paths: RealPaths): ExtraRoots;
  /** Formats a failure for its models. Default: message, hint and output, one per line. */
  failure?(failure: Failure): string;
}

/** A tool that a dialect offers, loaded on first use. */
export interface DialectTool {
  readonly name: string;
  /** The canonical tool behind it, or the first of several. Calls may use this name too. */
  readonly canonical: string;
  /** The other canonical tools that it can resolve to. */
  readonly also?: readonly string[] | undefined;
  /** The tool is offered only where this service exists. */
  readonly needs?: "agents" | undefined;
  load(): Promise<OfferedTool>;
}

/** A loaded tool: its description for models, and how to resolve calls of it. */
export interface OfferedTool
  extends Pick<
    AnyTool,
    "name" | "canonical" | "ownName" | "server" | "description" | "risk" | "hints" | "input"
  > {
  readonly risk: ToolRisk;
  /** The other canonical tools that it can resolve to. */
  readonly also?: readonly string[] | undefined;
  readonly input: z.core.$ZodType;
  /** Anthropic's models know the tool by this type, which is sent instead of a description and a schema. */
  readonly native?: NativeType | undefined;
  /** Canonical field to dialect field, where they differ. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
  /** Arguments that are left out of the definition. */
  readonly hiddenFields?: readonly string[] | undefined;
  /** The canonical tool validates the arguments, because they are the same. */
  readonly takesCanonical?: true | undefined;
  /** Returns the canonical call for arguments that match `input`. */
  resolve(given: unknown): ResolvedCall;
}

type NativeType =
  | { readonly type: "bash_20250124" }
  | { readonly type: "text_editor_20250728"; readonly max_characters?: number | undefined };

/** A call of a canonical tool, with its arguments, as the pipeline runs it. */
export interface ResolvedCall {
  readonly tool: AnyTool;
  readonly input: unknown;
}

interface RealPaths {
  readonly workspace: string;
  readonly home: string;
  readonly temporary: readonly string[];
}

export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | null;
  /** The output of a command before it failed. */
  readonly output?: string | undefined;
  /** For programs; this field is not enumerable. */
  readonly details?: ErrorDetails | undefined;
}
