import type { ToolAccess, ToolRisk } from "../contract/access.ts";
import type { InferSchema, JsonSchema, StandardSchema } from "../contract/schema.ts";
import type { OutputLimits, PreviewContext, ToolContext, ToolHints, ToolSettings } from "../contract/tool.ts";
import type { CallResult } from "./call-result.ts";
import type { CallData, CallInput, ToolName } from "./caller.ts";

/** A tool of your own, for the option `tools`. Calls of it pass the same pipeline as those of built-in tools. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tools has no common input type
export interface OwnTool<Input = any, Result = any> {
  /** Letters, digits, `_`, `-`, and dots, which models see as `_`. */
  readonly name: string;
  /** For models: what it does and when to use it. */
  readonly description: string;
  /** The schema of an object: zod 4, another Standard Schema, or JSON Schema. Default: it takes no arguments. */
  readonly input?: StandardSchema | JsonSchema | undefined;
  /** The JSON Schema for models, where the library of `input` gives none. */
  readonly inputSchema?: JsonSchema | undefined;
  /** The most that any call can do. Default: `execute`, so that the modes `safe` and `cautious` ask before each call. */
  readonly risk?: ToolRisk | undefined;
  /** Returns what a call would touch, so that rules about paths and hosts apply. Default: nothing; `risk` decides. */
  accesses?(input: Input, settings?: ToolSettings): readonly ToolAccess[];
  /** How much of the text a model is shown. Default: 30,000 characters, from the beginning and the end. */
  readonly limits?: Partial<OutputLimits> | undefined;
  /** Ends the call after this time. Default: 60 s. */
  readonly timeoutMs?: number | undefined;
  /** Hints for clients, where they differ from the defaults by `risk`. They decide nothing. */
  readonly hints?: ToolHints | undefined;
  /** Set when the tool starts programs with `environment`: each call then gets an `environment.confinement`. */
  readonly startsPrograms?: true | undefined;
  /** Describes the expected changes for the approval prompt: a unified diff, or a sentence. Changes nothing. */
  preview?(input: Input, context: PreviewContext): Promise<string>;
  /**
   * Runs the tool. A string is shown to the model. A `ToolOutput` has a text for the model, and data for programs. Any
   * other value is the data, and the model is shown it as JSON. An error fails the call with its message.
   */
  run(input: Input, context: OwnToolContext): Result | Promise<Result>;
}

/** Everything that a tool of a program can use while it runs. */
export interface OwnToolContext extends ToolContext {
  /**
   * Calls another tool of the instance, as `toolcrib.call` does: by the rules, recorded, undoable together with the call
   * of this tool. Ends when this call ends.
   */
  call<Name extends ToolName>(
    name: Name,
    input: CallInput<Name>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<CallResult<CallData<Name>>>;
}

/** Returns the tool unchanged, with the types of its input and result inferred. `openToolcrib` checks it. */
export function defineTool<
  const Schema extends StandardSchema | JsonSchema = { readonly type: "object"; readonly properties: object },
  Result = unknown,
>(
  // Without `input` twice: TypeScript 5 would compare a schema of ArkType to both types, and give up.
  tool: Omit<OwnTool<InferSchema<Schema>, Result>, "input"> & { readonly input?: Schema | undefined },
): OwnTool<InferSchema<Schema>, Result> {
  return tool;
}
