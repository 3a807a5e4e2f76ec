import type { CallOptions, Toolcrib } from "../toolcrib/index.ts";
import type { AnthropicTool } from "../wire/anthropic.ts";
import { type Answered, answerCalls } from "./calls.ts";

export type { AnthropicDescribedTool, AnthropicNativeTool, AnthropicTool } from "../wire/anthropic.ts";

/** Returns the tools for `anthropic.messages.create({ tools })`. */
export async function messagesTools(crib: Toolcrib): Promise<AnthropicTool[]> {
  return [...(await crib.definitions({ for: "anthropic" }))];
}

/** Makes the calls of a message. Returns the blocks that answer them, for the next message, with role "user". */
export async function answerMessages(
  crib: Toolcrib,
  message: { readonly content: readonly { readonly type: string }[] },
  options: CallOptions = {},
): Promise<AnthropicAnswer[]> {
  const blocks = (message.content as readonly ToolUse[]).filter(({ type }) => type === "tool_use");
  const calls = blocks.map((item) => ({
    item,
    id: item.id,
    name: item.name,
    input: { ok: true as const, value: item.input },
  }));
  return answerCalls(crib, calls, options, ({ item }, result) => ({
    type: "tool_result",
    tool_use_id: item.id,
    content: contentOf(result),
    ...(result.isError ? { is_error: true } : {}),
  }));
}

export interface AnthropicAnswer {
  type: "tool_result";
  tool_use_id: string;
  content: string | AnthropicContent[];
  is_error?: boolean;
}

export type AnthropicContent =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: AnthropicMediaType; data: string } };

export type AnthropicMediaType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

interface ToolUse {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

function contentOf({ content, images }: Answered): string | AnthropicContent[] {
  if (images.length === 0) return content;
  const pictures = images.map(({ mediaType, base64 }) => ({
    type: "image" as const,
    source: { type: "base64" as const, media_type: mediaType as AnthropicMediaType, data: base64 },
  }));
  // A block of text must not be empty.
  return content === "" ? pictures : [{ type: "text", text: content }, ...pictures];
}
