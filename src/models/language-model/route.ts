import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import type { Meta } from "../message.ts";
import type { ModelRequest } from "../model.ts";
import type { ProviderSettings } from "../providers/provider-settings.ts";
import type { ToolFormat } from "./to-tools.ts";

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
