import type { ToolDefinition } from "../../dialects/definition.ts";
import { counted, showSize } from "../../lib/text/format-quantity.ts";
import type { CallAnswer, Message } from "../../models/message.ts";
import type { ClearedAnswer } from "../history.ts";
import type { SessionCore } from "../session-core.ts";
import { answerTokens, conversationTokens, frameTokens } from "./meter.ts";

/**
 * Replaces old outputs of tools by notes that name a stored output, and returns whether it did. Every step changes the
 * beginning of the conversation, which the provider has cached: a step that would free little is not made. Where the
 * model has no tool that reads stored outputs, outputs are cleared only when the context is full.
 */
export async function clearOutputs(core: SessionCore, { isFull }: { isFull: boolean }): Promise<boolean> {
  const { conversation, parts } = core;
  const { system, tools, limits, meter, crib } = parts;
  const reading = readersIn(tools);
  if (limits.clearTokens === 0 || (reading === undefined && !isFull)) return false;
  const before = frameTokens(system, tools) + conversationTokens(conversation.messages);
  const isReadOnly = (name: string) => core.toolsByName.get(name)?.effects.readOnly ?? false;
  const chosen = outputsToClear(conversation.messages, before * freedShare, isReadOnly);
  const isWorthIt = chosen.freed >= before * leastShare;
  const cleared = await Promise.all(
    (isWorthIt ? chosen.answers : []).map(async (answer): Promise<readonly ClearedAnswer[]> => {
      const handle = await crib.storeOutput(answer.content).catch(() => undefined);
      // Without its stored output, a note would lose the content.
      return handle === undefined ? [] : [{ id: answer.id, content: noteFor(answer, handle, reading) }];
    }),
  );
  const answers = cleared.flat();
  if (answers.length === 0) {
    meter.clearedNothing();
    return false;
  }
  const tokensBefore = conversation.context.tokens;
  conversation.clear(answers);
  const { tokens: tokensAfter } = conversation.context;
  core.emit({ type: "clearing", outputs: answers.length, tokensBefore, tokensAfter });
  return true;
}

/** The outputs of the last rounds stay: the model works with them, and has not seen the latest. */
const keptRounds = 6;

/** The share of the request that one step should free, and the share that it must free. */
const freedShare = 0.5;
const leastShare = 0.25;

/** Large outputs are cleared before small ones. Smaller ones would be hardly longer than their notes. */
const sizes = [1_500, 300];
const noteTokens = 60;

/**
 * Chooses outputs to clear, those with images first, then the oldest and largest, until `wanted` tokens are free. Images
 * cannot be stored as text: an output with images is cleared only if the same call shows them again. Pure.
 */
export function outputsToClear(
  messages: readonly Message[],
  wanted: number,
  isReadOnly: (tool: string) => boolean,
): { readonly answers: readonly CallAnswer[]; readonly freed: number } {
  const old = messages
    .slice(0, startOfLastRounds(messages))
    .flatMap((message) => (message.role === "tool" ? message.answers : []))
    // The answers of `tools.find` load tools.
    .filter(({ found, images, name }) => found === undefined && (images.length === 0 || isReadOnly(name)));
  const chosen = new Set<CallAnswer>();
  let freed = 0;
  const pictures = old.filter(({ images }) => images.length > 0);
  const steps = [{ from: pictures, least: 2 * noteTokens }, ...sizes.map((least) => ({ from: old, least }))];
  for (const { from, least } of steps) {
    for (const answer of from) {
      if (freed >= wanted) break;
      const tokens = answerTokens(answer);
      if (tokens < least || chosen.has(answer)) continue;
      chosen.add(answer);
      freed += tokens - noteTokens;
    }
  }
  return { answers: [...chosen], freed };
}

function startOfLastRounds(messages: readonly Message[]): number {
  const replies = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  return replies.at(-keptRounds) ?? 0;
}

/** Names the tools that read stored outputs: "Read or Grep". Undefined in dialects without such tools. */
function readersIn(tools: readonly Pick<ToolDefinition, "name" | "canonical">[]): string | undefined {
  // The codex dialect has a tool that reads only images.
  const readers = tools.filter(({ name }) => name !== "view_image");
  const nameOf = (wanted: string) => readers.find(({ canonical }) => canonical === wanted)?.name;
  const reader = nameOf("file.read");
  const search = nameOf("search.grep");
  return reader && [reader, ...(search ? [search] : [])].join(" or ");
}

function noteFor({ content, images }: CallAnswer, handle: string, reading: string | undefined): string {
  const lines = counted(content.split("\n").length, "line");
  const size = showSize(Buffer.byteLength(content));
  const pictures = images.length === 0 ? "" : " To see its images, make the call again.";
  const how = reading
    ? `To see it again, pass ${handle} as a path to ${reading}.`
    : `It is stored for the user as ${handle}. Repeat the call if you need its output and it only reads.`;
  return `[Output cleared to save space: ${lines}, ${size}. ${how}${pictures}]`;
}
