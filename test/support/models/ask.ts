import type { ToolDefinition } from "../../../src/dialects/definition.ts";
import type {
  AssistantMessage,
  CallAnswer,
  Message,
  ProviderMeta,
  ReplyPart,
} from "../../../src/models/message.ts";
import type { FinishReason, Model, ModelRequest, TokenUsage } from "../../../src/models/model.ts";

/** A reply, assembled from its events as by an agent. */
export interface Reply {
  readonly message: AssistantMessage;
  readonly reason: FinishReason;
  readonly usage: TokenUsage;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** Asks once, and checks the rules for events. */
export async function ask(
  model: Model,
  request: Partial<ModelRequest>,
  signal: AbortSignal = new AbortController().signal,
): Promise<Reply> {
  const content: ReplyPart[] = [];
  const open = new Map<string, number>();
  const faults: string[] = [];
  const warnings: string[] = [];
  for await (const event of model.stream(
    { system: "Be brief.", messages: [user("Go on.")], tools, ...request },
    signal,
  )) {
    switch (event.type) {
      case "part-start":
        open.set(event.id, content.push({ type: event.part, text: "" }) - 1);
        break;
      case "part-delta":
      case "part-end": {
        const index = open.get(event.id)!;
        const part = content[index] as {
          readonly type: "text";
          readonly text: string;
          readonly meta?: ProviderMeta;
        };
        content[index] =
          event.type === "part-delta"
            ? { ...part, text: part.text + event.text }
            : { ...part, ...(event.meta && { meta: event.meta }) };
        if (event.type === "part-end") open.delete(event.id);
        break;
      }
      case "call":
        content.push(event.call);
        break;
      case "fault":
        faults.push(event.message);
        break;
      case "warning":
        warnings.push(event.message);
        break;
      case "finish": {
        const { reason, usage, meta } = event;
        const message: AssistantMessage = {
          role: "assistant",
          model: model.id,
          content,
          ...(meta && { meta }),
        };
        if (open.size > 0) throw new Error("A part has no end.");
        return { message, reason, usage, faults, warnings };
      }
    }
  }
  throw new Error("The stream ended without finish and without an error.");
}

export function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

/** Answers every call of a reply. */
export function answers(message: AssistantMessage, answer: Partial<CallAnswer> = {}): Message {
  return {
    role: "tool",
    answers: message.content
      .filter((part) => part.type === "call")
      .map(({ id, name }) => ({
        id,
        name,
        content: `${name} says so.`,
        isError: false,
        images: [],
        ...answer,
      })),
  };
}

/** The text and calls, without provider metadata. */
export function gist({ message }: Reply): readonly string[] {
  return message.content.map((part) => {
    if (part.type !== "call") return `${part.type}: ${part.text}`;
    const { input } = part;
    return `${part.name} ${input.ok ? JSON.stringify(input.value) : `unreadable ${input.given}`}`;
  });
}

const effects: ToolDefinition["effects"] = {
  title: "Tool",
  readOnly: true,
  destructive: false,
  idempotent: true,
  openWorld: false,
  structured: false,
};

/** Tools for a conversation. */
export const tools: readonly ToolDefinition[] = [
  {
    name: "read_file",
    canonical: "file.read",
    description: "Reads a file.",
    risk: "read",
    effects,
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" }, limit: { type: "integer" } },
      required: ["path"],
      additionalProperties: false,
    },
  },
  {
    name: "status",
    canonical: "git.status",
    description: "Tells what has changed.",
    risk: "read",
    effects,
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
  },
];
