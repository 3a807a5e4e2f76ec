import type { CacheBlock } from "../prefix-cache.ts";
import type { Conversation } from "../protocol.ts";
import type { NeutralMessage, NeutralRequest } from "../provider-server.ts";
import {
  type AnthropicRequest,
  type Block,
  blocksOf,
  type MessageParam,
  type ToolParam,
  textOf,
} from "./request.ts";

/** Reads block by block, because the user's text after the answers to calls is in the same message. */
export function conversationOf({ system, tools, messages }: AnthropicRequest): Conversation {
  const units: string[] = [];
  let opening: number | undefined;
  for (const { role, content } of messages) {
    if (role === "assistant") opening ??= units.length;
    for (const block of blocksOf(content)) units.push(role + unmarked(block));
  }
  return { head: unmarked([system, tools]), messages: units, opening: opening ?? units.length };
}

/**
 * Returns the blocks that the cache sees. Deferred tools are no part of the prompt; other thinking or another tool choice
 * makes other messages.
 */
export function cacheBlocksOf(request: AnthropicRequest): readonly CacheBlock[] {
  const { system = [], tools = [], messages, thinking, tool_choice } = request;
  const toBlock = (value: Block | ToolParam, before = ""): CacheBlock => ({
    text: before + unmarked([value]),
    isMarked: JSON.stringify(value).includes('"cache_control":{'),
  });
  const listed = tools.filter(({ defer_loading }) => defer_loading !== true);
  return [
    ...listed.map((tool) => toBlock(tool)),
    ...blocksOf(system).map((block) => toBlock(block)),
    { text: JSON.stringify([thinking, tool_choice]) },
    ...messages.flatMap(({ role, content }) => blocksOf(content).map((block) => toBlock(block, role))),
  ];
}

/** Removes cache marks, which move from request to request. */
function unmarked(value: Block | readonly unknown[]): string {
  const text = JSON.stringify(value);
  return text.includes('"cache_control":') ? text.replace(mark, "") : text;
}

const mark = /,?"cache_control":(?:\{[^}]*\}|null)/g;

export function readRequest({
  system,
  messages,
  tools,
  thinking,
  output_config,
}: AnthropicRequest): NeutralRequest {
  return {
    messages: messages.flatMap(neutral),
    tools: (tools ?? []).map(({ name }) => name),
    system: typeof system === "string" ? system : (system ?? []).map(({ text }) => text).join("\n"),
    reasoning: output_config?.effort ?? effortOf(thinking?.type, thinking?.budget_tokens),
  };
}

function effortOf(type: string | undefined, budget: number | undefined): string | undefined {
  return type === "enabled" ? String(budget) : type === "disabled" ? undefined : type;
}

function neutral({ role, content }: MessageParam): NeutralMessage[] {
  const blocks = blocksOf(content);
  const text = textOf(blocks);
  if (role === "assistant") {
    const calls = blocks
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({ id: id!, name: name!, input }));
    return [{ role, text, ...(calls.length > 0 ? { calls } : {}) }];
  }
  const answers = blocks.filter(({ type }) => type === "tool_result");
  const images = blocks.some(({ type }) => type === "image");
  return [
    ...answers.map(({ tool_use_id, content: otherBlocks }) => ({
      role: "tool" as const,
      text: textOf(blocksOf(otherBlocks ?? [])),
      id: tool_use_id!,
    })),
    ...(text !== "" || images ? [{ role: "user" as const, text }] : []),
  ];
}
