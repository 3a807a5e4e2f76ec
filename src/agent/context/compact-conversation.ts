import type { ToolDefinition } from "../../dialects/definition.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { characterStart, truncateText } from "../../lib/text/truncate.ts";
import type { AssistantMessage, CallPart, Message, ReplyPart, UserMessage } from "../../models/message.ts";
import type { ModelRequest } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import { textOf, userMessage } from "../conversation.ts";
import type { Reply } from "../round/reply-reader.ts";
import { conversationTokens, frameTokens, fullShare, likelyRatio, messageTokens } from "./meter.ts";

export interface CompactionOptions {
  /** The next request: the conversation so far, system, tools, reasoning. */
  readonly request: ModelRequest;
  /** Messages that stay unchanged. */
  readonly pinned: ReadonlySet<Message>;
  readonly contextTokens: number | undefined;
  readonly tokensBefore: number;
  /** Asks the model, with retries; counts the usage. Throws `ModelError`. */
  ask(request: ModelRequest): Promise<Reply>;
}

/** A compacted conversation. Its pinned messages are the same objects as in the old one. */
export interface Compacted {
  readonly messages: readonly Message[];
  readonly tokensAfter: number;
}

/**
 * Returns a shorter conversation: the pinned messages, a summary by the model, and the last steps. Throws `overflow`
 * unless it is at most 60 % of the old one. The summary request only appends one message, so that the provider's cache
 * holds.
 */
export async function compactConversation(options: CompactionOptions): Promise<Compacted> {
  const { request, contextTokens, tokensBefore } = options;
  const { messages, system, tools } = request;
  const frame = frameTokens(system, tools);
  const before = conversationTokens(messages);
  const ratio = likelyRatio(tokensBefore, frame + before);
  const window = contextTokens ?? Number.POSITIVE_INFINITY;
  const isShort = (kept: readonly Message[]) => {
    const after = conversationTokens(kept);
    return after <= before * mostLeft && (frame + after) * ratio < window * fullShare;
  };
  if (!isShort(compacted(options, { summary: "", tailTokens: 0 }))) throw cannotShrink(options);

  const basis = Math.min(before, window / ratio);
  const summary = bounded(await summarise(options, { ratio, frame }), basis * summaryShare);
  for (const share of tailShares) {
    const kept = compacted(options, { summary, tailTokens: basis * share });
    if (isShort(kept))
      return { messages: kept, tokensAfter: Math.ceil((frame + conversationTokens(kept)) * ratio) };
  }
  throw cannotShrink(options);
}

/** The largest share of the old conversation that may be left. */
const mostLeft = 0.6;

/** Shares of the window for the last steps; the first one that fits is used. */
const tailShares = [0.25, 0.12, 0.05, 0];
const summaryShare = 0.2;

/** `tailTokens`: how many tokens of the last steps stay unchanged. */
function compacted(
  { request: { messages, tools }, pinned }: CompactionOptions,
  { summary, tailTokens }: { readonly summary: string; readonly tailTokens: number },
): readonly Message[] {
  const start = startOfTail(messages, tailTokens);
  const old = messages.slice(0, start);
  return [
    ...old.filter((message) => pinned.has(message)),
    summaryMessage(summary, planIn(old, tools)),
    ...messages.slice(start),
  ];
}

/** Returns where the unchanged last steps begin. Unanswered messages of the user always belong to them. */
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
  const last = summaryRequest();
  const fits = (messages: readonly Message[]) =>
    contextTokens === undefined ||
    (frame + conversationTokens(messages) + summaryTokens) * ratio <= contextTokens;
  for (const version of shorterConversations(request.messages)) {
    const messages = [...version, last];
    if (!fits(messages)) continue;
    try {
      // A shorter request leaves more tokens for output.
      const isWhole = version === request.messages;
      const maxOutputTokens = isWhole ? request.maxOutputTokens : undefined;
      return await askForSummary({ ...request, messages, maxOutputTokens }, ask);
    } catch (error) {
      if (!(error instanceof ModelError && error.code === "overflow")) throw error;
    }
  }
  throw cannotShrink(options);
}

/** Space in the context window for the summary that the model writes. */
const summaryTokens = 2_000;

/** Asks for the summary, a second time when the model only calls tools. Those calls are not made. */
async function askForSummary(request: ModelRequest, ask: CompactionOptions["ask"]): Promise<string> {
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const text = textOf((await ask(request)).message);
    if (text !== "") return text;
  }
  throw new ModelError("empty", "The model wrote no summary of the conversation.", {
    hint: "Try again, or use another model.",
  });
}

function bounded(summary: string, tokens: number): string {
  const chars = Math.max(2_000, Math.floor(tokens * charsPerToken));
  if (summary.length <= chars) return summary;
  return `${summary.slice(0, characterStart(summary, chars))}\n[truncated]`;
}

const charsPerToken = 2;

function cannotShrink({ tokensBefore, contextTokens }: CompactionOptions): ModelError {
  const window = contextTokens === undefined ? "" : ` of ${contextTokens}`;
  const message = `The conversation has about ${tokensBefore}${window} tokens and cannot be compacted further.`;
  return new ModelError("overflow", message, {
    hint: "Start a new session with a shorter task, or use a model with a larger context window.",
  });
}

