import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ToolImage } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { oncePerObject } from "../../lib/once-per-object.ts";
import { freeformFieldOf } from "../../wire/read-arguments.ts";
import type {
  AssistantMessage,
  CallAnswer,
  CallPart,
  Message,
  ProviderMeta,
  ReplyPart,
  ToolMessage,
  UserMessage,
} from "../message.ts";
import type { ModelRequest } from "../model.ts";
import type { OfferedTools, PromptHabits } from "./route.ts";

export interface PromptOptions extends PromptHabits {
  /** `provider/name`. */
  readonly id: string;
  readonly provider: string;
  readonly seesImages: boolean;
}

/** Converts requests to prompts. Each message is converted once, so that a long conversation costs no more than a new one. */
export function promptMaker(
  options: PromptOptions,
): (request: ModelRequest, offered: OfferedTools) => LanguageModelV4Prompt {
  const converterFor = oncePerObject((offered: OfferedTools) =>
    oncePerObject((message: Message) => toMessages(message, { ...options, offered })),
  );
  return ({ system, messages }, offered) => [
    ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
    ...messages.flatMap(converterFor(offered)),
  ];
}

type Context = PromptOptions & { readonly offered: OfferedTools };

function toMessages(message: Message, context: Context): readonly LanguageModelV4Message[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: userContent(message.content, context) }];
    case "assistant":
      return assistantMessages(message, context);
    case "tool":
      return toolMessages(message, context);
  }
}

type UserContent = Extract<LanguageModelV4Message, { role: "user" }>["content"];
type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

function userContent(content: UserMessage["content"], { seesImages }: Context): UserContent {
  return content.flatMap((part) => {
    if (part.type === "image") return [seesImages ? picture(part) : { type: "text", text: imageOmitted }];
    return isBlank(part.text) ? [] : [{ type: "text", text: part.text }];
  });
}

/** Replaces an image for models without vision. */
export const imageOmitted = "[Image omitted: this model cannot see images.]";

function picture({ mediaType, base64 }: ToolImage): LanguageModelV4FilePart {
  return {
    type: "file",
    mediaType,
    data: { type: "data", data: base64 },
    providerOptions: { openai: { imageDetail: "auto" } },
  };
}

function assistantMessages(message: AssistantMessage, context: Context): readonly LanguageModelV4Message[] {
  const isOwn = message.model.startsWith(`${context.provider}/`);
  const isThought = context.reasoningOf === "provider" ? isOwn : message.model === context.id;
  const content = message.content.flatMap((part) =>
    assistantPart(part, part.type === "reasoning" ? isThought : isOwn, context),
  );
  const ordered = context.callsLast
    ? content.toSorted((one, other) => Number(one.type === "tool-call") - Number(other.type === "tool-call"))
    : content;
  // Providers refuse reasoning at the end of a message, as in a cut reply.
  while (ordered.at(-1)?.type === "reasoning") ordered.pop();
  if (ordered.length === 0) return [];
  const meta = isThought ? message.meta : undefined;
  return [{ role: "assistant", content: ordered, ...optionsOf(meta) }];
}

function assistantPart(part: ReplyPart, isOwn: boolean, context: Context): AssistantContent {
  const options = isOwn ? optionsOf(part.meta) : {};
  switch (part.type) {
    case "text":
      // Models write blank text before calls. Providers refuse it, unless it carries metadata.
      return isBlank(part.text) && options.providerOptions === undefined
        ? []
        : [{ type: "text", text: part.text, ...options }];
    case "reasoning":
      return options.providerOptions !== undefined || (isOwn && context.keepsPlainReasoning)
        ? [{ type: "reasoning", text: part.text, ...options }]
        : [];
    case "call": {
      const names = callNames(part, context);
      const input = callInput(part, context.offered);
      const search = context.offered.deferralOf(part.name)?.call;
      const written = search?.write(input, names.toolCallId, options.providerOptions);
      return [{ type: "tool-call", ...names, ...(written ?? { input, ...options }) }];
    }
  }
}

function callNames({ id, name }: Pick<CallPart, "id" | "name">, context: Context) {
  return { toolCallId: idFor(id, context), toolName: nameFor(name, context) };
}

/** Converts the id of a call and of its answer in the same way, and keeps ids unique. */
function idFor(id: string, { callIds }: Context): string {
  if (callIds === undefined || callIds.test(id)) return id;
  return `${id.replace(/[^\w-]/g, "_").slice(0, 20)}_${checksum(id)}`;
}

/** Models make up names, and providers refuse invalid ones. */
function nameFor(name: string, { callNames, looksUpNames, offered }: Context): string {
  const isMistaken = looksUpNames && name in Object.prototype;
  if (!isMistaken && (callNames === undefined || callNames.test(name) || offered.find(name))) return name;
  return `_${name.replace(/[^\w-]/g, "_").slice(0, 60)}`;
}

/** Returns 52 bits of FNV-1a. */
function checksum(text: string): string {
  let sum = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    sum = ((sum ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return (sum & 0xfffffffffffffn).toString(36);
}

/** Returns the arguments to send back. Providers accept only objects; the answer explains arguments that could not be read. */
function callInput({ name, input }: CallPart, offered: OfferedTools): unknown {
  if (offered.isFreeform(name)) return input.ok ? textOf(input.value, name, offered) : input.given;
  return input.ok && isRecord(input.value) ? input.value : {};
}

function textOf(value: unknown, name: string, offered: OfferedTools): unknown {
  const definition = offered.find(name);
  const field = definition && freeformFieldOf(definition);
  const text = Object(value)[field ?? ""];
  return typeof text === "string" ? text : JSON.stringify(value);
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

function toolMessages({ answers }: ToolMessage, context: Context): readonly LanguageModelV4Message[] {
  const content = answers.map((answer) => ({
    type: "tool-result" as const,
    ...callNames(answer, context),
    output: answerOutput(answer, context),
  }));
  const shown = picturesAfter(answers, context);
  return [
    { role: "tool", content },
    ...(shown.length === 0 ? [] : [{ role: "user" as const, content: shown }]),
  ];
}

function answerOutput(answer: CallAnswer, context: Context): LanguageModelV4ToolResultOutput {
  const { content, isError, images } = answer;
  const found = answer.found?.flatMap((name) => context.offered.find(name) ?? []);
  const loading = context.offered.deferralOf(answer.name)?.toAnswer(found ?? []);
  if (loading !== undefined) return loading;
  const isAlone = images.length === 0 || context.pictures === "after-answers" || !context.seesImages;
  if (!isAlone) {
    const text = content === "" ? [] : [{ type: "text" as const, text: content }];
    return { type: "content", value: [...text, ...images.map(picture)] };
  }
  const value =
    images.length > 0 && !context.seesImages ? `${content}\n${imageOmitted}`.trimStart() : content;
  return { type: isError && context.marksErrors ? "error-text" : "text", value };
}

function picturesAfter(answers: readonly CallAnswer[], { pictures, seesImages }: Context): UserContent {
  if (pictures === "in-answer" || !seesImages) return [];
  const seen = answers.filter(({ images }) => images.length > 0);
  return seen.flatMap(({ name, images }) => [
    { type: "text", text: `From ${name}:` },
    ...images.map(picture),
  ]);
}

function optionsOf(meta: ProviderMeta | undefined): { providerOptions?: SharedV4ProviderOptions } {
  return meta === undefined ? {} : { providerOptions: meta as SharedV4ProviderOptions };
}
