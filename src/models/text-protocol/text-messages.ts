import { isRecord } from "../../lib/is-record.ts";
import type {
  AssistantMessage,
  CallAnswer,
  CallPart,
  ImagePart,
  Message,
  Meta,
  ReplyPart,
  TextPart,
  ToolMessage,
  UserMessage,
} from "../message.ts";

/** Where the protocol keeps in `meta` what it must hand back. */
export const metaKey = "toolcrib";

/** One piece of text of a reply as it was written. */
export interface SaidText {
  readonly text: string;
  readonly meta?: Meta;
}

interface Kept {
  readonly said: readonly SaidText[];
  /** It was prose, and the model was told so. */
  readonly isProse?: true;
}

/** Turns messages into those of a conversation without calls, each of them once: what was said stays as it was written. */
export function textMessages(): (message: Message) => Message {
  const known = new WeakMap<Message, Message>();
  return (message) => {
    const made = known.get(message) ?? toText(message);
    known.set(message, made);
    return made;
  };
}

/** Whether the last reply was prose, and the model was told that this is no action. */
export function wasToldOfProse(messages: readonly Message[]): boolean {
  const last = messages.findLast(({ role }) => role !== "user");
  return last?.role === "assistant" && keptIn(last)?.isProse === true;
}

function toText(message: Message): Message {
  switch (message.role) {
    case "user":
      return message;
    case "assistant":
      return asWritten(message);
    case "tool":
      return answersAsText(message);
  }
}

function asWritten(message: AssistantMessage): AssistantMessage {
  const { meta: _, ...plain } = message;
  const { [metaKey]: __, ...meta } = message.meta ?? {};
  const said = keptIn(message)?.said.map(({ text, meta }) => ({
    type: "text" as const,
    text,
    ...(meta && { meta }),
  }));
  const texts = said ?? [{ type: "text" as const, text: asActions(message.content) }];
  const thoughts = message.content.filter((part) => part.type === "reasoning" && !isInText(part));
  return {
    ...plain,
    content: [...thoughts, ...texts.filter(({ text }) => text !== "")],
    ...(Object.keys(meta).length > 0 && { meta }),
  };
}

/** A reply that was not made by this protocol, as it would have been. */
function asActions(content: readonly ReplyPart[]): string {
  return content
    .flatMap((part) => {
      if (part.type === "text") return part.text === "" ? [] : [part.text];
      return part.type === "call" ? [actionOf(part)] : [];
    })
    .join("\n");
}

function actionOf({ name, input }: CallPart): string {
  return JSON.stringify({ action: "tool_call", tool: name, args: input.ok ? input.value : {} });
}

function answersAsText({ answers }: ToolMessage): UserMessage {
  const words: TextPart = { type: "text", text: answers.map(answerAsText).join("\n\n") };
  const images = answers
    .flatMap(({ images }) => images)
    .map((image): ImagePart => ({ type: "image", ...image }));
  return { role: "user", content: [words, ...images] };
}

function answerAsText({ name, content, isError }: CallAnswer): string {
  return `${isError ? `${name} failed` : `Result of ${name}`}:\n${content}`;
}

function keptIn({ meta }: AssistantMessage): Kept | undefined {
  const kept = meta?.[metaKey];
  return isRecord(kept) && Array.isArray(kept.said) ? (kept as unknown as Kept) : undefined;
}

function isInText({ meta }: ReplyPart): boolean {
  const kept = meta?.[metaKey];
  return isRecord(kept) && kept.isInText === true;
}
