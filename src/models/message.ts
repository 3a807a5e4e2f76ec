import type { Image } from "../contract/tool.ts";

/** One entry of a conversation with a model, the same for every provider. Never changed once it was sent. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

export interface UserMessage {
  readonly role: "user";
  readonly content: readonly (TextPart | ImagePart)[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  /** Whose words these are, `provider/name`: what only it understands is not shown to others. */
  readonly model: string;
  readonly content: readonly ReplyPart[];
  readonly meta?: Meta;
}

/** The answers to all calls of the reply before it, in their order. */
export interface ToolMessage {
  readonly role: "tool";
  readonly answers: readonly CallAnswer[];
}

export type ReplyPart = TextPart | ReasoningPart | CallPart;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly meta?: Meta;
}

export interface ImagePart extends Image {
  readonly type: "image";
}

export interface ReasoningPart {
  readonly type: "reasoning";
  /** What the provider lets us read of it; often empty. */
  readonly text: string;
  readonly meta?: Meta;
}

export interface CallPart {
  readonly type: "call";
  /** No other call of the conversation has it. */
  readonly id: string;
  readonly name: string;
  readonly input: CallInput;
  readonly meta?: Meta;
}

/** Arguments that can be read, or what came instead and what is wrong with it: never repaired. */
export type CallInput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly given: string; readonly problem: string };

export interface CallAnswer {
  /** Of the call. */
  readonly id: string;
  readonly name: string;
  readonly content: string;
  readonly isError: boolean;
  readonly images: readonly Image[];
}

/** What only the provider understands (signatures, encrypted reasoning, ids): handed back to it exactly as it came. JSON. */
export type Meta = Readonly<Record<string, unknown>>;
