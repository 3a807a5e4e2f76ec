import { inHalves } from "../in-halves.ts";
import type { Piece, PlainAnswer, WireReply } from "../protocol.ts";
import { argumentsOf, inputOf } from "../wire-arguments.ts";
import { usualContext } from "./abilities.ts";
import type { Message, OllamaRequest } from "./request.ts";
import type { SentReplies } from "./sent-replies.ts";

/** A malformed call at the beginning of a reply is a server error. */
export function refusalOf(reply: WireReply): PlainAnswer | undefined {
  const unread = unreadable(reply);
  if (unread === undefined || reply.text || reply.reasoning) return undefined;
  return { status: 500, body: { error: unread } };
}

/** The lines of a reply, in order. */
export function replyPieces(
  reply: WireReply,
  { options }: OllamaRequest,
  sent: SentReplies,
): readonly Piece[] {
  const { reasoning = "", text = "", calls } = reply;
  const unread = unreadable(reply);
  const isWhole = calls.every((call) => inputOf(call) !== undefined);
  const tool_calls = isWhole
    ? calls.map((call, index) => ({ function: { index, name: call.name, arguments: inputOf(call) } }))
    : [];
  if (reply.isWhole) sent.remember({ role: "assistant", content: text, thinking: reasoning, tool_calls });
  const wordPieces = reply.split(text).map((content) => line(reply, { content }, "text"));
  const callPieces = tool_calls.flatMap((call) =>
    inHalves(line(reply, { content: "", tool_calls: [call] }, "arguments")),
  );
  return [
    ...reply.split(reasoning).map((thinking) => line(reply, { content: "", thinking }, "reasoning")),
    ...(reply.oddity === "text-after-calls"
      ? [...callPieces, ...wordPieces]
      : [...wordPieces, ...callPieces]),
    unread === undefined ? lastLine(reply, options?.num_ctx ?? usualContext) : errorLine(unread),
  ];
}

export function errorPiece(): Piece {
  return errorLine("an error was encountered while running the model: unexpected EOF");
}

function errorLine(error: string): Piece {
  return { data: `${JSON.stringify({ error })}\n` };
}

/** Returns the fault of the first malformed call; a truncated reply has none. */
function unreadable({ calls, finish }: WireReply): string | undefined {
  const broken = calls.find((call) => inputOf(call) === undefined);
  if (broken === undefined || finish === "length") return undefined;
  return `error parsing tool call: raw='${argumentsOf(broken)}', err=invalid character '}' after object key`;
}

function line(reply: WireReply, message: Omit<Message, "role">, is: NonNullable<Piece["is"]>): Piece {
  const value = { ...headOf(reply), message: { role: "assistant", ...message }, done: false };
  return { data: `${JSON.stringify(value)}\n`, is };
}

/** Ollama drops what does not fit, without reporting it. */
function lastLine(reply: WireReply, contextTokens: number): Piece {
  const { usage, finish, oddity } = reply;
  const counts = {
    prompt_eval_count: Math.min(usage.input, contextTokens),
    prompt_eval_duration: 1_000_000,
    eval_count: usage.output,
    eval_duration: 1_000_000,
  };
  const value = {
    ...headOf(reply),
    message: { role: "assistant", content: "" },
    done: true,
    done_reason: finish === "length" ? "length" : "stop",
    total_duration: 2_000_000,
    load_duration: 1_000,
    ...(oddity === "no-usage" ? {} : counts),
  };
  return { data: `${JSON.stringify(value)}\n`, is: "terminal" };
}

function headOf({ model }: WireReply) {
  return { model, created_at: "2026-11-16T00:00:00.000000000Z" };
}
