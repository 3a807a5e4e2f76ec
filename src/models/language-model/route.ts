import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import type { ToolDefinition } from "../../dialects/definition.ts";
import type { Meta } from "../message.ts";
import type { ModelRequest } from "../model.ts";
import type { ProviderSettings } from "../providers.ts";

/** What one provider's API wants otherwise than others, behind the interface that the AI SDK gives to all of them. */
export interface Route {
  /** The name of its API: "openai". */
  readonly api: string;
  readonly settings: ProviderSettings;
  readonly languageModel: LanguageModelV4;
  readonly tools: ToolFormat;
  readonly prompt: PromptHabits;
  /** What a request says beside conversation and tools. */
  options(request: ModelRequest): RequestOptions;
  /** The last touch to the messages of one request; marks of a cache, for example. May replace elements. */
  mark?(messages: LanguageModelV4Message[]): void;
  /** What to tell the model, where a reply ended in this way because it could not be understood. */
  fault?(finish: string, meta: Meta | undefined): string | undefined;
  /** Whether an error within the stream says only that a call was cut, as the end of the reply will say too. */
  isCutCall?(error: unknown): boolean;
  /** Of what is told with the end of a reply, what has to go back with it. */
  replyMeta?(meta: Meta): Meta | undefined;
  /** Other names of an end that is none too early. */
  readonly otherEnds?: ReadonlySet<string>;
}

/** How conversations are told to an API. */
export interface PromptHabits {
  /** Where pictures that tools answer with go: beside the words of the answer, or into a message of the user after all. */
  readonly pictures: "in-answer" | "after-answers";
  /** Whether an answer says by itself that it tells a failure. */
  readonly marksErrors: boolean;
  /** Whether nothing may stand behind a call. */
  readonly callsLast: boolean;
  /** What ids of calls have to look like, which others may have given. */
  readonly callIds?: RegExp;
  /** What names of tools have to look like, which models may have made up. */
  readonly callNames?: RegExp;
  /** Its package looks names up in a plain object, which has some that nobody gave it: `constructor`. */
  readonly looksUpNames?: true;
  /** Whether reasoning of which only the words are known goes back too. */
  readonly keepsPlainReasoning: boolean;
  /** Whose reasoning a model takes back: that of all models of its provider, or only its own. */
  readonly reasoningOf: "provider" | "model";
}

type RequestOptions = Pick<
  LanguageModelV4CallOptions,
  "reasoning" | "maxOutputTokens" | "providerOptions" | "headers"
>;

export type LanguageModelTool = NonNullable<LanguageModelV4CallOptions["tools"]>[number];

/** How tools are told to an API, and what comes of it in calls. */
export interface ToolFormat {
  toTool(definition: ToolDefinition, position: { readonly isLast: boolean }): LanguageModelTool;
  /** Whether calls may hold nulls that only strict mode asked for. */
  readonly isStrict: boolean;
}

/** The tools of a session, in its order; made once, because the session's list never changes. */
export interface ToolBox {
  /** As requests hold them. */
  readonly tools: LanguageModelTool[];
  find(name: string): ToolDefinition | undefined;
  /** Whether a tool was told as one that is given text instead of an object. */
  isFreeform(name: string): boolean;
}

export function toolBoxes(format: ToolFormat): (definitions: readonly ToolDefinition[]) => ToolBox {
  const boxes = new WeakMap<readonly ToolDefinition[], ToolBox>();
  return (definitions) => {
    const known = boxes.get(definitions);
    if (known) return known;
    const box = toolBox(definitions, format);
    boxes.set(definitions, box);
    return box;
  };
}

function toolBox(definitions: readonly ToolDefinition[], { toTool }: ToolFormat): ToolBox {
  const tools = definitions.map((definition, index) =>
    toTool(definition, { isLast: index === definitions.length - 1 }),
  );
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const freeform = new Set(tools.filter(isCustom).map(({ name }) => name));
  return { tools, find: (name) => byName.get(name), isFreeform: (name) => freeform.has(name) };
}

function isCustom(tool: LanguageModelTool): boolean {
  return tool.type === "provider" && tool.id === "openai.custom";
}
