import type { ToolImage } from "../contract/tool.ts";

/** One entry of a conversation, the same for every provider. Never changes once it is sent. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

export interface UserMessage {
  readonly role: "user";
  readonly content: readonly (TextPart | ImagePart)[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  /** The author, `provider/name`: metadata is sent back only to the provider that made it. */
  readonly model: string;
  readonly content: readonly ReplyPart[];
  readonly meta?: ProviderMeta;
}

/** The answers to all calls of the previous reply, in order. */
export interface ToolMessage {
  readonly role: "tool";
  readonly answers: readonly CallAnswer[];
}

export type ReplyPart = TextPart | ReasoningPart | CallPart;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly meta?: ProviderMeta;
}

export interface ImagePart extends ToolImage {
  readonly type: "image";
}

export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly meta?: ProviderMeta;
}

export interface CallPart {
  readonly type: "call";
  /** Unique in the conversation. */
  readonly id: string;
  readonly name: string;
  readonly input: CallInput;
  readonly meta?: ProviderMeta;
}

/** Arguments, or the unreadable text and why it is unreadable. Never repaired. */
export type CallInput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly given: string; readonly problem: string };

export interface CallAnswer {
  readonly id: string;
  readonly name: string;
  readonly content: string;
  readonly isError: boolean;
  readonly images: readonly ToolImage[];
  /** The names of the tools that `tools.find` found. */
  readonly found?: readonly string[] | undefined;
}

/** JSON that only the provider understands (signatures, encrypted reasoning, ids) and that is sent back unchanged. */
export type ProviderMeta = Readonly<Record<string, unknown>>;