function summaryRequest(): UserMessage {
  return userMessage(
    "The conversation is too long and will be compacted. Only the user's pinned messages, your last steps and the summary that " +
      "you write now will remain. Write a summary that lets you continue the task without the rest, under exactly these headings:\n" +
      `${headings.map(([heading, what]) => `## ${heading}\n${what}`).join("\n")}\n` +
      "Be precise: give full paths, names, commands, numbers, and error messages that still matter. Include what was tried and " +
      "failed. State only facts, and leave out what is no longer needed. Reply with the summary only. Do not call tools.",
  );
}

const headings = [
  ["Task", "What the user wants, with every condition and correction they gave."],
  ["Decisions", "What was decided, and why."],
  ["Files changed", "Each file that was created, changed or deleted, and how."],
  ["State", "What works, what was verified and how, what fails, what is still running."],
  ["Next steps", "In order, the very next one first."],
  ["Open questions", "What is unknown, or needs a decision by the user."],
] as const;

/** The message that replaces the old conversation. */
function summaryMessage(summary: string, plan: string | undefined): UserMessage {
  const parts = [
    `${opening} The user did not write it.\n\n${summary.trim()}`,
    ...(plan === undefined ? [] : [`${planOpening}\n${plan}`]),
    "Continue the task from here. You no longer know what is not in this summary: check it before you rely on it.",
  ];
  return userMessage(parts.join("\n\n"));
}

/** Returns the current plan, from the last call that set one or from the last summary. */
function planIn(
  messages: readonly Message[],
  tools: readonly Pick<ToolDefinition, "name" | "canonical">[],
): string | undefined {
  const planning = new Set(
    tools.filter(({ canonical }) => canonical === "plan.update").map(({ name }) => name),
  );
  for (const message of messages.toReversed()) {
    const plan = message.role === "assistant" ? givenPlan(message, planning) : summarisedPlan(message);
    if (plan !== undefined) return plan;
  }
  return undefined;
}

const opening = "This is your own summary of the conversation so far, which was too long to keep.";
const planOpening = "Your latest plan:";
/** The texts of older versions, which stored sessions contain. */
const formerOpening = "This is your own hand-over of the conversation so far";
const formerPlanOpening = "The plan, as you last gave it:";

function givenPlan({ content }: AssistantMessage, planning: ReadonlySet<string>): string | undefined {
  const call = content.findLast(
    (part): part is CallPart => part.type === "call" && planning.has(part.name) && part.input.ok,
  );
  return call?.input.ok ? JSON.stringify(call.input.value) : undefined;
}

function summarisedPlan(message: Message): string | undefined {
  if (message.role !== "user") return undefined;
  const [part] = message.content;
  if (part?.type !== "text" || ![opening, formerOpening].some((text) => part.text.startsWith(text)))
    return undefined;
  for (const heading of [planOpening, formerPlanOpening]) {
    const start = part.text.lastIndexOf(`\n\n${heading}\n`);
    if (start >= 0) return part.text.slice(start + heading.length + 3).split("\n")[0];
  }
  return undefined;
}

/**
 * Yields the conversation, then ever shorter versions of it: without the middle of long texts, then without old
 * messages. Calls keep their answers; provider metadata stays unchanged.
 */
function* shorterConversations(messages: readonly Message[]): Generator<readonly Message[]> {
  yield messages;
  for (const maxChars of [8_000, 2_000, 500]) yield messages.map((message) => shortened(message, maxChars));
  for (const share of [1 / 2, 1 / 4, 1 / 16])
    yield newest(messages, share).map((message) => shortened(message, 500));
}

/** Returns the first position at or after `index` that does not separate an answer from its call. */
function cutAt(messages: readonly Message[], index: number): number {
  return messages[index]?.role === "tool" ? index + 1 : index;
}

function newest(messages: readonly Message[], share: number): readonly Message[] {
  const start = cutAt(messages, Math.floor(messages.length * (1 - share)));
  const [first, ...rest] = messages.slice(0, start);
  if (first?.role !== "user" || rest.length === 0) return messages;
  return [first, userMessage(`[${counted(rest.length, "message")} omitted]`), ...messages.slice(start)];
}

function shortened(message: Message, maxChars: number): Message {
  if (message.role === "assistant")
    return { ...message, content: message.content.map((part) => shortenedPart(part, maxChars)) };
  if (message.role === "user") {
    const content = message.content.map((part) => ({
      type: "text" as const,
      text: part.type === "image" ? "[image omitted]" : cut(part.text, maxChars),
    }));
    return { ...message, content };
  }
  const answers = message.answers.map((answer) => ({
    ...answer,
    content: cut(answer.content, maxChars),
    images: [],
  }));
  return { ...message, answers };
}

function shortenedPart(call: ReplyPart, maxChars: number): ReplyPart {
  if (call.type !== "call") return call;
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
  return truncateText(text, { maxChars, keep: "both" }, ({ chars }) => `[${chars} characters omitted]`).text;
}
