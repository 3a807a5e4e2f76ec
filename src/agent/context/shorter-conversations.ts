import { counted } from "../../lib/counted.ts";
import { isRecord } from "../../lib/is-record.ts";
import { truncateText } from "../../lib/truncate.ts";
import type { CallPart, Message, ReplyPart } from "../../models/message.ts";
import { userMessage } from "../conversation.ts";

/**
 * The conversation, then ever shorter versions of it for one who only has to know what went on: the middle of long texts left
 * out, then what is old. Calls keep their answers, and what only the provider understands stays as it is.
 */
export function* shorterConversations(messages: readonly Message[]): Generator<readonly Message[]> {
  yield messages;
  for (const maxChars of [8_000, 2_000, 500]) yield messages.map((message) => shortened(message, maxChars));
  for (const share of [1 / 2, 1 / 4, 1 / 16])
    yield newest(messages, share).map((message) => shortened(message, 500));
}

/** Where a conversation can be cut at or after `index`: no answer is parted from its call. */
export function cutAt(messages: readonly Message[], index: number): number {
  return messages[index]?.role === "tool" ? index + 1 : index;
}

function newest(messages: readonly Message[], share: number): readonly Message[] {
  const start = cutAt(messages, Math.floor(messages.length * (1 - share)));
  const [first, ...rest] = messages.slice(0, start);
  if (first?.role !== "user" || rest.length === 0) return messages;
  return [first, userMessage(`[${counted(rest.length, "message")} left out here]`), ...messages.slice(start)];
}

function shortened(message: Message, maxChars: number): Message {
  if (message.role === "assistant")
    return { ...message, content: message.content.map((part) => shortenedPart(part, maxChars)) };
  if (message.role === "user")
    return {
      ...message,
      content: message.content.map((part) =>
        part.type === "image" ? noImage : { ...part, text: cut(part.text, maxChars) },
      ),
    };
  const answers = message.answers.map((answer) => ({
    ...answer,
    content: cut(answer.content, maxChars),
    images: [],
  }));
  return { ...message, answers };
}

const noImage = { type: "text", text: "[a picture left out here]" } as const;

function shortenedPart(part: ReplyPart, maxChars: number): ReplyPart {
  return part.type === "call" ? shortenedCall(part, maxChars) : part;
}

function shortenedCall(call: CallPart, maxChars: number): CallPart {
  const { input } = call;
  if (!input.ok) return { ...call, input: { ...input, given: cut(input.given, maxChars) } };
  return { ...call, input: { ok: true, value: shortenedValue(input.value, maxChars) } };
}

function shortenedValue(value: unknown, maxChars: number): unknown {
  if (typeof value === "string") return cut(value, maxChars);
  if (Array.isArray(value)) return value.map((each) => shortenedValue(each, maxChars));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, shortenedValue(each, maxChars)]),
  );
}

function cut(text: string, maxChars: number): string {
  return truncateText(text, { maxChars, keep: "both" }, ({ chars }) => `[${chars} characters left out here]`)
    .text;
}
