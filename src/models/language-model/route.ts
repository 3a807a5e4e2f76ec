import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ToolDefinition } from "../../dialects/definition.ts";
import type { ProviderMeta } from "../message.ts";
import type { ModelRequest } from "../model.ts";
import type { ProviderSettings } from "../providers.ts";

/** The differences of one provider's API from the common interface of the AI SDK. */
export interface Route {
  /** The name of the API: "openai". */
  readonly api: string;
  readonly settings: ProviderSettings;
  readonly languageModel: LanguageModelV4;
  readonly tools: ToolFormat;
  readonly prompt: PromptHabits;
  /** Options of a request besides conversation and tools. */
  options(request: ModelRequest): RequestOptions;
  /** Makes the last changes to the messages of a request, such as cache marks. May replace elements. */
  mark?(messages: LanguageModelV4Message[]): void;
  /** Returns the message to the model when this finish reason means that its call could not be parsed. */
  fault?(finish: string, meta: ProviderMeta | undefined): string | undefined;
  /** Whether an error within the stream only reports a cut call, which the end of the reply reports too. */
  isCutCall?(error: unknown): boolean;
  /** Returns the part of the final metadata that must be sent back with the reply. */
  replyMeta?(meta: ProviderMeta): ProviderMeta | undefined;
  /** Further finish reasons that mean a regular end. */
  readonly otherEnds?: ReadonlySet<string>;
}

export interface PromptHabits {
  /** Where images of tool results go: into the result, or into a user message after all results. */
  readonly pictures: "in-answer" | "after-answers";
  /** Whether a result can be marked as an error. */
  readonly marksErrors: boolean;
  /** Whether nothing may follow a call. */
  readonly callsLast: boolean;
  /** The required format of call ids, which other providers may have made. */
  readonly callIds?: RegExp;
  /** The required format of tool names, which models may have made up. */
  readonly callNames?: RegExp;
  /** The SDK package looks names up in a plain object, which inherits names such as `constructor`. */
  readonly looksUpNames?: true;
  /** Whether reasoning without provider metadata is sent back. */
  readonly keepsPlainReasoning: boolean;
  /** Whose reasoning a model accepts: any model of its provider, or only its own. */
  readonly reasoningOf: "provider" | "model";
}

type RequestOptions = Pick<
  LanguageModelV4CallOptions,
  "reasoning" | "maxOutputTokens" | "providerOptions" | "headers" | "responseFormat"
>;

export type LanguageModelTool = NonNullable<LanguageModelV4CallOptions["tools"]>[number];

export interface ToolFormat {
  toTool(definition: ToolDefinition, position: { readonly isLast: boolean }): LanguageModelTool;
  /** Whether calls may hold nulls that only strict mode asked for. */
  readonly isStrict: boolean;
  readonly deferral?: Deferral;
}

/** How an API loads tools that the model finds with `tools.find`. The session answers the call, as for any other tool. */
export interface Deferral {
  /** The finder itself. Default: like any tool. */
  toFinder?(definition: ToolDefinition): LanguageModelTool;
  /** A deferred tool as requests contain it. Default: only the answer contains it. */
  toTool?(definition: ToolDefinition): LanguageModelTool;
  /** The answer that loads the found tools; undefined to answer with text. */
  toAnswer(found: readonly ToolDefinition[]): LanguageModelV4ToolResultOutput | undefined;
  /** A call of the finder in the form of the API. Default: like any call. */
  readonly call?: {
    read(given: string): string;
    write(input: unknown, id: string, meta: SharedV4ProviderOptions | undefined): WrittenCall;
  };
}

interface WrittenCall {
  readonly input: unknown;
  readonly providerOptions: SharedV4ProviderOptions;
}

/** The tools of a session, in order. */
export interface OfferedTools {
  /** The tools as requests contain them. */
  readonly tools: LanguageModelTool[];
  /** Finds a tool, also a deferred one. */
  find(name: string): ToolDefinition | undefined;
  /** How tools are deferred, when this name is that of the finder. */
  deferralOf(name: string): Deferral | undefined;
  /** Whether a tool takes plain text instead of an object. */
  isFreeform(name: string): boolean;
}

export function offerTools(
  { tools: listed, deferred = [] }: Pick<ModelRequest, "tools" | "deferred">,
  { toTool, deferral: known }: ToolFormat,
): OfferedTools {
  const finder = listed.find(({ canonical }) => canonical === "tools.find");
  const deferral = finder && deferred.length > 0 ? known : undefined;
  // Loaded tools are called directly.
  const shown = deferral ? listed.filter(({ canonical }) => canonical !== "tools.call") : listed;
  const tools = shown.map((definition, index) => {
    const isLast = index === shown.length - 1;
    return (definition === finder && deferral?.toFinder?.(definition)) || toTool(definition, { isLast });
  });
  const later = deferral ? deferred : [];
  const byName = new Map([...later, ...listed].map((definition) => [definition.name, definition]));
  const custom = tools.filter((tool) => tool.type === "provider" && tool.id === "openai.custom");
  const freeform = new Set(custom.map(({ name }) => name));
  return {
    tools: [...tools, ...later.flatMap((definition) => deferral?.toTool?.(definition) ?? [])],
    find: (name) => byName.get(name),
    deferralOf: (name) => (name === finder?.name ? deferral : undefined),
    isFreeform: (name) => freeform.has(name),
  };
}
