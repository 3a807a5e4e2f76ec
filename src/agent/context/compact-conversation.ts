import { characterStart } from "../../lib/truncate.ts";
import type { Message } from "../../models/message.ts";
import type { ModelRequest } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import { textOf } from "../conversation.ts";
import type { Compacted, CompactionOptions } from "../parts.ts";
import { askForHandOver, handOver, planIn } from "./hand-over.ts";
import { conversationTokens, frameTokens, messageTokens } from "./message-tokens.ts";
import { fullShare, likelyRatio } from "./open-meter.ts";
import { cutAt, shorterConversations } from "./shorter-conversations.ts";

/**
 * The same conversation, shorter: what is pinned word for word, a summary by the model itself, and the last steps. It is at
 * most 60 % of what it was, or this throws `overflow`; nothing is changed until then. The model is asked by what it has
 * been asked all along, and one message more, so that its provider's cache still holds.
 */
export async function compactConversation(options: CompactionOptions): Promise<Compacted> {
  const { request, pinned, contextTokens, tokensBefore } = options;
  const { messages, system, tools } = request;
  const frame = frameTokens(system, tools);
  const before = conversationTokens(messages);
  const ratio = likelyRatio(tokensBefore, frame + before);
  const window = contextTokens ?? Number.POSITIVE_INFINITY;
  const isShort = (kept: readonly Message[]) => {
    const after = conversationTokens(kept);
    return after <= before * mostLeft && (frame + after) * ratio < window * fullShare;
  };
  const bare = { messages, pinned, tools };
  if (!isShort(goingOn(bare, { summary: "", tailTokens: 0 }))) throw cannotShrink(options);

  const basis = Math.min(before, window / ratio);
  const summary = bounded(await summarise(options, { ratio, frame }), basis * summaryShare);
  for (const share of tailShares) {
    const kept = goingOn(bare, { summary, tailTokens: basis * share });
    if (isShort(kept))
      return { messages: kept, tokensAfter: Math.ceil((frame + conversationTokens(kept)) * ratio) };
  }
  throw cannotShrink(options);
}

/** Of what it was, at most this is left. */
const mostLeft = 0.6;

/** How much of the window the last steps may take: the first at which the whole is short enough. */
const tailShares = [0.25, 0.12, 0.05, 0];
const summaryShare = 0.2;

interface Kept {
  readonly summary: string;
  /** The last steps stay as they are, as many as cost no more than this. */
  readonly tailTokens: number;
}

function goingOn(
  { messages, pinned, tools }: Pick<CompactionOptions, "pinned"> & Pick<ModelRequest, "messages" | "tools">,
  { summary, tailTokens }: Kept,
): readonly Message[] {
  const start = startOfTail(messages, tailTokens);
  const old = messages.slice(0, start);
  return [
    ...old.filter((message) => pinned.has(message)),
    handOver(summary, planIn(old, tools)),
    ...messages.slice(start),
  ];
}

/** What the person said last and has no answer yet always stays. */
function startOfTail(messages: readonly Message[], tailTokens: number): number {
  let start = messages.findLastIndex(({ role }) => role !== "user") + 1;
  let tokens = 0;
  for (let index = start - 1; index > 0; index -= 1) {
    tokens += messageTokens(messages[index]!);
    if (tokens > tailTokens) break;
    if (cutAt(messages, index) === index) start = index;
  }
  return start;
}

async function summarise(
  options: CompactionOptions,
  { ratio, frame }: { readonly ratio: number; readonly frame: number },
): Promise<string> {
  const { request, contextTokens, ask } = options;
  const last = askForHandOver();
  const fits = (messages: readonly Message[]) =>
    contextTokens === undefined ||
    (frame + conversationTokens(messages) + summaryTokens) * ratio <= contextTokens;
  for (const version of shorterConversations(request.messages)) {
    const messages = [...version, last];
    if (!fits(messages)) continue;
    try {
      const isWhole = version === request.messages;
      return await asked(isWhole ? { ...request, messages } : withRoom({ ...request, messages }), ask);
    } catch (error) {
      if (!(error instanceof ModelError && error.kind === "overflow")) throw error;
    }
  }
  throw cannotShrink(options);
}

/** What is shorter leaves more to be written. */
function withRoom({ maxOutputTokens: _, ...request }: ModelRequest): ModelRequest {
  return request;
}

/** Room that a summary needs. */
const summaryTokens = 2_000;

/** Models that go on calling tools are asked once more. What they call is not called. */
async function asked(request: ModelRequest, ask: CompactionOptions["ask"]): Promise<string> {
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const text = textOf((await ask(request)).message);
    if (text !== "") return text;
  }
  throw new ModelError(
    "empty",
    "The model wrote no summary of the conversation, which is too long to go on",
    {
      hint: "Try again, or go on with another model.",
    },
  );
}

/** A summary is no place to repeat all in. */
function bounded(summary: string, tokens: number): string {
  const chars = Math.max(2_000, Math.floor(tokens * charsPerToken));
  if (summary.length <= chars) return summary;
  return `${summary.slice(0, characterStart(summary, chars))}\n[the rest of it was too long]`;
}

const charsPerToken = 2;

function cannotShrink({ tokensBefore, contextTokens }: CompactionOptions): ModelError {
  const window = contextTokens === undefined ? "" : ` of ${contextTokens}`;
  return new ModelError(
    "overflow",
    `The conversation has about ${tokensBefore}${window} tokens and cannot be made shorter: nearly all of it has to stay`,
    { hint: "Begin a new session with a shorter task, or go on with a model that reads more." },
  );
}
