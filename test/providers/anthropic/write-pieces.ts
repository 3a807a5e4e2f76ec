import { randomBytes } from "node:crypto";
import type { Piece, WireReply } from "../protocol.ts";
import { sse } from "../sse.ts";
import { argumentsOf, inputOf } from "../wire-arguments.ts";
import type { Block } from "./request.ts";
import type { SentReplies } from "./sent-replies.ts";

/** The events of a reply, in order. */
export function replyPieces(given: WireReply, sent: SentReplies): readonly Piece[] {
  // The API always reports usage; compatible servers may not.
  const reply = given.oddity === "no-usage" ? { ...given, usage: nothing } : given;
  const blocks = contentOf(reply, sent);
  if (reply.isWhole)
    sent.remember(
      blocks.map(({ block }) => block),
      reply.model,
    );
  const start = event("message_start", { message: startOf(reply) });
  return [
    start,
    ...(reply.oddity === "start-twice" ? [start] : []),
    ...blocks.flatMap((block, index) => blockPieces(block, index, reply)),
    event("message_delta", {
      delta: { stop_reason: stopReasons[reply.finish], stop_sequence: null },
      usage: usageAtEnd(reply),
    }),
    event("message_stop", {}, "terminal"),
  ];
}

export function errorPiece(): Piece {
  return event("error", { error: { type: "overloaded_error", message: "Overloaded" } });
}

const nothing = { input: 0, cached: 0, cacheWritten: 0, output: 0, reasoning: 0 };
const stopReasons = { stop: "end_turn", calls: "tool_use", length: "max_tokens", filtered: "refusal" };

interface StreamedBlock {
  /** The whole block, as a client sends it back. */
  readonly block: Block;
  /** Arguments as text on the wire. */
  readonly raw?: string;
}

function contentOf(reply: WireReply, sent: SentReplies): StreamedBlock[] {
  const { reasoning, text, calls } = reply;
  const thoughts =
    reasoning === undefined
      ? []
      : reply.oddity === "redacted-reasoning"
        ? [{ block: { type: "redacted_thinking", data: sent.redact(reasoning, reply) } }]
        : [{ block: { type: "thinking", thinking: reasoning, signature: sent.sign(reasoning, reply) } }];
  const words = text ? [{ block: { type: "text", text } }] : [];
  const uses = calls.map((call) => ({
    block: { type: "tool_use", id: call.id, name: call.name, input: inputOf(call) },
    raw: argumentsOf(call),
  }));
  return reply.oddity === "text-after-calls"
    ? [...thoughts, ...uses, ...words]
    : [...thoughts, ...words, ...uses];
}

function blockPieces({ block, raw }: StreamedBlock, index: number, reply: WireReply): Piece[] {
  const delta = (type: string, field: string, is: Piece["is"]) => (text: string) =>
    event("content_block_delta", { index, delta: { type, [field]: text } }, is);
  const open = (content_block: Block) => event("content_block_start", { index, content_block });
  const ping = index === 0 ? [event("ping", {})] : [];
  const close = event("content_block_stop", { index });
  switch (block.type) {
    case "text":
      return [
        open({ type: "text", text: "" }),
        ...ping,
        ...reply.split(block.text!).map(delta("text_delta", "text", "text")),
        close,
      ];
    case "thinking":
      return [
        open({ type: "thinking", thinking: "", signature: "" }),
        ...ping,
        ...reply.split(block.thinking!).map(delta("thinking_delta", "thinking", "reasoning")),
        delta("signature_delta", "signature", "reasoning")(block.signature!),
        close,
      ];
    case "tool_use": {
      const { type, id, name } = block as Block & { id: string; name: string };
      const pieces = raw === "" || raw === "{}" ? [""] : ["", ...reply.split(raw!)];
      return [
        open({ type, id, name, input: {} }),
        ...ping,
        ...pieces.map(delta("input_json_delta", "partial_json", "arguments")),
        close,
      ];
    }
    default:
      return [open(block), ...ping, close];
  }
}

function startOf({ model, usage }: WireReply) {
  return {
    id: `msg_${randomBytes(12).toString("hex")}`,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...inputUsage(usage), output_tokens: 1, service_tier: "standard" },
  };
}

function usageAtEnd({ usage }: WireReply) {
  return {
    ...inputUsage(usage),
    output_tokens: usage.output,
    output_tokens_details: { thinking_tokens: usage.reasoning },
  };
}

/** Cached input is counted in addition to `input_tokens`. */
function inputUsage({ input, cached, cacheWritten }: WireReply["usage"]) {
  return {
    input_tokens: input - cached - cacheWritten,
    cache_creation_input_tokens: cacheWritten,
    cache_read_input_tokens: cached,
  };
}

function event(type: string, fields: object, is?: Piece["is"]): Piece {
  return sse({ type, ...fields }, { event: type, is });
}
