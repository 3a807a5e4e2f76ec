import { inHalves } from "../in-halves.ts";
import type { Piece, WireReply } from "../protocol.ts";
import { sse } from "../sse.ts";
import { inputOf } from "../wire-arguments.ts";
import type { Part } from "./request.ts";
import type { SentReplies } from "./sent-replies.ts";

/** The events of a reply, in order. */
export function replyPieces(reply: WireReply, sent: SentReplies): readonly Piece[] {
  if (reply.oddity === "blocked-prompt") return [event(reply, { promptFeedback }, "terminal")];
  const calls = callParts(reply, sent);
  const isMalformed = calls === undefined && reply.finish !== "length";
  const words = reply.split(reply.text ?? "").map((text): Part => ({ text }));
  const thoughts = reply.split(reply.reasoning ?? "").map((text): Part => ({ text, thought: true }));
  // In a reply without calls, the last part has the signature; it has no text.
  const last: Part[] =
    !isMalformed && !calls?.length && words.length > 0
      ? [{ text: "", thoughtSignature: sent.sign(reply.number) }]
      : [];
  if (reply.isWhole) sent.remember([...thoughts, ...words, ...(calls ?? []), ...last]);
  const wordPieces = words.map((part) => event(reply, { candidates: [candidate([part])] }, "text"));
  const callPieces = (calls ?? []).flatMap((part) =>
    inHalves(event(reply, { candidates: [candidate([part])] }, "arguments")),
  );
  return [
    ...thoughts.map((part) => event(reply, { candidates: [candidate([part])] }, "reasoning")),
    ...(reply.oddity === "text-after-calls"
      ? [...callPieces, ...wordPieces]
      : [...wordPieces, ...callPieces]),
    event(reply, { candidates: [lastCandidate(reply, last, isMalformed)] }, "terminal"),
  ];
}

export function errorPiece(): Piece {
  const error = {
    code: 503,
    message: "The model is overloaded. Please try again later.",
    status: "UNAVAILABLE",
  };
  return sse({ error });
}

/** Undefined for a malformed call, which Gemini does not return. */
function callParts({ calls, number, oddity }: WireReply, sent: SentReplies): Part[] | undefined {
  const inputs = calls.map(inputOf);
  if (inputs.includes(undefined)) return undefined;
  return calls.map(({ id, name }, index) => ({
    functionCall: { ...(oddity === "no-ids" ? {} : { id }), name, args: inputs[index] },
    ...(index === 0 ? { thoughtSignature: sent.sign(number) } : {}),
  }));
}

const promptFeedback = { blockReason: "PROHIBITED_CONTENT" };
const finishReasons = { stop: "STOP", calls: "STOP", length: "MAX_TOKENS", filtered: "SAFETY" };

function candidate(parts: readonly Part[]) {
  return { content: { role: "model", parts }, index: 0 };
}

function lastCandidate(reply: WireReply, last: readonly Part[], isMalformed: boolean) {
  if (isMalformed) {
    const call = reply.calls.map(({ name, raw, input }) => `${name}(${raw ?? input})`).join(", ");
    return {
      content: {},
      index: 0,
      finishReason: "MALFORMED_FUNCTION_CALL",
      finishMessage: `Malformed function call: ${call}`,
    };
  }
  return { ...candidate(last.length > 0 ? last : [{ text: "" }]), finishReason: finishReasons[reply.finish] };
}

function event(reply: WireReply, fields: object, is: NonNullable<Piece["is"]>): Piece {
  const { model, number, usage, oddity } = reply;
  const usageMetadata = {
    promptTokenCount: usage.input,
    ...(usage.cached > 0 ? { cachedContentTokenCount: usage.cached } : {}),
    // Only the last event has the final usage.
    ...(is === "terminal" ? { candidatesTokenCount: usage.output - usage.reasoning } : {}),
    ...(usage.reasoning > 0 ? { thoughtsTokenCount: usage.reasoning } : {}),
    totalTokenCount: usage.input + usage.output,
  };
  const value = {
    ...fields,
    ...(oddity === "no-usage" ? {} : { usageMetadata }),
    modelVersion: model,
    responseId: `response_${number}`,
  };
  return sse(value, { is });
}
